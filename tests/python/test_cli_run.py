"""`wordline run`, from what is typed to what is printed and written."""

import csv
import json
import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from cli_runner import command, environment, wait_until, without_wall, wordline

SMALL = """
preset = "mqsim"
[ssd]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
blocks_per_plane = 32
pages_per_block = 64
overprovisioning = 0.2
[workload]
name = "mine"
requests = 3000
read_ratio = 0.5
"""
LONG = ("--set", "workload.requests=100000000")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The configuration of a small SSD."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def test_the_table_goes_to_standard_output(small: Path) -> None:
    answer = wordline("run", small)
    assert (answer.code, answer.err) == (0, "")
    assert "mine" in answer.out
    assert "synthetic" in answer.out
    rows = {line.split("  ")[0]: line.split()[-3:] for line in answer.out.splitlines() if line}
    assert rows["requests"][0] == "3,000"
    assert {"IOPS", "mean us", "p50 us", "p99 us", "p99.9 us", "p99.99 us", "max us"} <= rows.keys()
    assert "\x1b" not in answer.out


def test_a_workload_by_name_takes_settings(small: Path) -> None:
    answer = wordline("run", small, "--workload", "fio/random-mix", "--set", "workload.requests=2000", "--json")
    assert answer.code == 0, answer.err
    document = json.loads(answer.out)
    assert document["requests"]["all"] == 2000
    assert document["workload"]["synthetic"] is True
    assert "random-mix" in document["workload"]["name"]
    assert 0.6 < document["requests"]["read"] / 2000 < 0.8


def test_json_is_all_there_is_and_the_same_each_time(small: Path) -> None:
    first, second = (wordline("run", small, "--json") for _ in range(2))
    assert (first.code, first.err) == (0, "")
    assert without_wall(json.loads(first.out)) == without_wall(json.loads(second.out))
    assert first.out.index('"bandwidth_mb_s"') < first.out.index('"requests"') < first.out.index('"seed"')


