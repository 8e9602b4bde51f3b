"""`wordline run --mqsim`: MQSim's file pairs from the command line."""

import json
from pathlib import Path

import pytest

from cli_runner import Answer, without_wall, wordline
from mqsim_files import PLANE_SECTORS, flow_xml, scenario_xml, ssd_xml

# Two requests within the device and one beyond it: ns, device, sector, sectors, 0 = write.
LINES = f"0 0 0 8 1\n1000000 0 64 16 0\n2000000 0 {PLANE_SECTORS * 16 + 8} 8 1\n3000000 0 128 8 1\n"


def run_pair(folder: Path, workload: str, *options: str) -> Answer:
    (folder / "ssd.xml").write_text(ssd_xml())
    (folder / "work.xml").write_text(workload)
    (folder / "t.trace").write_text(LINES)
    return wordline("run", "--mqsim", "ssd.xml", "work.xml", *options, cwd=folder)


def document(answer: Answer) -> dict[str, dict[str, object]]:
    assert answer.code == 0, answer.err
    loaded: dict[str, dict[str, object]] = json.loads(answer.out)
    return loaded


def test_a_synthetic_scenario_runs(tmp_path: Path) -> None:
    got = document(run_pair(tmp_path, scenario_xml(flow_xml()), "--json", "--check"))
    assert got["requests"]["all"] == 1000
    assert got["workload"]["synthetic"] is True
    assert got["checked"] is True


def test_a_trace_runs_whole_and_wraps(tmp_path: Path) -> None:
    got = document(run_pair(tmp_path, scenario_xml(flow_xml({"File_Path": "t.trace"})), "--json", "--check"))
    assert (got["requests"]["read"], got["requests"]["write"]) == (3, 1)
    assert got["workload"]["synthetic"] is False


@pytest.mark.parametrize(
    ("changes", "requests"), [({"Relay_Count": "3"}, 12), ({"Percentage_To_Be_Executed": "60"}, 2)]
)
def test_rounds_and_shares_of_a_trace(tmp_path: Path, changes: dict[str, str], requests: int) -> None:
    workload = scenario_xml(flow_xml({"File_Path": "t.trace", **changes}))
    assert document(run_pair(tmp_path, workload, "--json"))["requests"]["all"] == requests


def test_flows_share_the_ssd_each_in_its_own_addresses(tmp_path: Path) -> None:
    workload = scenario_xml(flow_xml(), flow_xml({"Seed": "1", "Priority_Class": "LOW"}))
    got = document(run_pair(tmp_path, workload, "--json"))
    assert got["requests"]["all"] == 2000
    flows = got["workload"]["flows"]
    assert isinstance(flows, list)
    assert [flow["first_sector"] for flow in flows] == [0, flows[0]["sectors"]]
    assert [flow["priority"] for flow in flows] == ["high", "low"]


def test_a_pair_of_one_scenario_is_saved_with_its_report(tmp_path: Path) -> None:
    answer = run_pair(tmp_path, scenario_xml(flow_xml()), "--out", "out", "--set", "gc.policy=fifo")
    assert answer.code == 0, answer.err
    assert "gc.policy" in (tmp_path / "out" / "report.html").read_text()
    assert wordline("rerun", tmp_path / "out").code == 0


@pytest.mark.parametrize("option", [("--seed", "7"), ("--seeds", "3"), ("--until", "read.mean ±1%")])
def test_what_a_pair_decides_itself_is_refused(tmp_path: Path, option: tuple[str, str]) -> None:
    answer = run_pair(tmp_path, scenario_xml(flow_xml()), *option)
    assert (answer.code, answer.out) == (2, "")
    assert f"{option[0]}: an MQSim pair brings its own" in answer.err


def test_a_key_without_meaning_is_a_warning_on_standard_error(tmp_path: Path) -> None:
    answer = run_pair(tmp_path, scenario_xml(flow_xml({"Intensity": "32768"})))
    assert answer.code == 0
    warnings = answer.err.splitlines()
    assert warnings
    assert all(line.startswith("wordline: warning") for line in warnings)
    assert any("work.xml" in line and "Intensity" in line for line in warnings)
    assert len(set(warnings)) == len(warnings)
    assert "warning" not in answer.out


def test_each_scenario_is_a_run_of_its_own(tmp_path: Path) -> None:
    one = scenario_xml(flow_xml())
    body = one.removeprefix("<MQSim_IO_Scenarios>\n").removesuffix("</MQSim_IO_Scenarios>\n")
    two = f"<MQSim_IO_Scenarios>\n{body}{body}</MQSim_IO_Scenarios>\n"
    got = document(run_pair(tmp_path, two, "--json", "--out", "out"))
    first, second = got["scenarios"]
    assert (first["name"], second["name"]) == ("scenario1", "scenario2")
    assert without_wall(first["result"]) == without_wall(second["result"])
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["report.html", "run.toml", "scenario1", "scenario2", "scenarios.json", "wordline.sha256"]
    assert (tmp_path / "out" / "scenario2" / "bins.csv").is_file()


def test_settings_lie_over_the_pair(tmp_path: Path) -> None:
    got = document(
        run_pair(tmp_path, scenario_xml(flow_xml()), "--set", "seed=7", "--set", "workload.requests=50", "--json")
    )
    assert got["seed"] == 7
    assert got["requests"]["all"] == 50


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        ("<MQSim_IO_Scenarios>", "work.xml"),
        (scenario_xml(), "has no flow"),
        (scenario_xml(flow_xml({"Read_Percentage": "170"})), "Read_Percentage"),
        (scenario_xml(flow_xml({"File_Path": "missing.trace"})), "missing.trace"),
        (scenario_xml(flow_xml({"File_Path": 300 * "a"})), "File name too long"),
    ],
)
def test_a_broken_pair_is_one_message(tmp_path: Path, workload: str, said: str) -> None:
    answer = run_pair(tmp_path, workload, "--out", "out")
    assert (answer.code, answer.out) == (2, "")
    errors = [line for line in answer.err.splitlines() if line.startswith("wordline: error: ")]
    assert len(errors) == 1
    assert said in errors[0]
    assert not (tmp_path / "out").exists()


def test_many_keys_without_meaning_are_summed_up(tmp_path: Path) -> None:
    keys = {"Intensity": "1", "Variance_Request_Size": "2", "Percentage_of_Hot_Region": "3"}
    flows = "".join(flow_xml(keys) for _ in range(3))
    short = run_pair(tmp_path, scenario_xml(flows))
    assert short.code == 0, short.err
    (line,) = (each for each in short.err.splitlines() if "keys of MQSim" in each)
    assert "work.xml" in line
    assert line.endswith("--notes says why")
    long = run_pair(tmp_path, scenario_xml(flows), "--notes")
    assert len(long.err.splitlines()) > len(short.err.splitlines())
    assert wordline("run", "mqsim", "--notes").code == 2
