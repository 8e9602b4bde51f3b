"""Claims over several seeds: means with intervals, and how surely they hold."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wordline.config import preset
from wordline.stats.interval import Interval
from wordline.stats.seeds import mean_interval
from wordline_papers import (
    Computation,
    Measurement,
    Outcome,
    Part,
    Point,
    Results,
    Store,
    Study,
    find,
    names,
    of_runs,
    reproduce,
)
from wordline_papers import entry as entries
from wordline_papers.claim_table import answer, here
from wordline_papers.claims import Verdict, all_claims
from wordline_papers.entry import Entry
from wordline_papers.figure import Figure
from wordline_papers.over_seeds import certainty, over_seeds, with_seed
from wordline_papers.reproduction import Reproduction
from wordline_papers.scoreboard import line

NUMBER, BOUND, ORDER = "pnar2.timing.tR", "pnar2.retry.1k_3mo.min", "rif.order"
SEEDS = 3


def claims(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """A mean read at random places, and a number that no draw decides."""
    return {NUMBER: float(rows[0]["response_us.read.mean"]), "pnar2.timing.tdma": 16.0}


READS = Part("reads", lambda _: [Point("pnar2", {"host.queue_depth": 8}, "fio/random-read", requests=200)])
TINY = Study("tiny", "a tiny study", ("pnar2",), (), (of_runs("reads", READS, claims=claims),))


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    return reproduce(TINY, quick=True, seeds=SEEDS, jobs=1, store=Store(tmp_path_factory.mktemp("points")))


def by_id(verdicts: Sequence[Verdict]) -> dict[str, Verdict]:
    return {verdict.claim.id: verdict for verdict in verdicts}


def test_a_claim_has_the_mean_of_the_seeds_and_its_interval(done: Reproduction) -> None:
    (point,) = READS.points(quick=True)
    alone = [reproduce(replace(TINY, figures=(figure(seed),)), quick=True, jobs=1) for seed in range(1, SEEDS + 1)]
    values = [by_id(each.verdicts)[NUMBER].measured for each in alone]
    assert len(set(values)) == SEEDS
    mean, low, high = mean_interval([float(value) for value in values if isinstance(value, float)])
    found = by_id(done.verdicts)[NUMBER]
    assert found.measured == mean
    assert found.interval == Interval(mean, low, high, "seeds", SEEDS)
    assert len(done.results) == 1
    assert done.results[0].coordinates == point.coordinates
    assert done.command == "wordline reproduce tiny --quick --seeds 3"


def test_further_seeds_run_only_what_claims_need(tmp_path: Path) -> None:
    drawn = Part("drawn", lambda _: [Point("pnar2", {"host.queue_depth": 4}, "fio/random-read", requests=200)])
    study = replace(TINY, figures=(*TINY.figures, Figure("drawn", (drawn,), lambda results: list(drawn.of(results)))))
    store = Store(tmp_path)
    done = reproduce(study, quick=True, seeds=SEEDS, jobs=1, store=store)
    assert len(done.results) == 2
    assert [table.figure.name for table in done.tables] == ["reads", "drawn"]
    assert len(list(store.folder.rglob("*.point"))) == SEEDS + 1


def test_what_keeps_its_seed_runs_once_without_a_store() -> None:
    own = Part("own", lambda _: [Point("pnar2", {"host.queue_depth": 8}, "fio/random-read", requests=200, seed=1)])
    made = []

    def rows(results: Results) -> list[Outcome]:
        made.append(results)
        return list(own.of(results))

    totals = set()
    study = replace(TINY, figures=(Figure("own", (own,), rows, claims, is_saved=False),))
    done = reproduce(study, quick=True, seeds=SEEDS, jobs=1, progress=lambda now: totals.add(now.total))
    assert totals == {1}
    assert len(made) == 1, "nor is its figure made again"
    assert by_id(done.verdicts)[NUMBER].interval is None


def test_a_full_run_has_the_seeds_of_its_study() -> None:
    study = replace(TINY, figures=(of_runs("reads", READS, claims=claims),), seeds=2)
    assert reproduce(study, jobs=1).seeds == 2
    assert reproduce(study, seeds=1, jobs=1).seeds == 1
    assert reproduce(study, quick=True, jobs=1).seeds == 1


def figure(seed: int):  # noqa: ANN201 - a figure of outcomes
    return of_runs("reads", Part("reads", lambda _: with_seed(READS.points(quick=True), seed)), claims=claims)


def test_what_no_draw_decides_has_no_interval(done: Reproduction) -> None:
    found = by_id(done.verdicts)["pnar2.timing.tdma"]
    assert (found.measured, found.interval, answer(found)) == (16.0, None, "yes")
    assert here(found) == "16 us"


def test_an_entry_keeps_the_intervals(done: Reproduction, tmp_path: Path) -> None:
    own = tuple(verdict for verdict in done.verdicts if verdict.study)
    kept = Entry("tiny", "a tiny study", True, 1, "c0", "s", own, (), done.seeds)
    (tmp_path / "papers" / "docs").mkdir(parents=True)
    entries.save(kept, tmp_path)
    read = entries.load(tmp_path)["tiny"]
    assert read.verdicts == own
    assert read.command == done.command
    text = line(by_id(read.verdicts)[NUMBER])
    assert " to " in text
    assert "NO, surely" in text


@pytest.mark.parametrize(
    ("claim", "mean", "low", "high", "expected"),
    [
        # 91 us, 0.5 us either way.
        (NUMBER, 91.0, 90.9, 91.1, "yes, surely"),
        (NUMBER, 91.4, 91.2, 91.6, "yes, barely"),
        (NUMBER, 91.6, 91.4, 91.8, "NO, barely"),
        (NUMBER, 91.8, 91.6, 92.0, "NO, surely"),
        (NUMBER, 92.0, 88.0, 96.0, "NO, barely"),
        # 8 steps or more.
        (BOUND, 8.5, 8.2, 8.8, "yes, surely"),
        (BOUND, 8.5, 7.9, 9.1, "yes, barely"),
        (BOUND, 7.5, 6.9, 8.1, "NO, barely"),
        (BOUND, 7.5, 7.2, 7.8, "NO, surely"),
    ],
)
def test_how_sure_an_answer_is(claim: str, mean: float, low: float, high: float, expected: str) -> None:
    interval = Interval(mean, low, high, "seeds", 5)
    assert answer(Verdict(all_claims()[claim], mean, expected.startswith("yes"), interval=interval)) == expected


def test_an_ordering_holds_if_it_does_for_every_seed() -> None:
    verdicts = [Verdict(all_claims()[ORDER], "holds", holds, study="rif") for holds in (True, True, False)]
    (always,) = over_seeds([[verdicts[0]], [verdicts[1]]])
    assert always == verdicts[0]
    (found,) = over_seeds([[verdict] for verdict in verdicts])
    assert (found.holds, found.note, certainty(found)) == (False, "holds for 2 of 3 seeds", "")


def test_only_what_has_no_seed_gets_another() -> None:
    points = [
        Point("mqsim", {}, "fio/random-read"),
        Point("mqsim", {}, "fio/random-read", seed=7),
        Point("mqsim", {"seed": 8}, "fio/random-read"),
        Computation(len),
        Computation(draw, {"sides": 6, "seed": 9}),
    ]
    found = with_seed(points, 2)
    assert found[1:] == points[1:]
    assert isinstance(found[0], Point)
    assert found[0].seed == 2


def draw(sides: int, seed: int = 1) -> dict[str, Any]:
    return {"drawn": float(seed * seed % sides)}


def count_sides(sides: int) -> dict[str, Any]:
    return {"sides": sides}


def test_a_computation_that_draws_gets_further_seeds(tmp_path: Path) -> None:
    its = {"sides": 6}
    die = Part("die", lambda _: [Computation(each, its, version=1) for each in (draw, count_sides)])
    study = replace(TINY, figures=(of_runs("die", die, claims=lambda rows: {NUMBER: rows[0]["drawn"]}),))
    store = Store(tmp_path)
    done = reproduce(study, seeds=SEEDS, jobs=1, store=store)
    found = by_id(done.verdicts)[NUMBER]
    assert found.measured == pytest.approx((1 + 4 + 3) / SEEDS)
    assert found.interval is not None
    assert len(list(store.folder.rglob("*.point"))) == SEEDS + 1
    # The first seed's results keep the place and the key that they have without further ones.
    assert [each.coordinates for each in done.results] == [each.coordinates for each in die.points(quick=False)]
    assert all(each.cached for each in reproduce(study, seeds=1, jobs=1, store=store).results)


def test_every_computation_that_draws_has_the_first_seed_if_none_is_given() -> None:
    drawing = {
        point.function: inspect.signature(point.function).parameters["seed"].default
        for name in names()
        for point in find(name).points(quick=True)
        if isinstance(point, Computation) and with_seed([point], 2) != [point]
    }
    assert {each.__module__.split(".")[1] for each in drawing} == {"aero", "pnar2", "rif"}
    assert set(drawing.values()) == {1}
    assert {preset(name)["seed"] for name in ("aero", "pnar2", "rif")} == {1}


def test_equal_numbers_have_no_interval_that_rounding_makes() -> None:
    verdict = Verdict(all_claims()["rif.predictor.accuracy"], 0.998503447583333, False, study="rif")
    mean, low, high = mean_interval([0.998503447583333] * 5)
    assert (mean, low == high) != (0.998503447583333, True), "else this number shows nothing"
    assert over_seeds([[verdict]] * 5) == [verdict]
