"""`wordline compare`: a grid over processes, a row a point."""

import csv
import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import command, environment, wait_until, without_wall, wordline
from test_cli_run import LONG, SMALL
from wordline.cli.compare import alike, of_rows
from wordline.output.view import SHOWN
from wordline.stats.names import path_of, title_of

GRID = ("--set", "gc.policy=greedy,fifo", "--set", "workload.read_ratio=0.0,1.0")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The configuration of a small SSD."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def test_a_grid_is_a_table_in_its_own_order(small: Path) -> None:
    answer = wordline("compare", small, *GRID)
    assert answer.code == 0
    assert [line.split(": ")[2] for line in answer.err.splitlines()] == [
        "--set gc.policy",
        "the drive is factory-fresh and garbage collection has not begun",
    ]
    header, *rows = answer.out.splitlines()[:5]
    assert header.split()[:3] == ["gc.policy", "workload.read_ratio", "IOPS"]
    assert [row.split()[:2] for row in rows] == [["greedy", "0"], ["greedy", "1"], ["fifo", "0"], ["fifo", "1"]]
    assert "%" not in rows[0]
    assert all("%" in row or " x" in row for row in rows[1:])


def test_one_process_and_two_give_the_same(small: Path) -> None:
    answers = [wordline("compare", small, *GRID, "--jobs", jobs, "--json") for jobs in "12"]
    first, second = (without_wall(json.loads(answer.out)) for answer in answers)
    assert first == second
    assert isinstance(first, dict)
    settings = [point["set"] for point in first["points"]]
    assert settings[1] == {"gc.policy": "greedy", "workload.read_ratio": 1.0}
    assert [point["result"]["requests"]["write"] for point in first["points"]] == [3000, 0, 3000, 0]


def test_a_grid_over_a_named_workload(small: Path) -> None:
    answer = wordline(
        "compare",
        small,
        "--workload",
        "fio/random-mix",
        "--set",
        "workload.requests=500,1000",
        "--set",
        "gc.d=4",
        "--json",
    )
    assert answer.code == 0, answer.err
    points = json.loads(answer.out)["points"]
    assert [point["result"]["requests"]["all"] for point in points] == [500, 1000]


def test_a_list_in_brackets_is_one_value(small: Path) -> None:
    answer = wordline("compare", small, "--set", "nand.program_us=[750.0],[100.0, 900.0]", "--json")
    assert answer.code == 0, answer.err
    assert [point["set"]["nand.program_us"] for point in json.loads(answer.out)["points"]] == [[750.0], [100.0, 900.0]]


def test_a_folder_of_a_comparison(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    answer = wordline("compare", small, *GRID, "--out", out)
    assert answer.code == 0, answer.err
    names = sorted(path.name for path in out.iterdir())
    assert names == ["compare.csv", "compare.json", "points", "report.html", "run.toml", "wordline.sha256"]
    rows = list(csv.DictReader((out / "compare.csv").read_text().splitlines()))
    assert [row["gc.policy"] for row in rows] == ["greedy", "greedy", "fifo", "fifo"]
    points = sorted(path.name for path in (out / "points").iterdir())
    assert points == ["0001", "0002", "0003", "0004"]
    assert sorted(path.name for path in (out / "points" / "0001").iterdir()) == [
        "bins.csv",
        "config.toml",
        "intervals.csv",
        "result.json",
        "run.toml",
        "series.csv",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing to compare"),
        (("--set", "gc.policy=greedy"), "nothing to compare"),
        (("--set", "gc.polcy=greedy,fifo"), "did you mean `gc.policy`?"),
        (("--set", "gc.policy=greedy,fifoo"), "fifoo"),
        (("--set", "gc.policy=greedy,"), "empty"),
        (("--set", "ssd.channels=1,0"), "ssd.channels"),
        (("--set", "gc.policy=greedy,fifo", "--jobs", "0"), "jobs"),
        (("--set", "gc.policy=greedy,fifo", "--trace", "missing.csv"), "missing.csv"),
    ],
)
def test_bad_grids_are_found_before_anything_runs(small: Path, arguments: tuple[str, ...], said: str) -> None:
    answer = wordline("compare", "small.toml", *LONG, *arguments, "--out", "out", cwd=small.parent)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("wordline: error: ")
    assert said in answer.err
    assert "Traceback" not in answer.err
    assert [path.name for path in small.parent.iterdir()] == ["small.toml"]


