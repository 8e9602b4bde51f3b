"""What nvme-cli would read from the drive of a run, and the drive's life over chained states."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import wordline as wl
from cli_runner import wordline

DRIVE = """
[ssd]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 128
pages_per_block = 64
page_bytes = 4096
overprovisioning = 0.3
[ftl]
group = "superblock"
[precondition]
fill = 1.0
[fdp]
isolation = "mixed"
handles = 3
persistent_handles = [2]
"""
FLOWS = """
[[flow]]
name = "near"
size = "40%"
handle = 1
pattern = "random"
read_ratio = 0.2
requests = 9000
[[flow]]
name = "far"
offset = "40%"
size = "40%"
handle = 2
pattern = "random"
read_ratio = 0.0
requests = 9000
"""


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    (tmp_path / "drive.toml").write_text(DRIVE)
    (tmp_path / "flows.toml").write_text(FLOWS)
    out = tmp_path / "out"
    answer = wordline("run", tmp_path / "drive.toml", tmp_path / "flows.toml", "--out", out)
    assert answer.code == 0, answer.err
    return out


def log(*arguments: str | Path) -> Any:  # noqa: ANN401 - JSON
    answer = wordline("nvme", *arguments, "--json")
    assert answer.code == 0, answer.err
    return json.loads(answer.out)


def test_the_logs_of_a_drive_with_handles_have_the_keys_of_nvme_cli(saved: Path) -> None:
    life = json.loads((saved / "result.json").read_text())["life"]
    stats = log("fdp", "stats", saved)
    assert stats == {"hbmw": life["host_bytes"], "mbmw": life["media_bytes"], "mbe": life["erased_bytes"]}
    assert stats["mbmw"] > stats["hbmw"] > 0
    (config,) = log("fdp", "configs", saved)["configs"]
    assert (config["nrg"], config["nruh"], config["fdpa"], config["runs"]) == (1, 3, 0x80, 2 * 64 * 4096)
    assert [each["ruht"] for each in config["ruhs"]] == [1, 2, 1]
    status = log("fdp", "status", saved)
    assert status["nruhsd"] == 3
    assert set(status["ruhss"][0]) == {"pid", "ruhid", "earutr", "ruamw"}
    assert [each["ruha"] for each in log("fdp", "usage", saved)["ruhus"]] == [1, 1, 0]
    events = log("fdp", "events", saved)
    assert events["n"] == len(events["events"]) > 0
    moved = [each for each in events["events"] if each["type"] == 0x80]
    assert moved
    assert all(set(each) == {"type", "fdpef", "pid", "timestamp", "nsid", "nlbam", "lba"} for each in moved)
    others = [each for each in events["events"] if each["type"] == 0x81]
    assert others
    assert all("nlbam" not in each and each["pid"] in (0, 1) for each in others)
    smart, more = log("smart-log", saved), log("ocp", "smart-add-log", saved)
    assert smart["data_units_written"] == -(-stats["hbmw"] // 512_000)
    assert smart["host_write_commands"] == life["writes"]["count"]
    assert more["Physical media units written"] == {"hi": 0, "lo": stats["mbmw"]}
    text = wordline("nvme", "fdp", "status", saved).out
    assert "ruhss[1]  pid 1  ruhid 1" in text


def test_reclaim_groups_are_in_the_upper_bits_of_an_identifier(tmp_path: Path) -> None:
    (tmp_path / "drive.toml").write_text(DRIVE)
    config = wl.config(tmp_path / "drive.toml").set_all({"fdp.reclaim_groups": 2, "precondition.fill": 0.0})
    flows = [wl.Flow("a", wl.workload(requests=50, read_ratio=0.0), handles=(5,))]
    logs = wl.run(config, flows).fdp_logs()
    assert [each["pid"] for each in logs["status"]["ruhss"]] == [0, 1, 2, 0x8000, 0x8001, 0x8002]
    (described,) = logs["configs"]["configs"]
    assert (described["fdpa"], described["nrg"], described["runs"]) == (0x81, 2, 64 * 4096)
    assert [each["ruha"] for each in logs["usage"]["ruhus"]] == [0, 1, 0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fdp.reclaim_groups": 3}, "does not divide 2 channels"),
        ({"fdp.persistent_handles": [4]}, "names handle 4"),
        ({"fdp.unit_superblocks": 3}, "does not divide the 128 blocks"),
        ({"fdp.reclaim_groups": 2, "ftl.group": "block", "ftl.allocation": "dynamic"}, "lets them go anywhere"),
    ],
)
def test_what_a_drive_cannot_divide_is_refused(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    (tmp_path / "drive.toml").write_text(DRIVE)
    with pytest.raises(wl.errors.ConfigError, match=message):
        wl.config(tmp_path / "drive.toml").set_all(settings)


def test_a_run_without_handles_has_no_such_logs(tmp_path: Path) -> None:
    (tmp_path / "drive.toml").write_text(DRIVE.replace('isolation = "mixed"', 'isolation = "off"'))
    out = tmp_path / "out"
    wordline("run", tmp_path / "drive.toml", "--workload", "fio/random-write", "-n", "100", "--out", out)
    answer = wordline("nvme", "fdp", "stats", out)
    assert answer.code == 2
    assert "fdp.isolation" in answer.err
    assert log("smart-log", out)["host_write_commands"] == 100


def test_ten_chained_states_write_what_one_run_writes(tmp_path: Path) -> None:
    (tmp_path / "drive.toml").write_text(DRIVE)
    config = wl.config(tmp_path / "drive.toml").set_all({"cache.mode": "write", "cache.capacity_bytes": 1 << 20})
    # A drive at rest collects to its threshold: a part has to be long beside that.
    draws, count = Random(7), 15_000  # noqa: S311
    rows = [f"0,W,{draws.randrange(2_750) * 32},32,1" for _ in range(count)]

    def run(name: str, part: list[str], **states: Any) -> Any:  # noqa: ANN401 - options, and a document
        trace = tmp_path / f"{name}.csv"
        trace.write_text("\n".join(["time_ns,op,sector,sectors,handle", *part]) + "\n")
        return wl.run(config.set("host.mode", "closed"), wl.trace(trace), **states).document

    whole = run("whole", rows)["life"]
    state: dict[str, Any] = {"save_state": tmp_path / "drive"}
    for at in range(0, count, count // 10):
        document = run(f"part-{at}", rows[at : at + count // 10], **state)
        state |= {"load_state": tmp_path / "drive", "go_on": True}
        # Aging was done once, and is told apart.
        assert document["life"]["aging"] == whole["aging"]
    chained = document["life"]
    assert chained["host_bytes"] == whole["host_bytes"] == count * 16384
    assert chained["writes"] == whole["writes"]
    assert chained["media_bytes"] == pytest.approx(whole["media_bytes"], rel=0.005)
    assert document["written_bytes"]["host"] == count // 10 * 16384
