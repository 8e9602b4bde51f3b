"""The engine of sweeps: each point once, whatever is killed meanwhile, and the same results everywhere."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from string import capwords

import pytest

import wordline as wl
from api_helpers import reproducible, small, write_trace
from cli_runner import environment, wordline
from wordline.sweeps import (
    Computation,
    Point,
    PointsProgress,
    Results,
    Store,
    cross,
    grid,
    identity,
    run_points,
    seeds,
    zipped,
)
from wordline.sweeps.outcome import Values
from wordline.sweeps.store import DamagedPointError

WORK = wl.workload("fio/random-mix", requests=500)
AXES = cross(grid({"read.retry": ["ideal", "baseline"], "retry_steps": [0, 3]}), seeds(2))
POINTS = [Point(small(), settings, WORK, labels={"number": n}) for n, settings in enumerate(AXES)]


def texts(results: Results) -> list[str]:
    return [reproducible(o.result) for o in results if o.result is not None]


@pytest.fixture(scope="module")
def alone() -> Results:
    return run_points(POINTS, jobs=1)


def test_axes() -> None:
    assert [tuple(each.values()) for each in AXES[:3]] == [("ideal", 0, 1), ("ideal", 0, 2), ("ideal", 3, 1)]
    assert zipped({"pec": [0, 1], "retention_months": [3.0, 6.0]})[1] == {
        "reliability.pec": 1,
        "reliability.retention_months": 6.0,
    }
    assert seeds(2, first=7) == [{"seed": 7}, {"seed": 8}]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: grid({"pec": []}), "empty"),
        (lambda: zipped({"pec": [1], "seed": [1, 2]}), "same number"),
        (lambda: seeds(0), "at least 1"),
        (lambda: cross(seeds(1), seeds(2)), "two parts"),
        (lambda: grid({"pecc": [1]}), "did you mean"),
    ],
)
def test_axes_that_make_no_sense(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(wl.errors.ConfigError, match=message):
        make()


def test_a_point_is_a_run(alone: Results) -> None:
    outcome = alone.one({"read.retry": "baseline", "reliability.retry_steps": 3}, seed=2)
    single = wl.run(small(retry="baseline", retry_steps=3, seed=2), WORK)
    assert outcome.result is not None
    assert reproducible(outcome.result) == reproducible(single)
    assert outcome["response_us.read.mean"] == single.read.mean
    assert outcome.coordinates["seed"] == 2
    with pytest.raises(KeyError, match="nothing"):
        outcome["response_us.nothing"]


def test_selecting(alone: Results) -> None:
    assert len(alone.where({"read.retry": "ideal"})) == 4
    assert len(alone.where({"read.retry": "ideal"}, seed=1)) == 2
    assert alone.values_of("reliability.retry_steps") == [0, 3]
    assert alone.varying() == ["read.retry", "reliability.retry_steps", "seed", "number"]
    assert len(alone.where(nothing=None)) == 0
    with pytest.raises(KeyError, match="4 points"):
        alone.one({"read.retry": "ideal"})
    mean = alone.mean("iops.all")
    assert mean == pytest.approx(sum(o["iops.all"] for o in alone) / 8)
    assert mean == pytest.approx(alone.mean(lambda o: float(o["iops.all"])))
    assert alone.synthetic is True


def test_requests_and_seed_of_a_point(tmp_path: Path) -> None:
    point = Point("mqsim", {"blocks_per_plane": 64}, "fio/random-read", seed=5, requests=40)
    traced = Point(small(), workload=wl.trace(write_trace(tmp_path / "t.csv")), requests=30)
    results = run_points([point, traced], jobs=1)
    assert [o["requests.all"] for o in results] == [40, 30]
    assert results[0]["seed"] == 5
    assert results[0].coordinates == {
        "ssd": "mqsim",
        "ssd.blocks_per_plane": 64,
        "workload": "fio/random-read",
        "seed": 5,
        "requests": 40,
    }
    assert results.to_arrow()["workload"].to_pylist() == ["fio/random-read", "t.csv"]


def test_what_is_kept_is_what_was_measured(alone: Results, tmp_path: Path) -> None:
    store = Store(tmp_path)
    points = [replace(point, log_requests=True, timeline_us=(0.0, 500.0)) for point in POINTS[:2]]
    first = run_points(points, store=store, jobs=1)
    second = run_points(points, store=store, jobs=1)
    assert [o.cached for o in first] == [False, False]
    assert [o.cached for o in second] == [True, True]
    assert texts(first) == texts(second) == texts(alone[:2])
    for here, there in zip(first, second, strict=True):
        assert here.result is not None
        assert there.result is not None
        assert here.result.config == there.result.config
        for table in ("bins", "series", "requests", "timeline"):
            assert getattr(here.result, table)().equals(getattr(there.result, table)())


def test_each_point_is_run_once(tmp_path: Path) -> None:
    told: list[PointsProgress] = []
    store = Store(tmp_path)
    run_points(POINTS[:2], store=store, jobs=1)
    # The same point twice, under another label; the retry steps mean nothing to `ideal`, but are another point.
    twice = [*POINTS[:4], replace(POINTS[3], labels={"number": "again"})]
    results = run_points(twice, store=store, jobs=2, progress=told.append)
    assert len(list(tmp_path.rglob("*.point"))) == 4
    assert texts(results)[3] == texts(results)[4]
    assert (told[0].done, told[0].cached, told[-1].done, told[-1].total) == (2, 2, 5, 5)
    assert told[-1].left_s == 0.0


def test_a_changed_trace_is_another_point(tmp_path: Path) -> None:
    path, store = write_trace(tmp_path / "t.csv"), Store(tmp_path / "cache")
    point = Point(small(), workload=wl.trace(path))
    assert run_points([point], store=store)[0]["requests.all"] == 200
    (tmp_path / "folder").mkdir()
    copy = path.rename(tmp_path / "folder" / "t.csv")
    assert run_points([Point(small(), workload=wl.trace(copy))], store=store)[0].cached
    write_trace(copy, requests=100)
    assert run_points([Point(small(), workload=wl.trace(copy))], store=store)[0]["requests.all"] == 100


def test_a_damaged_file_is_run_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run_points(POINTS[:1], store=store, jobs=1)
    (file,) = tmp_path.rglob("*.point")
    whole = file.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], whole.replace(b"PK", b"KP"), whole + b"\n"):
        file.write_bytes(damaged)
        results = run_points(POINTS[:1], store=store, jobs=1)
        assert not results[0].cached
        assert len(results.warnings) == 1
        assert f"{file}: the file is damaged" in results.warnings[0]
    results = run_points(POINTS[:1], store=store, jobs=1)
    assert results[0].cached
    assert results.warnings == ()


def test_any_wrong_byte_of_a_kept_point_is_seen(tmp_path: Path) -> None:
    store, keys = Store(tmp_path), ("ab12", "ab34")
    store.prepare()
    for key in keys:
        store.put(key, Values({"mean_us": 91.0, "key": key}))
    assert store.get(keys[0]) == Values({"mean_us": 91.0, "key": keys[0]})
    whole = store.path(keys[0]).read_bytes()
    for place in range(len(whole)):
        for bit in (0x01, 0x80):
            store.path(keys[0]).write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
            with pytest.raises(DamagedPointError, match="damaged"):
                store.get(keys[0])
    store.path(keys[0]).write_bytes(store.path(keys[1]).read_bytes())
    with pytest.raises(DamagedPointError, match="its key"):
        store.get(keys[0])


def test_a_sweep_tells_of_a_damaged_point(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('ssd = "mqsim"\nworkload = "fio/random-mix"\nrequests = 100\nseeds = 2\n')
    assert "damaged" not in wordline("sweep", "s.toml", "--cache", "cache", cwd=tmp_path).err
    file = min((tmp_path / "cache").rglob("*.point"))
    whole = file.read_bytes()
    # The ZIP's method of packing.
    file.write_bytes(whole.replace(b"PK\x03\x04\x14\x00\x00\x00\x08", b"PK\x03\x04\x14\x00\x00\x00\x63", 1))
    assert file.read_bytes() != whole
    answer = wordline("sweep", "s.toml", "--cache", "cache", cwd=tmp_path)
    assert answer.code == 0
    assert "is damaged" in answer.err
    again = wordline("sweep", "s.toml", "--cache", "cache", cwd=tmp_path)
    assert "damaged" not in again.err
    assert "2 of them kept" in again.err


FULL = Point(small(), {"precondition.fill": 1.0, "grown_bad": 0.5}, wl.workload("fio/random-write", requests=10**6))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failing_point_names_itself_and_loses_no_other(jobs: int, tmp_path: Path) -> None:
    points = [POINTS[0], replace(FULL, labels={"number": "full"}), POINTS[1]]
    results = run_points(points, jobs=jobs, store=Store(tmp_path))
    assert [o.error is None for o in results] == [True, False, True]
    with pytest.raises(wl.errors.PointFailedError, match=r"(?s)1 of 3 points failed.*number=full, .*: the SSD"):
        results.raise_failures()
    assert len(list(tmp_path.rglob("*.point"))) == 2
    assert len(results.rows()) == 2
    with pytest.raises(wl.errors.OutOfSpaceError):
        run_points(points, jobs=jobs, stop_at_failure=True)


def test_a_mistake_is_found_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(wl.errors.OutOfRangeError, match="number=9"):
        run_points([*POINTS, Point(small(), {"ssd.channels": 0}, WORK, labels={"number": 9})], store=Store(tmp_path))
    assert not list(tmp_path.rglob("*.point"))


def test_computations_are_kept_too(tmp_path: Path) -> None:
    with pytest.raises(wl.errors.ConfigError, match="that a module defines"):
        run_points([Computation(lambda: {"a": 1})])
    with pytest.raises(wl.errors.ConfigError, match="not JSON"):
        run_points([Computation(Counter, {"a": object()})])
    # What is no dict cannot be kept: it is the point that fails.
    assert run_points([Computation(capwords, {"s": "a b"})], jobs=1)[0].error is not None
    counted = [Computation(Counter, {"a": 1, "b": 2}, {"name": "count"}, version=1)]
    for cached in (False, True):
        (outcome,) = run_points(counted, store=Store(tmp_path), jobs=1)
        assert outcome.cached is cached
        assert dict(outcome.document) == {"a": 1, "b": 2}
        assert outcome["b"] == 2
        assert outcome.synthetic is None
    for version in (2, None, None):
        other = replace(counted[0], version=version)
        assert not run_points([other], store=Store(tmp_path), jobs=1)[0].cached, "another version, or none"


def test_a_new_revision_runs_points_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for revision in (identity.REVISION, identity.REVISION + 1):
        monkeypatch.setattr(identity, "REVISION", revision)
        identity.build.cache_clear()
        for cached in (False, True):
            assert run_points(POINTS[:1], store=Store(tmp_path), jobs=1)[0].cached is cached
    identity.build.cache_clear()


def test_any_executor_gives_the_same(alone: Results, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as executor:
        results = run_points(POINTS, executor=executor, store=Store(tmp_path))
    assert texts(results) == texts(alone)
    assert all(o.cached for o in run_points(POINTS, store=Store(tmp_path)))


def test_processes_give_the_same(alone: Results) -> None:
    assert texts(run_points(POINTS, jobs=2)) == texts(alone)


SLOW = """
import sys, wordline as wl
from pathlib import Path
from wordline.sweeps import Point, Store, run_points, seeds
ssd = wl.preset("mqsim", blocks_per_plane=64)
points = [Point(ssd, s, wl.workload("fio/random-mix", requests={requests})) for s in seeds({count})]
def told(p):
    print(p.done, p.cached, flush=True)
