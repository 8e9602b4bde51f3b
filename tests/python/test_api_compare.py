"""Grids: the same results in the grid's order, however many processes there are."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

import wordline as wl
from api_helpers import reproducible, small

GRID = {"read.retry": ["ideal", "baseline"], "retry_steps": [0, 3]}
WORK = wl.workload("fio/random-mix", requests=2000)


@pytest.fixture(scope="module")
def alone() -> wl.Results:
    return wl.compare(small(), WORK, GRID, jobs=1)


def test_the_order_is_the_grids(alone: wl.Results) -> None:
    settings = [point.settings for point in alone]
    keys = ("read.retry", "reliability.retry_steps")
    assert settings == [
        dict(zip(keys, each, strict=True)) for each in (("ideal", 0), ("ideal", 3), ("baseline", 0), ("baseline", 3))
    ]
    assert alone[{"retry": "baseline", "retry_steps": 3}] is alone[3].result
    assert repr(alone) == "<wordline.Results 4 points: read.retry, reliability.retry_steps>"
    assert alone[3].result.read.mean > alone[2].result.read.mean
    assert alone[0].result.read.mean == alone[2].result.read.mean
    with pytest.raises(KeyError):
        alone[{"retry": "baseline"}]


def test_processes_change_nothing(alone: wl.Results) -> None:
    told: list[wl.PointsProgress] = []
    together = wl.compare(small(), WORK, GRID, jobs=2, progress=told.append)
    assert [reproducible(p.result) for p in together] == [reproducible(p.result) for p in alone]
    assert [p.settings for p in together] == [p.settings for p in alone]
    assert all(p.result.bins().equals(q.result.bins()) for p, q in zip(together, alone, strict=True))
    assert (told[0].done, told[-1].done, told[-1].total) == (0, 4, 4)
    assert told[-1].left_s == 0


def test_an_executor_does_the_work(alone: wl.Results) -> None:
    with ThreadPoolExecutor(1) as executor:
        made = wl.compare(small(), WORK, GRID, executor=executor)
    assert [reproducible(each.result) for each in made] == [reproducible(each.result) for each in alone]  # type: ignore[arg-type]


def test_a_point_is_what_a_run_gives(alone: wl.Results) -> None:
    for point in alone:
        single = wl.run(small().set_all(point.settings), WORK)
        assert reproducible(single) == reproducible(point.result)
        assert single.config_hash == point.result.config_hash
    assert len({point.result.config_hash for point in alone}) == 4


def test_the_grid_changes_the_workload_too() -> None:
    result = wl.compare(small(), WORK, {"workload.requests": [10, 20]}, jobs=1)
    assert [point.result.all.count for point in result] == [10, 20]


def test_tables(alone: wl.Results) -> None:
    frame = alone.to_pandas()
    assert frame["read.retry"].tolist() == ["ideal", "ideal", "baseline", "baseline"]
    assert frame["response_us.all.mean"].tolist() == [point.result.mean_response_us for point in alone]
    assert pl.DataFrame(alone).height == 4


def test_a_failing_point_ends_the_comparison() -> None:
    config = small().set("precondition.fill", 1.0)
    with pytest.raises(wl.errors.OutOfSpaceError):
        wl.compare(config, wl.workload("fio/random-write", requests=10**9), {"grown_bad": [0.5, 0.0]}, jobs=2)


def test_a_script_needs_no_guard() -> None:
    """Without care a new process would run the caller's script again."""
    script = (
        "import wordline as wl\n"
        "c = wl.compare(wl.preset('mqsim'), wl.workload('fio/random-read', requests=99), {'seed': [1, 2]}, jobs=2)\n"
        "print('points', len(c))\n"
    )
    done = subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("points 2\n", "", 0)
