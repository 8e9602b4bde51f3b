"""Several seeds: means with intervals, paired differences, and what tables say of them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.stats.comparison import Change, change
from wordline.stats.seeds import aggregate, mean_interval

CONFIG = ("pec", 1000), ("retention_months", 3)


@pytest.fixture(scope="module")
def worn() -> wl.Config:
    return wl.preset("pnar2", **dict(CONFIG))


@pytest.fixture(scope="module")
def comparison(worn: wl.Config) -> wl.Results:
    workload = wl.workload("ycsb/a", requests=400)
    return wl.compare(worn, workload, {"read.retry": ["pnar2", "baseline"]}, seeds=3, jobs=1)


def test_the_interval_of_a_mean_is_student_s() -> None:
    mean, low, high = mean_interval([1.0, 2.0, 3.0])
    assert (mean, low, high) == pytest.approx((2.0, 2 - 4.303 / math.sqrt(3), 2 + 4.303 / math.sqrt(3)), abs=1e-3)
    assert mean_interval([5.0]) == (5.0, None, None)


def test_every_number_is_the_mean_over_the_seeds(worn: wl.Config, comparison: wl.Results) -> None:
    workload = wl.workload("ycsb/a", requests=400)
    alone = [wl.run(worn.set_all({"read.retry": "pnar2", "seed": seed}), workload) for seed in (1, 2, 3)]
    result = comparison[0].result
    for path in ("response_us.read.std", "read_retry.mean_steps", "die_utilisation.mean"):
        values = [_dig(each.document, path) for each in alone]
        interval = result.interval(path)
        assert interval is not None
        assert interval.value == pytest.approx(sum(values) / 3)
        assert (interval.low, interval.high) == pytest.approx(mean_interval(values)[1:])
    assert sum(result.bins()["count"].to_pylist()) == sum(sum(each.bins()["count"].to_pylist()) for each in alone)
    assert result.document["uncertainty"]["seeds"] == [1, 2, 3]


def test_differences_are_paired_by_seed(comparison: wl.Results) -> None:
    first, second = (point.result.document for point in comparison)
    found = change(first, second, "response_us.read.mean")
    assert found is not None
    assert found.method == "paired seeds"
    assert found.is_separated
    by_seed = [each["uncertainty"]["values"]["response_us"]["read"]["mean"]["by_seed"] for each in (first, second)]
    differences = [b - a for a, b in zip(*by_seed, strict=True)]
    assert (found.low, found.high) == pytest.approx(mean_interval(differences)[1:])


def test_without_seeds_the_intervals_decide(worn: wl.Config) -> None:
    # The same cells under other requests.
    runs = [wl.run(worn, wl.workload("fio/random-read", requests=10_000, seed=seed)) for seed in (1, 2)]
    found = change(runs[0].document, runs[1].document, "response_us.read.mean")
    assert found is not None
    assert found.method == "independent intervals"
    assert found.is_separated is False
    assert change(runs[0].document, runs[1].document, "die_utilisation.mean").is_separated is None  # type: ignore[union-attr]


def test_runs_of_the_same_requests_are_compared_in_pairs(worn: wl.Config) -> None:
    """Both wait at the same requests, so that a difference of a fifth of a percent is told from chance."""
    reads = wl.workload("fio/random-read", requests=10_000)
    ours, theirs = (wl.run(worn.set("ecc.decode_us", time_us), reads).document for time_us in (20.0, 12.0))
    for path in ("response_us.read.mean", "iops.all"):
        found, alone = change(ours, theirs, path), change(ours, _without_waves(theirs), path)
        assert found is not None
        assert alone is not None
        assert (found.method, alone.method) == ("paired batches", "independent intervals")
        assert found.is_separated
        assert found.half_width < alone.half_width / 2  # type: ignore[operator]


def test_results_without_waves_are_compared_by_their_intervals(worn: wl.Config) -> None:
    """As results of earlier versions are."""
    run = wl.run(worn, wl.workload("fio/random-read", requests=10_000)).document
    found = change(run, _without_waves(run), "response_us.read.mean")
    assert found is not None
    assert found.method == "independent intervals"
    assert found.verdict == "not separated"


def test_an_end_that_is_not_known_leaves_it_unknown() -> None:
    """Unless the other end tells the two apart."""
    ends = {
        (None, None): "unknown",
        (None, 3.0): "unknown",
        (-1.0, None): "unknown",
        (-1.0, 3.0): "not separated",
        (1.0, None): "separated",
        (None, -1.0): "separated",
    }
    for (low, high), verdict in ends.items():
        assert Change(1.0, 2.0, low, high, "independent intervals").verdict == verdict
    assert Change(1.0, 2.0, None, None, None).is_separated is None
    assert Change(2.0, 2.0, None, None, None).verdict == "not separated"


def _without_waves(document: Any) -> Any:  # noqa: ANN401 - JSON
    if not isinstance(document, dict):
        return document
    return {name: _without_waves(each) for name, each in document.items() if name != "by_wave"}


def test_parts_that_some_seeds_lack_have_no_interval() -> None:
    document: dict[str, Any] = {
        "seed": 1, "options": {}, "uncertainty": {}, "steady": {"response_us": None}, "warnings": ["a"],
        "wall_s": 1.0, "ecc_time_us": [1, 2], "power": {"x": 1.0}, "wordline": "n",
    }  # fmt: skip
    other = {**document, "seed": 2, "ecc_time_us": [3], "power": {"x": None}, "warnings": ["b"], "wall_s": 2.0}
    found: Any = aggregate([document, other])
    assert (found["wall_s"], found["ecc_time_us"], found["power"]["x"]) == (3.0, [2.0, 2], 1.0)
    assert found["uncertainty"]["values"]["power"]["x"]["low"] is None
    assert found["warnings"] == ["a", "b"]


def test_the_command_line_shows_seeds_and_keeps_their_runs(tmp_path: Path) -> None:
    args = ("compare", "pnar2", "-w", "ycsb/a", "-s", "workload.requests=300", "-s", "reliability.pec=0,1000")
    first = wordline(*args, "--seeds", "2", "--cache", tmp_path / "cache", "--jobs", "1")
    assert first.code == 0, first.err
    assert "interval, by 2 seeds" in first.out
    kept = len(list((tmp_path / "cache").rglob("*.point")))
    assert kept == 4
    again = wordline(*args, "--seeds", "2", "--cache", tmp_path / "cache", "--jobs", "1")
    assert again.out == first.out
    out = tmp_path / "out"
    run = wordline("run", "pnar2", "-w", "ycsb/a", "-s", "workload.requests=300", "--seeds", "2", "--out", out)
    assert run.code == 0, run.err
    assert json.loads((out / "result.json").read_text())["options"]["seeds"] == [1, 2]
    assert wordline("rerun", out, "--jobs", "1").out.startswith("every number is the same")


def test_a_seed_that_makes_no_sense_is_refused(worn: wl.Config) -> None:
    with pytest.raises(wl.errors.ConfigError, match="at least 1"):
        wl.replicate(worn, seeds=[])
    with pytest.raises(wl.errors.ConfigError, match="comes twice"):
        wl.replicate(worn, seeds=[1, 1])
    with pytest.raises(wl.errors.ConfigError, match="axis of the grid"):
        wl.compare(worn, None, {"seed": [1, 2]}, seeds=2)


def _dig(document: dict[str, object], path: str) -> float:
    place: object = document
    for step in path.split("."):
        place = place[step]  # type: ignore[index]
    return float(place)  # type: ignore[arg-type]
