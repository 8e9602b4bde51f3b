"""A record holds all that decides a run: it can be repeated, explained and read again."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import command, environment, without_wall, wordline
from wordline.cli.errors import BadInputError
from wordline.cli.options import Reading, Source
from wordline.cli.source import configuration, workload
from wordline.errors import RecordError
from wordline.record import Record, compared
from wordline.record.toml_text import dumps
from wordline.workload import FioJob

RETRIES = Path(__file__).resolve().parents[2] / "examples" / "retries.toml"
SMALL = ("-s", "ssd.blocks_per_plane=256", "-s", "workload.requests=1500")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trace") / "some name.csv"
    wl.workload("ycsb/a", requests=800).write(path, wl.preset("pnar2"))
    return path


@pytest.fixture(scope="module")
def of_trace(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("record") / "run"
    answer = wordline("run", "pnar2", "-t", trace, "--limit", "700", "-s", "reliability.pec=1500", "--out", out)
    assert answer.code == 0, answer.err
    return out


def test_a_trace_run_repeats_with_its_trace_and_options(of_trace: Path, trace: Path) -> None:
    record = Record.read(of_trace)
    (run,) = record.runs
    assert run.flows[0].name == trace.name
    assert run.flows[0].workload == wl.trace(trace, limit=700)
    assert record.traces[str(trace)].bytes == trace.stat().st_size
    assert record.command[:3] == ("wordline", "run", "pnar2")
    answer = wordline("rerun", of_trace)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("every number is the same: ")


def test_running_the_record_runs_its_trace(of_trace: Path) -> None:
    first = json.loads((of_trace / "result.json").read_text())
    again = json.loads(wordline("run", of_trace, "--json").out)
    assert without_wall(again) == without_wall(first)


def test_the_configuration_alone_lacks_the_trace(of_trace: Path, trace: Path) -> None:
    """Its own requests would be made up, which the user would not notice."""
    target = str(of_trace / "config.toml")
    with pytest.raises(BadInputError, match="without its requests, those of some name") as error:
        workload(target, Source(), Reading())
    assert error.value.hint.startswith(f"`wordline rerun {of_trace}` repeats the run")
    assert workload(target, Source(trace=str(trace)), Reading()) == wl.trace(trace)
    with pytest.raises(BadInputError, match="a result, not a configuration"):
        configuration(str(of_trace / "result.json"), [])


def test_another_trace_is_not_the_record_s(of_trace: Path, trace: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_bytes(trace.read_bytes()[:-40])
    answer = wordline("rerun", of_trace, "--trace", other)
    assert answer.code == 2
    assert "not the record's trace" in answer.err
    moved = tmp_path / "moved.csv"
    moved.write_bytes(trace.read_bytes())
    assert wordline("rerun", of_trace, "--trace", moved).code == 0


def test_a_number_that_differs_is_named(of_trace: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in of_trace.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    document = json.loads((copy / "result.json").read_text())
    document["response_us"]["read"]["p99"] += 1.0
    (copy / "result.json").write_text(json.dumps(document))
    answer = wordline("rerun", copy, "--json")
    assert answer.code == 1
    (run,) = json.loads(answer.out)["runs"]
    assert [each["path"] for each in run["differences"]] == ["response_us.read.p99"]


def test_explain_knows_who_set_each_key_of_a_record(of_trace: Path) -> None:
    keys = json.loads(wordline("explain", of_trace, "--json").out)["keys"]
    layers = {each["key"]: each["layer"] for each in keys}
    assert layers["reliability.pec"] == "--set reliability.pec=1500"
    assert layers["ssd.channels"] == "preset pnar2"
    config = json.loads(wordline("explain", of_trace / "config.toml", "--key", "reliability.pec", "--json").out)
    assert config["keys"][0]["comment"] == "--set reliability.pec=1500"


def test_two_flows_keep_their_names_and_seeds(tmp_path: Path) -> None:
    flows = [
        wl.Flow("front", wl.workload("fio/random-read", requests=500)),
        wl.Flow("back", wl.workload("fio/random-mix", requests=500), queue_depth=3),
    ]
    config = wl.preset("pnar2").set("ssd.blocks_per_plane", 256)
    result = wl.run(config, flows, check=True)
    from wordline.record.folder import write_result
    from wordline.record.record import RecordedRun

    write_result(tmp_path, result)
    (tmp_path / "run.toml").write_text(Record.of("run", [RecordedRun.of(result)]).to_toml())
    (repeated,) = wl.rerun(tmp_path, jobs=1)
    assert repeated.compared.is_same
    assert without_wall(repeated.result.to_dict()) == without_wall(result.to_dict())
    assert list(repeated.result.flows) == ["front", "back"]


def test_a_record_of_version_1_is_read(of_trace: Path, tmp_path: Path) -> None:
    """It had a form of its own for flows."""
    table = tomllib.loads((of_trace / "run.toml").read_text())
    assert table["record_version"] == 2
    (flow,) = table["runs"][0]["flows"]
    name, trace = flow.pop("flow"), {"files": flow.pop("paths"), **flow.pop("trace")}
    generated = {
        "name": "made",
        "queue_depth": 3,
        "rest": [5, 7],
        "workload": {"preset": "ycsb/a", "settings": {"seed": 4}},
    }
    job = {"name": "job", "mode": "open", "fio": {"file": "x.fio", "number": 2, "job": {"random": True}}}
    table["runs"][0]["flows"] = [{**flow, "name": name, "trace": trace}, generated, job]
    table["record_version"] = 1
    (tmp_path / "run.toml").write_text(dumps(table))
    (run,) = Record.read(tmp_path).runs
    assert run.flows[:1] == Record.read(of_trace).runs[0].flows
    assert run.flows[1:] == [
        wl.Flow("made", wl.workload("ycsb/a", seed=4), queue_depth=3, rest=(5, 7)),
        wl.Flow("job", FioJob("job", "x.fio", '{"random": true}', 2), "open"),
    ]


def test_a_comparison_and_a_sweep_repeat(tmp_path: Path) -> None:
    out = tmp_path / "compare"
    args = ("compare", "pnar2", "-w", "ycsb/a", *SMALL, "-s", "reliability.pec=0,1500", "--out", out)
    assert wordline(*args).code == 0
    answer = wordline("rerun", out, "--jobs", "1")
    assert (answer.code, answer.out.endswith("of 2 runs\n")) == (0, True)
    assert wordline("rerun", out / "points" / "0002").code == 0
    points = wl.load(out)
    assert [point.settings for point in points] == [{"reliability.pec": 0}, {"reliability.pec": 1500}]
    assert points[1].result.bins().num_rows > 0
    study = tmp_path / "study.toml"
    grid = "[grid]\nreliability.retention_months = [0, 6]\n"
    study.write_text(f'ssd = "pnar2"\nworkload = "ycsb/a"\nrequests = 500\nseeds = 2\n{grid}')
    assert wordline("sweep", study, "--out", tmp_path / "sweep", "--jobs", "1").code == 0
    assert wordline("rerun", tmp_path / "sweep", "--jobs", "1").code == 0
    assert len(wl.load(tmp_path / "sweep")) == 4
    # The table has a row for each combination; its seeds are compared in pairs.
    rows = wl.diff(tmp_path / "sweep:1", tmp_path / "sweep:2")
    assert [each.key for each in rows.keys] == ["reliability.retention_months"]
    assert rows.numbers["response_us.read.mean"].method == "paired seeds"
    # A sweep's points have no folders.
    answer = wordline("run", tmp_path / "sweep")
    assert answer.code == 2
    assert "4 runs" in answer.err
    assert "wordline rerun" in answer.err
    assert f"from {out}/points/0001 on" in wordline("run", out).err
    with pytest.raises(RecordError, match="2 rows"):
        wl.diff(tmp_path / "sweep:1", tmp_path / "sweep:3")


def test_a_folder_of_one_run_has_one_row(of_trace: Path) -> None:
    assert wl.diff(of_trace, f"{of_trace}:1").keys == wl.diff(of_trace, of_trace).keys
    with pytest.raises(RecordError, match="one row"):
        wl.diff(of_trace, f"{of_trace}:99")


def test_a_saved_configuration_warns_of_no_key(of_trace: Path, trace: Path, tmp_path: Path) -> None:
    assert "no effect" not in wordline("run", of_trace / "config.toml", "--trace", trace).err
    own = tmp_path / "own.toml"
    own.write_text("[gc]\nd = 4\n")
    assert "`gc.d` has no effect" in wordline("run", own, "--trace", trace).err


def test_load_gives_the_result_back(of_trace: Path, trace: Path) -> None:
    config = wl.preset("pnar2").set("reliability.pec", 1500)
    result = wl.run(config, wl.trace(trace, limit=700))
    loaded = wl.load(of_trace)
    assert without_wall(loaded.to_dict()) == without_wall(result.to_dict())
    assert loaded.config == result.config
    for name in ("bins", "series", "intervals"):
        ours, theirs = (getattr(each, name)().to_pylist() for each in (result, loaded))
        assert ours == theirs


def test_diff_names_keys_and_numbers(tmp_path: Path) -> None:
    out = tmp_path / "compare"
    args = ("compare", "pnar2", "-w", "ycsb/a", *SMALL, "-s", "reliability.pec=0,1500", "--seeds", "2", "--out", out)
    months = ("-s", "reliability.retention_months=6")
    assert wordline(*args, *months, "--cache", tmp_path / "cache").code == 0
    answer = wordline("diff", f"{out}:1", f"{out}:2", "--json")
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    assert [(each["key"], each["first"], each["second"]) for each in found["keys"]] == [("reliability.pec", 0, 1500)]
    mean = found["numbers"]["response_us.read.mean"]
    assert mean["second"] > mean["first"]
    assert mean["difference"]["by"] == "paired seeds"
    shown = wordline("diff", f"{out}:1", f"{out}:2").out
    assert "reliability.pec" in shown
    assert "response_us.read.mean" in shown
    # Of so few requests no percentile is certain, and the table says so. Beyond a higher one there is no request.
    assert found["numbers"]["response_us.read.p99"]["few_samples"] == [True, True]
    assert "response_us.read.p9999" not in found["numbers"]
    assert found["numbers"]["response_us.read.mean"]["few_samples"] == [False, False]
    (row,) = (line for line in shown.splitlines() if line.split()[:1] == ["response_us.read.p99"])
    assert row.count("*") == 2
    assert "response_us.read.p9999 " not in wordline("diff", f"{out}:1", f"{out}:2", "--all").out
    assert "* fewer than 100 requests lie beyond it" in shown
    assert "every number is the same" in wordline("diff", f"{out}:1", f"{out}:1").out
    several = wordline("diff", out, out)
    assert several.code == 2
    assert "name one of them" in several.err


def test_the_first_version_is_read(of_trace: Path, tmp_path: Path) -> None:
    document = json.loads((of_trace / "result.json").read_text())
    for name in ("schema_version", "options"):
        del document[name]
    for flow in document["workload"]["flows"]:
        del flow["paths"]
    (tmp_path / "result.json").write_text(json.dumps(document))
    (tmp_path / "config.toml").write_text(wl.preset("pnar2").to_toml())
    (tmp_path / "bins.csv").write_text("op,upper_us,count,cumulative\nall,1.5,2,2\nread,1.5,2,2\n")
    old = wl.load(tmp_path)
    assert old.read.p99 == document["response_us"]["read"]["p99"]
    assert old.bins().to_pylist()[0] == {"op": "all", "upper_ns": 1500, "count": 2}
    document["schema_version"] = 99
    (tmp_path / "result.json").write_text(json.dumps(document))
    with pytest.raises(RecordError, match="schema version 99"):
        wl.load(tmp_path)


@pytest.mark.parametrize("text", ["", "x = ", "record_version = 99", "record_version = 1", "\0"])
def test_a_damaged_record_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.toml").write_text(text)
    answer = wordline("rerun", tmp_path)
    assert answer.code == 2
    assert answer.err.count("\n") == 1


def test_texts_survive_toml() -> None:
    import tomllib

    texts = ['a\n"""b"""\n\\"c"', '"\n"', "\\\n\\\\", "\x7f\n\t\x01\n", 'x\n""""', "\n", "plain"]
    document = {"a": {"b": [{"t": each} for each in texts]}, "c": [1, 2.5, True], "d e": "x"}
    assert tomllib.loads(dumps(document)) == document


