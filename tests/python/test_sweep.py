"""`wordline sweep`: study files, one table, and a real Dask cluster."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import wordline as wl
from api_helpers import ROOT, SMALL_SSD, write_trace
from cli_runner import environment, without_wall, wordline
from wordline.errors import WordlineError
from wordline.sweeps import Spec, Store

STUDY = """
ssd = "small.toml"
workload = "fio/random-mix"
requests = 300
seeds = [3, 4]
[set]
host.queue_depth = 4
[grid]
"read.retry" = ["ideal", "baseline"]
[[zip]]
reliability.retry_steps = [1, 2]
host.time_scale = [1.0, 2.0]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.toml").write_text(SMALL_SSD)
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


def test_a_file_is_its_points(folder: Path) -> None:
    points = Spec.read(folder / "study.toml").points()
    axes = [
        (
            p.coordinates["read.retry"],
            p.coordinates["reliability.retry_steps"],
            p.coordinates["host.time_scale"],
            p.seed,
        )
        for p in points
    ]
    assert axes == [
        (retry, *pair, seed) for retry in ("ideal", "baseline") for pair in ((1, 1.0), (2, 2.0)) for seed in (3, 4)
    ]
    assert {p.coordinates["ssd"] for p in points} == {"small.toml"}
    assert all(p.resolve().config["host.queue_depth"] == 4 for p in points)


def test_own_axes(folder: Path) -> None:
    write_trace(folder / "t.csv")
    traces = '["t.csv", { path = "t.csv", skip = 190, wrap = true }]'
    text = f'ssd = "small.toml"\n[grid]\nrequests = [10, 20]\ntrace = {traces}'
    results = wl.sweep(Spec.parse(text, folder=folder), jobs=1)
    assert [o["requests.all"] for o in results] == [10, 10, 20, 10]
    workloads = wl.sweep(
        Spec.parse(
            'ssd = "mqsim"\nrequests = 5\n[grid]\nworkload = ["fio/random-read", "ycsb/c"]\nssd = ["mqsim", "ida"]'
        ),
        jobs=1,
        store=Store(folder / "cache"),
    )
    assert workloads.values_of("workload") == ["fio/random-read", "ycsb/c"]
    assert workloads.values_of("ssd") == ["mqsim", "ida"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ssd = 'mqsim'\n[grid\n", "study.toml:"),
        ("workload = 'ycsb/c'\n", "study.toml: no `ssd`; name a preset"),
        ("ssd = 'mqsim'\n[gird]\n", "study.toml:2: unknown entry `gird`; did you mean `grid`?"),
        ("ssd = 'mqsim'\n[grid]\nhost.queue_depht = [1]\n", "study.toml:3: .*did you mean `host.queue_depth`"),
        ("ssd = 'mqsim'\n[set]\nssd.channels = 0\n", "study.toml:3: .*out of range"),
        ("ssd = 'mqsim'\n[grid]\nqueue_depth = 1\n", "study.toml:3: `queue_depth` is an axis: write its values in br"),
        ("ssd = 'mqsim'\n[[zip]]\nseed = [1]\nqueue_depth = [1, 2]\n", "study.toml:2: zipped axes have the same num"),
        ("ssd = 'mqsim'\nseeds = 0\n", "study.toml:2: `seeds` takes a whole number from 1 on"),
        ("ssd = 'mqsim'\nseeds = [1, 2, 1]\n", "study.toml:2: seeds = .1, 2, 1.: a seed comes twice"),
        ("ssd = 'mqsim'\ngrid = 3\n", "study.toml:2: `grid` takes a table of axes"),
        ("ssd = 'mqsim'\ntrace = 'a'\nworkload = 'b'\n", "study.toml:2: `trace` and `workload` exclude each other"),
        ("ssd = 'mqsim'\ntrace = { file = 'a' }\n", "study.toml:2: `trace` has no path"),
        ("ssd = 'mqsim'\ntrace = { path = 'a', wrapp = true }\n", "study.toml:2: `trace`: .*wrapp"),
        ("ssd = 'nothing'\n", "unknown preset `nothing`"),
    ],
)
def test_mistakes_name_their_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(WordlineError, match=message.replace("[1", r"\[1")):
        wl.sweep(tmp_path / "study.toml", jobs=1)
    answer = wordline("sweep", "study.toml", cwd=tmp_path)
    assert (answer.code, answer.out, (tmp_path / "out").exists()) == (2, "", False)