def test_a_result_folder_has_every_file(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    answer = wordline("run", small, "--out", out, "--parquet", "--timeline", "0:2000", "--plot", "--check", "--json")
    assert answer.code == 0, answer.err
    assert sorted(path.name for path in out.iterdir()) == [
        "bins.csv",
        "config.toml",
        "intervals.csv",
        "report.html",
        "requests.parquet",
        "result.json",
        "run.pdf",
        "run.png",
        "run.svg",
        "run.toml",
        "series.csv",
        "timeline.json",
        "wordline.sha256",
    ]
    assert [path.name for path in out.parent.iterdir()] == ["out"]
    document = json.loads((out / "result.json").read_text())
    assert document == json.loads(answer.out)
    assert document["checked"] is True
    rows = list(csv.DictReader((out / "bins.csv").read_text().splitlines()))
    last = [row for row in rows if row["op"] == "all"][-1]
    assert int(last["cumulative"]) == document["requests"]["all"] == 3000
    slices = [e for e in json.loads((out / "timeline.json").read_text())["traceEvents"] if e["ph"] == "X"]
    assert slices
    assert all(0 <= e["ts"] < 2000 for e in slices)
    assert {e["pid"] for e in slices} >= {1, 2}


def test_the_resolved_configuration_gives_the_same_run(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = wordline("run", small, "--out", out, "--json")
    again = wordline("run", out / "config.toml", "--json")
    assert again.code == 0, again.err
    documents = [json.loads(answer.out) for answer in (first, again)]
    assert without_wall(documents[0]) == without_wall(documents[1])


def test_the_request_log_is_a_parquet_file(small: Path, tmp_path: Path) -> None:
    import pyarrow.parquet

    out = tmp_path / "out"
    assert wordline("run", small, "--out", out, "--parquet").code == 0
    table = pyarrow.parquet.read_table(out / "requests.parquet")
    assert table.num_rows == 3000
    assert b"config_hash" in table.schema.metadata


def test_a_trace_is_replayed(small: Path, tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("time_ns,op,sector,sectors\n0,W,0,8\n1000000,R,0,8\n2000000,R,64,8\n")
    answer = wordline("run", small, "--trace", trace, "--json", "--check")
    assert answer.code == 0, answer.err
    document = json.loads(answer.out)
    assert document["requests"]["read"] == 2
    assert document["requests"]["write"] == 1
    assert document["workload"]["synthetic"] is False
    assert wordline("run", small, "--trace", trace).out.count("synthetic") == 0


def bad_files(folder: Path) -> None:
    """Files with one mistake each."""
    (folder / "typo.toml").write_text("[ssd]\nchanels = 4\n")
    (folder / "unit.toml").write_text('[nand]\n\nerase_us = "3ms"\n')
    (folder / "broken.toml").write_text("[ssd\n")
    (folder / "nopreset.toml").write_text('preset = "pnar"\n')
    (folder / "empty.csv").write_text("")
    (folder / "malformed.csv").write_text("time_ns,op,sector,sectors\n0,R,0,8\n1,R,x,8\n")
    (folder / "back.csv").write_text("time_ns,op,sector,sectors\n5,R,0,8\n4,R,0,8\n")
    (folder / "lines.txt").write_text("128166372003061629,hm,0,Read,383496192,32768,1331\n")
    (folder / "beyond.csv").write_text("time_ns,op,sector,sectors\n0,R,99999999999,8\n")
    (folder / "truncated.csv.gz").write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03K")
    (folder / "photos").mkdir()
    (folder / "photos" / "cat.jpg").write_text("")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "preset"),
        (("pnar",), "did you mean `pnar2`"),
        (("missing.toml",), "missing.toml: no such file"),
        (("typo.toml",), "typo.toml:2: unknown key `ssd.chanels`; did you mean `ssd.channels`?"),
        (("unit.toml",), "unit.toml:3"),
        (("broken.toml",), "broken.toml:1"),
        (("nopreset.toml",), "pnar2"),
        (("mqsim", "--set", "ssd.chanels=4"), "did you mean `ssd.channels`?"),
        (("mqsim", "--set", "ssd.channels"), "no `=`"),
        (("mqsim", "--set", "ssd.channels=0"), "ssd.channels"),
        (("mqsim", "--set", "nand.erase_us=3ms"), "nand.erase_us"),
        (("mqsim", "--set", "gc.policy=gredy"), "greedy"),
        (("mqsim", "--set", "ssd.page_bytes=5000"), "page_bytes"),
        (("mqsim", "--workload", "fio/randommix"), "did you mean `fio/random-mix`?"),
        (("mqsim", "--workload", "hm_00"), "did you mean `msrc/hm_0`?"),
        (("mqsim", "--trace", "missing.csv"), "missing.csv"),
        (("mqsim", "--trace", "empty.csv"), "empty.csv"),
        (("mqsim", "--trace", "malformed.csv"), "malformed.csv:3"),
        (("mqsim", "--trace", "back.csv", "--on-time-back", "error"), "back.csv:3"),
        (("mqsim", "--trace", "beyond.csv"), "beyond.csv:2"),
        (("mqsim", "--trace", "truncated.csv.gz"), "truncated.csv.gz"),
        (("mqsim", "--trace", "back.csv", "--format", "msrcc"), "did you mean `msrc`?"),
        (("mqsim", "--trace", "back.csv", "--workload", "fio/random-mix"), "exclude each other"),
        (("mqsim", "--format", "msrc"), "--trace"),
        (("mqsim", "--parquet"), "--out"),
        (("mqsim", "--out", "photos"), "photos"),
        (("mqsim", "--out", "typo.toml/out"), "typo.toml"),
        (("mqsim", "--out", "new", "--timeline", "9:1"), "FROM_US:TO_US"),
        (("mqsim", "--mqsim", "a.xml", "b.xml"), "--mqsim"),
        (("--mqsim", "a.xml", "b.xml"), "a.xml"),
        (("mqsim", "--jsn"), "--json"),
        (("mqsim", "--limit", "0", "--trace", "back.csv"), "limit"),
        (("mqsim", "back.csv"), "wordline run PRESET --trace back.csv"),
        (("back.csv",), "back.csv: a trace, not an SSD"),
        (("mqsim", "--workload", "back.csv"), "back.csv: a trace, not a synthetic workload"),
        (("mqsim", "empty.csv"), "--trace empty.csv"),
        (("mqsim", "lines.txt"), "lines.txt: a trace, not a fio job file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_is_one_message_and_exit_code_2(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    bad_files(tmp_path)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    extra = () if "--out" in arguments or "--parquet" in arguments else ("--out", "out")
    answer = wordline("run", *arguments, *extra, cwd=tmp_path)
    assert answer.code == 2, answer.err
    assert answer.out == ""
    lines = answer.err.splitlines()
    assert lines[0].startswith("wordline: error: ")
    assert all(line.startswith("  hint: ") for line in lines[1:])
    assert len(lines) <= 2
    assert said in answer.err
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_ctrl_c_shows_and_keeps_what_there_is(small: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    saving = ("--save-state", str(state), "--save-every", "0.05s")
    process = subprocess.Popen(
        command("run", str(small), *LONG, "--out", str(tmp_path / "out"), *saving),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    # A saved state says that the run is under way.
    wait_until(state.exists)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "wordline: interrupted" in err.splitlines()
    assert "stopped early" in out.splitlines()[0]
    document = json.loads((tmp_path / "out" / "result.json").read_text())
    assert document["partial"] is True
    assert document["requests"]["all"] > 0
    assert "a part of a run" in wordline("rerun", tmp_path / "out").err


def test_a_closed_pipe_is_silent() -> None:
    process = subprocess.Popen(
        command("explain", "mqsim", "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=30), err) == (141, b"")


def on_a_terminal(arguments: list[str], **variables: str) -> tuple[int, str]:
    """Runs a command whose standard error alone is a terminal; returns exit code and what the terminal got."""
    control, terminal = pty.openpty()
    process = subprocess.Popen(
        command(*arguments),
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        env=environment(TERM="xterm-256color", COLUMNS="100", **variables),
    )
    os.close(terminal)
    shown = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        ready, _, _ = select.select([control], [], [], 0.2)
        try:
            piece = os.read(control, 65536) if ready else b""
        except OSError:
            break
        if ready and not piece:
            break
        shown += piece
    os.close(control)
    return process.wait(timeout=30), shown.decode()


def test_progress_is_shown_on_a_terminal(small: Path) -> None:
    run = ["run", str(small), "--set", "workload.requests=100000", "--json"]
    code, shown = on_a_terminal(run, WORDLINE_PROGRESS_S="0")
    assert code == 0
    assert "simulating" in shown


def test_no_color_holds_for_errors() -> None:
    code, shown = on_a_terminal(["run", "pnar"])
    assert code == 2
    assert "\x1b[31m" in shown
    code, shown = on_a_terminal(["run", "pnar"], NO_COLOR="1")
    assert code == 2
    assert "\x1b" not in shown
    assert "did you mean" in shown