run_points(points, store=Store(Path("cache")), jobs={jobs}, progress=told)
print("end", flush=True)
"""


def script(folder: Path, count: int = 8, jobs: int = 2, requests: int = 150_000) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SLOW.format(count=count, jobs=jobs, requests=requests)],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def children(process: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if int(fields[1]) == process and fields[0] != "Z" and b"spawn_main" in command:
                found.append(int(entry.name))
    return found


def wait_for_points(process: subprocess.Popen[str], count: int) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if int(line.split()[0]) >= count:
            return
    pytest.fail(f"ended early: {process.stderr.read() if process.stderr else ''}")


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")


@needs_proc
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    process = script(tmp_path)
    wait_for_points(process, 3)
    process.kill()
    process.communicate(timeout=60)
    deadline = time.perf_counter() + 20
    while children(process.pid):
        assert time.perf_counter() < deadline
    kept = len(list((tmp_path / "cache").rglob("*.point")))
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.point")}
    assert kept >= 3
    again = script(tmp_path)
    out, err = again.communicate(timeout=120)
    first, *_, last, end = out.splitlines()
    assert (first, last, end, err) == (f"{kept} {kept}", f"8 {kept}", "end", "")
    assert all(path.stat().st_mtime_ns == time_ns for path, time_ns in times.items())


@needs_proc
def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    process = script(tmp_path)
    wait_for_points(process, 2)
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.point")}
    os.kill(children(process.pid)[0], signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert (out.splitlines()[-1], err, process.returncode) == ("end", "", 0)
    files = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.point")}
    assert len(files) == 8
    assert kept.items() <= files.items()


@needs_proc
def test_the_next_point_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    store, key = Store(tmp_path), "ab12"
    store.prepare()
    folder = store.path(key).parent
    folder.mkdir()
    left = folder / f".ab99.point.{platform.node()}.4194304.partial"
    live = folder / f".ab98.point.{platform.node()}.4194303.partial"
    others = [folder / ".ab97.point.another-host.17.partial", folder / "ab96.partial"]
    for path in (left, live, *others):
        path.write_bytes(b"half")
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import fcntl; f = open({str(live)!r}); fcntl.flock(f, fcntl.LOCK_EX); print(1, flush=True); input()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline()
        store.put(key, Values({"a": 1}))
        assert sorted(folder.iterdir()) == sorted([live, store.path(key), *others])
        holder.communicate(b"\n")
    assert store.get(key) == Values({"a": 1})


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    process = script(tmp_path, requests=400_000)
    wait_for_points(process, 2)
    begun = time.perf_counter()
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    took_s = time.perf_counter() - begun
    assert "KeyboardInterrupt" in err
    assert err.count("Traceback") == 1, err
    assert took_s < 5
    assert len(list((tmp_path / "cache").rglob("*.point"))) >= 2
    assert not children(process.pid)


def test_the_store_says_what_it_is(tmp_path: Path) -> None:
    store = Store(tmp_path / "a" / "b")
    run_points(POINTS[:1], store=store, jobs=1)
    assert (store.folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
    assert not list(tmp_path.rglob("*.partial"))


def test_rows_with_different_columns() -> None:
    from wordline.tables import of_rows

    table = of_rows([{"a": 1, "b": "x"}, {"a": 2.5, "c": None}, {"b": 3}])
    assert table.to_pydict() == {
        "a": [1.0, 2.5, None],
        "b": ["x", None, "3"],
        "c": [None, None, None],
    }