def test_keys_of_ssd_and_workload_are_axes_too() -> None:
    """`ssd` and `workload` are entries of the file and sections of the configuration."""
    text = "ssd = 'mqsim'\n[set]\nworkload.read_ratio = 0.5\n[grid]\nssd.channels = [2, 4]\nworkload.requests = [10]\n"
    points = Spec.parse(text).points()
    assert [point.settings for point in points] == [
        {"workload.read_ratio": 0.5, "ssd.channels": channels, "workload.requests": 10} for channels in (2, 4)
    ]


@pytest.mark.parametrize("text", ["ssd = 'mqsim'\nhost.queue_depth = 4\n", "[ssd]\nchannels = 4\n"])
def test_keys_have_a_table_of_their_own(text: str) -> None:
    with pytest.raises(WordlineError, match=r"write them below \[set\] as in \w+\.\w+ = …"):
        Spec.parse(text)


def test_the_command(folder: Path) -> None:
    answer = wordline("sweep", "study.toml", "--cache", "cache", "--set", "gc.d=4", cwd=folder)
    assert answer.code == 0, answer.err
    assert answer.out.split()[:5] == ["read.retry", "reliability.retry_steps", "host.time_scale", "IOPS", "MB/s"]
    # Below the table stands what its marks mean.
    assert len(answer.out.partition("\n±")[0].splitlines()) == 5
    assert "by 2 seeds" in answer.out
    table = pq.read_table(folder / "out" / "study" / "results.parquet")
    assert table.num_rows == 8
    assert set(table["seed"].to_pylist()) == {3, 4}
    again = wordline("sweep", "study.toml", "--cache", "cache", "--set", "gc.d=4", "--json", "--jobs", "1", cwd=folder)
    assert "8 points, 8 of them kept from before" in again.err
    points, means = json.loads(again.out)["points"], json.loads(again.out)["over_seeds"]
    iops = [[point["result"]["iops"]["all"] for point in points[place : place + 2]] for place in range(0, 8, 2)]
    # As many requests of each seed, over the time of both.
    of_both = [2 / sum(1 / each for each in pair) for pair in iops]
    assert [point["result"]["iops"]["all"] for point in means] == pytest.approx(of_both)
    assert [point["result"]["response_us"]["read"]["mean"] for point in points] == table[
        "response_us.read.mean"
    ].to_pylist()
    assert (folder / "out" / "study" / "study.toml").read_text() == STUDY


def test_a_point_that_fails_is_named_and_the_others_are_there(folder: Path) -> None:
    text = 'ssd = "small.toml"\nworkload = "fio/random-write"\nrequests = 100_000\n[set]\nprecondition.fill = 1.0\n'
    (folder / "full.toml").write_text(text + "[grid]\nreliability.grown_bad = [0.0, 0.5]\n")
    answer = wordline("sweep", "full.toml", "--cache", "cache", cwd=folder)
    assert answer.code == 1
    assert "1 of 2 points failed; the others are kept" in answer.err
    assert "reliability.grown_bad=0.5: the SSD is out of space" in answer.err
    assert pq.read_table(folder / "out" / "full" / "results.parquet")["reliability.grown_bad"].to_pylist() == [0.0]


def test_the_example_is_a_study() -> None:
    assert len(Spec.read(ROOT / "examples" / "retries.toml").points()) == 12


def test_nobody_answers(folder: Path) -> None:
    answer = wordline("sweep", "study.toml", "--dask", "nonsense://x", cwd=folder)
    assert answer.code == 2
    assert "--dask" in answer.err


needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="there is no distributed (the extra `dask`)"
)