def test_numbers_are_compared_but_for_the_clock() -> None:
    first = {"a": 1, "b": {"c": [1.0, 2.0]}, "wall_s": 3.0, "wordline": "1"}
    second = {"a": 1, "b": {"c": [1.0, 2.5]}, "wall_s": 4.0, "d": 0}
    found = compared(first, second)
    assert found.count == 4
    assert [(each.path, each.first, each.second) for each in found.differences] == [("b.c.1", 2.0, 2.5), ("d", None, 0)]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("run", "pnar2", "-w", "ycsb/a", *SMALL, "--out", "out"), "requests"),
        (("run", "pnar2", "-w", "ycsb/a", *SMALL, "--save-state", "state"), ""),
        (("sweep", str(RETRIES), "--jobs", "1", "--out", "out", "--cache", "none/cache"), "host.mode"),
        (("trace", "gen", "ycsb/a", "t.trace"), ""),
    ],
    ids=["run", "state", "sweep", "trace"],
)
def test_a_full_disk_is_an_error_and_the_result_is_shown(words: tuple[str, ...], shown: str, tmp_path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = subprocess.run(
        command(*words),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(PYTHONDONTWRITEBYTECODE="1"),
        check=False,
        preexec_fn=limit,
    )
    assert done.returncode == 2
    assert "cannot write" in done.stderr or "cannot be written" in done.stderr or "too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert shown in done.stdout
    assert [path.name for path in tmp_path.iterdir() if path.name != "none"] == []


def test_a_full_cache_loses_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wordline import sweeps

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(sweeps.Store, "put", full)
    points = [sweeps.Point(wl.preset("pnar2"), {}, "ycsb/a", requests=300)]
    results = sweeps.run_points(points, jobs=1, store=sweeps.Store(tmp_path / "cache"))
    assert results[0].error is None
    assert "not kept" in results.warnings[0]


def test_runs_into_one_folder_leave_one_whole_result(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: wordline("run", "pnar2", "-w", "ycsb/a", *SMALL, "--out", out), range(4)))
    assert [answer.code for answer in answers] == [0] * 4
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert wordline("rerun", out).code == 0
