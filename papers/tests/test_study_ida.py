"""The study of IDA: what must come out exactly, and that its grid makes sense."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest

from wordline_papers import Part, Point, Store, run_points
from wordline_papers.claims import all_claims, judge
from wordline_papers.ida import closed_form, exact, fit, gains, pace, points, setups
from wordline_papers.study import measured


def test_what_is_exact_comes_out() -> None:
    results = run_points([*exact.lone.points(quick=True), *exact.refresh.points(quick=True)], jobs=1)
    results.raise_failures()
    found = measured([figure.table(results) for figure in exact.FIGURES])
    wanted = {name for name, claim in all_claims().items() if claim.paper == "ida" and claim.kind == "exact"}
    assert set(found) == wanted
    for name, value in found.items():
        assert judge(all_claims()[name], value), f"{name}: {value}"


def test_every_workload_of_the_paper_is_there_and_scaled() -> None:
    assert len(setups.NAMES) == 11
    for name in setups.NAMES:
        assert setups.scaled(name)["workload.footprint_bytes"] < setups.footprint(name)


def test_systems_of_a_part_differ_in_nothing_but_refresh_and_coding(monkeypatch: pytest.MonkeyPatch) -> None:
    base, *others = short(monkeypatch, points.FIG_8, ["usr_1"], 1_000)
    for point in others:
        changed = {key for key, value in point.settings.items() if base.settings.get(key) != value}
        assert changed <= {"coding.policy", "coding.ida_error_rate"}


def test_every_part_passes_its_checks_with_power_cuts(points_folder: Path) -> None:
    results = run_points(exact.shortened.points(quick=True), jobs=1, store=Store(points_folder))
    results.raise_failures()
    assert {row.of["of"] for row in exact.checks(results)} == {part.name for part in exact.PARTS}
    for outcome in results:
        assert outcome["runs"] == 2 + len(exact.CUTS)
        assert outcome["cuts"] == len(exact.CUTS), "every cut comes while the run goes on"
        merges = outcome.coordinates["settings"].get("coding.policy") == "ida"
        assert (outcome["adjusted_wordlines"] > 0) == merges
    assert sum(row.of["programs_cut_off"] for row in exact.checks(results)) > len(results)


def test_what_is_invalid_at_the_refresh_is_as_in_table_iv() -> None:
    means = [setups.invalid_at_refresh(name) for name in setups.NAMES]
    assert round(192 * (1 - sum(means) / len(means)), 1) == 117.8


NAMES = ("proj_4", "src1_1", "usr_1")


def short(patch: pytest.MonkeyPatch, part: Part, names: Sequence[str] = NAMES, requests: int = 4_000) -> list[Point]:
    """The points of a part in other short runs."""
    patch.setattr(points, "QUICK_NAMES", names)
    patch.setattr(points, "QUICK_REQUESTS", requests)
    return [point for point in part.points(quick=True) if isinstance(point, Point)]


def test_each_workload_has_its_load_in_the_runs_that_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    found = short(monkeypatch, points.FIG_8)
    results = run_points([p for p in found if p.labels["system"] == "baseline"], jobs=1)
    for outcome in results:
        assert abs(gains.load(outcome) - points.LOADS[outcome.coordinates["trace"]]) < pace.WITHIN


def test_a_load_may_count_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    total = points.part("total", points.PAIR, counted="all", loads=dict.fromkeys(NAMES, 0.4))
    results = run_points([p for p in short(monkeypatch, total) if p.labels["system"] == "baseline"], jobs=1)
    assert all(abs(gains.load(o, "all") - 0.4) < pace.WITHIN for o in results)
    assert max(gains.load(o) for o in results) < 0.4


def test_the_fit_finds_the_load_of_a_saving(monkeypatch: pytest.MonkeyPatch) -> None:
    # Chips that are held for half of the time at the trace's pace, and a saving in proportion.
    monkeypatch.setattr(pace, "load", lambda _ssd, _keys, _name, _requests, scale, _counted: 0.5 / scale)
    monkeypatch.setattr(fit, "saving", lambda _name, _keys, scale: 0.3 * 0.5 / scale)
    assert [fit.load("hm_1", saved) for saved in (0.15, 0.24)] == pytest.approx([0.5, 0.8], abs=0.001)
    assert fit.load("hm_1", 0.0) == fit.BOUNDS[0], "what every load saves, the lowest saves"
    assert {name: fit.wanted(name) for name in ("proj_1", "src2_0")} == {"proj_1": 0.308, "src2_0": 0.034}
    assert set(points.LOADS) == set(setups.NAMES)


def test_a_load_that_is_not_met_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "STEPS_MAX", 1)
    with pytest.raises(ValueError, match="out of reach"):
        short(monkeypatch, points.FIG_8, ["usr_1"], 2_000)


def test_no_chip_has_more_to_read_unless_what_was_rewritten_ends_on_the_same_chips() -> None:
    def busiest(pages: int) -> float:
        its = setups.updated("hm_1", extent_pages=pages)
        arrivals = {"host.mode": "open", "host.time_scale": 0.001}
        keys = {**setups.CHIP_SERVERS, **setups.BASELINE, **points.filled("hm_1"), **setups.scaled("hm_1")}
        point = Point("ida", {**keys, **its, **arrivals}, setups.full("hm_1"), requests=20_000)
        (outcome,) = run_points([point], jobs=1)
        reads = [link["cor"] for link in outcome["channel_time.channels"]]
        return float(max(reads) / statistics.fmean(reads))

    assert busiest(8) > 1.08
    assert busiest(setups.EXTENT_PAGES) < 1.04
    assert math.gcd(setups.EXTENT_PAGES, 16) == 1


def test_the_closed_form_is_what_a_queue_of_one_chip_does() -> None:
    # 50, 100, 150 us and 48 us: by hand.
    reads = closed_form.plain("tlc", (50.0, 100.0, 125.0, 150.0))
    assert closed_form.mean_us(reads) == pytest.approx(148.0)
    arrivals = 0.78 / 148.0
    square = (98.0**2 + 148.0**2 + 198.0**2) / 3
    assert closed_form.response_us(reads, arrivals) == pytest.approx(arrivals * square / 2 / 0.22 + 148.0 + 20.0)
    after = closed_form.refreshed("tlc", (50.0, 100.0, 125.0, 150.0), 0.0, 0.6)
    assert sum(share for share, _ in after) == pytest.approx(1.0)
    # Senses take 83 us instead of 100, whatever is valid: what was an LSB 100 us, a CSB and an MSB together 150 us.
    assert closed_form.mean_us(after) == pytest.approx(48.0 + (100.0 + 150.0) / 3)
    cases = closed_form.cases(dict.fromkeys(setups.NAMES, 0.78), points.ERROR_RATES, points.STEPS_US)
    assert cases[0].gain == pytest.approx(0.311, abs=0.001)