def process(*arguments: str, cwd: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-W", "ignore", "-m", *arguments]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, cwd=cwd, env=environment(), start_new_session=True, **quiet)  # type: ignore[call-overload, no-any-return]


Cluster = tuple[Path, list["subprocess.Popen[bytes]"]]


@pytest.fixture
def cluster(folder: Path) -> Iterator[Cluster]:
    """A real scheduler and two workers, in processes of their own."""
    place = folder / "scheduler.json"
    local = ("--no-dashboard", "--scheduler-file", str(place))
    scheduler = process("distributed.cli.dask_scheduler", *local, "--host", "127.0.0.1", "--port", "0", cwd=folder)
    workers = []
    try:
        deadline = time.perf_counter() + 60
        while not place.exists():
            assert time.perf_counter() < deadline, "the scheduler does not start"
            time.sleep(0.1)
        options = (*local, "--nworkers", "1", "--nthreads", "1", "--host", "127.0.0.1", "--no-nanny")
        workers = [process("distributed.cli.dask_worker", *options, cwd=folder) for _ in range(2)]
        yield place, workers
    finally:
        for each in (*workers, scheduler):
            if each.poll() is None:
                os.killpg(each.pid, signal.SIGKILL)
            each.wait()


@needs_dask
def test_a_cluster_gives_the_same(folder: Path, cluster: Cluster) -> None:
    place, _ = cluster
    local = wordline("sweep", "study.toml", "--cache", "here", "--json", "--out", "a", cwd=folder)
    there = wordline("sweep", "study.toml", "--cache", "there", "--json", "--out", "b", "--dask", place, cwd=folder)
    assert there.code == 0, there.err
    assert "0 of them kept" in there.err
    assert without_wall(json.loads(local.out)) == without_wall(json.loads(there.out))
    assert len(list((folder / "there").rglob("*.point"))) == 8


@pytest.mark.verify
@needs_dask
def test_a_killed_cluster_worker_loses_nothing(folder: Path, cluster: Cluster) -> None:
    place, workers = cluster
    (folder / "long.toml").write_text(STUDY.replace("requests = 300", "requests = 300_000"))
    command = ["wordline.cli", "sweep", "long.toml", "--cache", "cache", "--dask", str(place)]
    sweep = process(*command, cwd=folder)
    deadline = time.perf_counter() + 120
    while len(kept := list((folder / "cache").rglob("*.point"))) < 2:
        assert time.perf_counter() < deadline
        time.sleep(0.05)
    times = {path: path.stat().st_mtime_ns for path in kept}
    os.killpg(workers[0].pid, signal.SIGKILL)
    assert sweep.wait(timeout=200) == 0
    assert len(list((folder / "cache").rglob("*.point"))) == 8
    assert all(path.stat().st_mtime_ns == time_ns for path, time_ns in times.items())


def test_a_sweep_says_what_its_points_warn_of(folder: Path) -> None:
    study = STUDY.replace("[set]", "[set]\nssd.scale = 0.5").replace("seeds = [3, 4]", "seeds = [3]")
    (folder / "part.toml").write_text(study)
    answer = wordline("sweep", folder / "part.toml", "--out", folder / "out", "--cache", folder / "cache")
    assert answer.code == 0, answer.err
    assert answer.err.count("ssd.scale = 1/2: ") == 1, "once, not for each point"


def test_the_table_of_a_sweep_is_sorted_and_compared_as_asked(folder: Path) -> None:
    options = ("--columns", "iops,read.p99", "--sort", "iops:desc", "--baseline", "read.retry=ideal")
    answer = wordline("sweep", "study.toml", "--cache", "kept", "--out", "out", *options, cwd=folder)
    assert answer.code == 0, answer.err
    head, *rows = answer.out.splitlines()
    assert head.split()[-4:] == ["IOPS", "read", "p99", "us"]
    assert "from that with read.retry=ideal" in answer.out
    iops = [float(row.split()[3].replace(",", "")) for row in rows[:4]]
    assert iops == sorted(iops, reverse=True)
    assert wordline("sweep", "study.toml", "--sort", "energy", cwd=folder).code == 2