# The command, what starts its workers (Python's fork server and resource tracker) and two workers.
WITH_WORKERS = 3


def alive(group: int) -> list[str]:
    """Processes of a group that still do something: the dead ones may wait for an init that never reaps them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text().rpartition(")")
        except OSError:
            continue
        state, _, its_group = rest.split()[:3]
        if int(its_group) == group and state != "Z":
            found.append(name)
    return found


SHORT = (100, 101)


def test_ctrl_c_prints_what_is_done(small: Path, tmp_path: Path) -> None:
    cache, out = tmp_path / "cache", tmp_path / "out"
    endless = ("--set", "workload.requests=100,1000000000,101", "--jobs", "2", "--cache", str(cache), "--out", str(out))
    process = subprocess.Popen(
        command("compare", str(small), *endless, "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    )
    # The second short point begins when the command has heard of the first one, so both are there.
    wait_until(lambda: len(list(cache.rglob("*.point"))) >= len(SHORT))
    os.killpg(process.pid, signal.SIGINT)
    printed, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert re.search("stopped early: [12] of 3 points", err), err
    document = json.loads(printed)
    assert document["partial"] is True
    done = [point["set"]["workload.requests"] for point in document["points"]]
    assert done == list(SHORT)[: len(done)]
    assert json.loads((out / "compare.json").read_text())["partial"] is True
    assert wl.load(out).is_partial
    assert "(partial)" in (out / "report.html").read_text("utf-8")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to see processes")
def test_ctrl_c_stops_every_process(small: Path) -> None:
    # A terminal sends the signal to the whole group.
    process = subprocess.Popen(
        command("compare", str(small), *LONG, "--set", "gc.policy=greedy,fifo", "--out", str(small.parent / "out")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    )
    # The workers are there: points are being simulated.
    wait_until(lambda: len(alive(process.pid)) >= WITH_WORKERS)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    said = "wordline: warning: no point is finished, so there is no table; the same command starts again\n"
    assert (process.returncode, out, err) == (130, "", f"{said}wordline: interrupted\n")
    wait_until(lambda: not alive(process.pid))
    assert [path.name for path in small.parent.iterdir()] == ["small.toml"]


def test_the_table_shows_the_numbers_that_are_asked_for(small: Path) -> None:
    answer = wordline("compare", small, *GRID, "--columns", "wa,write.p99.9", "--columns", "die_utilisation.mean")
    assert answer.code == 0, answer.err
    head = answer.out.splitlines()[0]
    assert re.split(r"\s{2,}", head.strip()) == [
        "gc.policy",
        "workload.read_ratio",
        "WA",
        "write p99.9 us",
        "die_utilisation.mean",
    ]


def test_rows_are_sorted_and_so_is_the_folder(small: Path, tmp_path: Path) -> None:
    for sort, wanted in (("iops", [1.0, 0.0]), ("iops:desc", [0.0, 1.0])):
        out = tmp_path / sort.replace(":", "-")
        answer = wordline("compare", small, "--set", "workload.read_ratio=0.0,1.0", "--sort", sort, "--out", out)
        assert answer.code == 0, answer.err
        points = json.loads((out / "compare.json").read_text())["points"]
        values = [point["result"]["iops"]["all"] for point in points]
        assert values == sorted(values, reverse=sort.endswith("desc"))
        first = wl.load(out)[0]
        assert first.document["iops"]["all"] == values[0]
        assert sorted(wanted) == sorted(point["set"]["workload.read_ratio"] for point in points)


def test_a_baseline_is_compared_within_its_group(small: Path) -> None:
    grid = ("--set", "host.queue_depth=1,16", "--set", "workload.read_ratio=1.0,0.0")
    answer = wordline("compare", small, *grid, "--baseline", "workload.read_ratio=0.0", "--json")
    assert answer.code == 0, answer.err
    points = json.loads(answer.out)["points"]
    assert [point.get("compared_with") for point in points] == [2, None, 4, None]
    for row, base in ((0, 1), (2, 3)):
        change = points[row]["changes"]["iops.all"]
        iops = [points[each]["result"]["iops"]["all"] for each in (row, base)]
        assert change["verdict"] in ("separated", "not separated", "unknown")
        if change["difference"]["low"] is not None:
            assert change["difference"]["low"] <= iops[0] - iops[1] <= change["difference"]["high"]
    table = wordline("compare", small, *grid, "--baseline", "workload.read_ratio=0.0").out
    assert "from that with workload.read_ratio=0.0, other settings alike" in table


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--columns", "energy"), "not modelled"),
        (("--columns", "read.p98"), "no number `read.p98`"),
        (("--sort", "die_utilization.mean"), "did you mean `die_utilisation.mean`?"),
        (("--baseline", "gc.policy=rga"), "the values are greedy, fifo"),
        (("--baseline", "gc.d=4"), "`gc.d` does not vary here"),
        (("--baseline", "gc.policy"), "--baseline gc.policy: there is no `=`"),
    ],
)
def test_what_the_table_cannot_show_is_said_before_the_runs(
    small: Path, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    answer = wordline("compare", small, *GRID, *options, "--cache", tmp_path / "kept")
    assert answer.code == 2
    assert said in answer.err
    assert not (tmp_path / "kept").exists()


def test_a_key_that_acts_in_one_row_is_not_idle() -> None:
    idle, other = "--set gc.external=a.py:A: `gc.external` has no effect: it needs gc.policy = external", "a note"
    assert of_rows([[idle, other], []]) == [other]
    assert of_rows([[idle], [idle, other]]) == [idle, idle, other]
    assert of_rows([]) == []


@pytest.mark.parametrize(
    ("title", "path"),
    [
        ("IOPS", "iops.all"),
        ("MB/s", "bandwidth_mb_s.all"),
        ("mb_s", "bandwidth_mb_s.all"),
        ("mean us", "response_us.all.mean"),
        ("mean_us", "response_us.all.mean"),
        ("max us", "response_us.all.max"),
        ("p99", "response_us.all.p99"),
        ("read p99.99 us", "response_us.read.p9999"),
        ("read p99.99 ms", "response_us.read.p9999"),
        ("write p99", "response_us.write.p99"),
        ("write.p99.9", "response_us.write.p999"),
        ("read IOPS", "iops.read"),
        ("WA", "write_amplification"),
        ("gc.erases", None),
        ("read.p98", None),
        ("read.wa", None),
    ],
)
def test_a_number_is_named_as_tables_show_it(title: str, path: str | None) -> None:
    assert path_of(title) == path


def test_each_title_of_a_table_names_its_column(small: Path) -> None:
    header = wordline("compare", small, *GRID).out.splitlines()[0]
    titles = [title for title, _ in SHOWN if f" {title}" in header]
    assert {"IOPS", "MB/s", "write p99 us", "WA"} <= set(titles)
    for title, path in SHOWN:
        assert (path_of(title) or "").split(".") == list(path)
        assert title_of(".".join(path)) == title
    again = wordline("compare", small, *GRID, "--columns", ",".join(titles), "--sort", "workload.read_ratio:desc")
    assert again.code == 0
    first, *rows = again.out.splitlines()[:5]
    assert " ".join(first.split()) == " ".join(["gc.policy workload.read_ratio", *titles])
    assert [row.split()[1] for row in rows] == ["1", "1", "0", "0"]
    asked = wordline("compare", small, *GRID, "--columns", "written_bytes.host KB", "--sort", "MB/s")
    assert "written_bytes.host" in asked.out.splitlines()[0]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("erases", "did you mean `gc.erases` or"),
        ("failed", "the table shows it by itself"),
        ("gc.policy", "a setting, which has a column anyway"),
    ],
)
def test_a_wrong_column_says_what_to_write(small: Path, name: str, told: str) -> None:
    answer = wordline("compare", small, *GRID, "--columns", name)
    assert answer.code == 2
    assert told in answer.err


def test_values_that_do_the_same_are_named() -> None:
    assert alike([{"a": "1", "b": "1", "c": "2"}, {"a": "3", "b": "3", "c": "3"}]) == ["b gives the numbers of a"]
    assert alike([{"a": "1", "b": "2"}]) == []


def test_a_comparison_says_which_of_three_values_do_the_same(small: Path) -> None:
    values = "schedule.policy=read-first,fifo,mqsim-out-of-order"
    answer = wordline("compare", small, "-w", "fio/random-mix", "-n", "3k", "--set", values)
    assert "--set schedule.policy: mqsim-out-of-order gives the numbers of read-first" in answer.err, answer.err
