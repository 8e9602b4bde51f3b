"""Fingerprints of studies: the same in whatever way results are computed, another one when a result changes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
import wordline_papers as studies
from api_helpers import small
from wordline.record.schema import numbers
from wordline.sweeps.outcome import Values
from wordline_papers import (
    Computation,
    Figure,
    Measured,
    Measurement,
    Part,
    Point,
    Results,
    Store,
    Study,
    fingerprint,
    measured,
    run_points,
)
from wordline_papers.device import calibration
from wordline_papers.ofwar.exact import SMALL

# The first takes longer than all others together.
POINTS: list[Point | Computation] = [
    Point(small(), {"queue_depth": n}, "fio/random-mix", requests=requests, log_requests=True, labels={"at": (1, 2)})
    for n, requests in ((1, 20_000), (2, 300), (4, 300))
]
POINTS += [
    Computation(calibration.sense, version=1),
    Computation(calibration.steps, {"cycles": 1000, "months": 3, "blocks": 1}, version=1),
]


@dataclass(frozen=True)
class Time:
    """A row."""

    us: float


STUDY = Study("empty", "Nothing", (), (), ())


@pytest.fixture(scope="module")
def results() -> Results:
    return run_points(POINTS, jobs=1)


def of_results(results: Results, study: Study = STUDY) -> str:
    return fingerprint.of_content(fingerprint.content(study, results))


def test_it_does_not_depend_on_how_results_come_about(results: Results, tmp_path: Path) -> None:
    wanted = of_results(results)
    store = Store(tmp_path / "store")
    done: list[int] = []
    assert of_results(run_points(POINTS, jobs=2, store=store)) == wanted
    kept = run_points(POINTS, jobs=1, store=store, progress=lambda now: done.append(now.cached))
    assert done[-1] == len(POINTS)
    assert of_results(kept) == wanted
    with ThreadPoolExecutor(4) as pool:
        assert of_results(run_points(POINTS, executor=pool)) == wanted
    backwards = run_points(POINTS[::-1], jobs=1)
    assert of_results(backwards) == wanted


def changed(results: Results, number: int, change: Callable[[dict[str, Any]], object]) -> str:
    """The fingerprint with another document of one point."""
    outcomes = list(results)
    document = copy.deepcopy(dict(outcomes[number].document))
    change(document)
    result = outcomes[number].result
    if result is None:
        outcomes[number] = replace(outcomes[number], values=Values(document))
    else:
        outcomes[number] = replace(outcomes[number], result=replace(result, document=document))
    return of_results(Results(outcomes))


def test_it_leaves_out_what_is_not_measured(results: Results) -> None:
    wanted = of_results(results)
    assert changed(results, 0, lambda document: document.update(wall_s=1e9, wall_requests_per_s=1.0)) == wanted
    assert changed(results, 0, lambda document: document.update(wordline="9.9", config_hash="another")) == wanted
    assert changed(results, 0, lambda document: document.update(warnings=["mind the gap"])) == wanted
    assert changed(results, 0, lambda document: document.update(energy_mj=3.0)) == wanted
    assert changed(results, 0, lambda document: document["counters"]["ftl"].update(folded=7)) == wanted
    late = Results([replace(outcome, wall_s=9.0, cached=True) for outcome in results])
    assert of_results(late) == wanted
    first = results[0]
    assert isinstance(first.point, Point)
    renamed = replace(first, point=replace(first.point, labels={"at": (1, 3)}))
    assert of_results(Results([renamed, *results[1:]])) == wanted


def test_it_changes_with_every_result(results: Results) -> None:
    found = {of_results(results)}

    def response(document: dict[str, Any]) -> None:
        # The last binary digit.
        document["response_us"]["all"]["mean"] *= 1.0 + 2.0**-52

    found.add(changed(results, 0, response))
    found.add(changed(results, 1, lambda document: document["gc"].update(jobs=document["gc"]["jobs"] + 1)))
    found.add(changed(results, 1, lambda document: document["channel_time"]["channels"][0].update(cor=0.5)))
    found.add(changed(results, 1, lambda document: document.pop("gc")))
    first = results[0]
    assert first.result is not None
    columns = copy.deepcopy(first.result.columns)
    kind, data, words = columns["bins"]["count"]
    columns["bins"]["count"] = (kind, bytes([data[0] ^ 1]) + data[1:], words)
    found.add(of_results(Results([replace(first, result=replace(first.result, columns=columns)), *results[1:]])))
    found.add(of_results(results[:-1]))
    assert len(found) == 7


def test_it_covers_rows_and_claims(results: Results) -> None:
    def figure(name: str, us: float, *, is_drawn: bool = True) -> Study:
        draw = (lambda _, sheet: sheet()[0].plot([1, 2])) if is_drawn else None
        return replace(STUDY, figures=(Figure(name, (), lambda _: [Time(us)], draw=draw),))

    def claim(measured: Measurement) -> Study:
        check = Figure("check", (), lambda _: [Time(1.0)], lambda _: {"pnar2.timing.tR": measured}, is_saved=False)
        return replace(STUDY, figures=(check,))

    every = (STUDY, figure("fig1", 1.0), figure("fig1", 1.1), figure("fig2", 1.0), claim(91.0), claim(92.0))
    found = [of_results(results, study) for study in every]
    assert len(set(found)) == 6
    # A table may become a figure, and a claim may be explained in other words.
    assert of_results(results, figure("fig1", 1.0, is_drawn=False)) == found[1]
    assert of_results(results, claim(Measured(91.0, note="otherwise"))) == found[4]


def test_views_and_their_points_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    used, spare = Part("used", lambda _: POINTS[1:2]), Part("spare", lambda _: POINTS[2:3])
    figure = Figure("fig1", (used,), lambda _: [Time(1.0)])
    view = Figure("view", (used, spare), lambda _: [Time(2.0)], is_view=True)
    seen: list[int] = []

    def run(points: list[Point | Computation], **_: object) -> Results:
        seen.append(len(points))
        return Results([])

    monkeypatch.setattr(fingerprint, "run_points", run)
    plain, shown = (replace(STUDY, figures=its) for its in ((figure,), (figure, view)))
    assert fingerprint.of_study(shown) == fingerprint.of_study(plain)
    assert seen == [1, 1]
    assert len(shown.points(quick=True)) == 2
    with pytest.raises(wl.errors.StudyError, match="a view measures no claims"):
        Figure("view", (), lambda _: [], lambda _: {"pnar2.timing.tR": 91.0}, is_view=True)


def test_a_star_stands_for_each_item() -> None:
    found = measured.values({"channel_time": {"channels": [{"cor": 1}, {"cor": 2}]}, "gc": {"jobs": 3}, "power": None})
    assert found == {"channel_time.channels.0.cor": 1, "channel_time.channels.1.cor": 2, "gc.jobs": 3}


def test_what_is_covered_is_in_the_form_of_a_result() -> None:
    assert set(measured.covered()["numbers"]) <= {each.path for each in numbers() if each.is_measured}


def test_every_covered_value_is_in_a_document() -> None:
    slow = wl.workload("fio/random-write", requests=400, inter_arrival_us=120.0)
    cut = wl.preset("ofwar").set_all({**SMALL, "power.cut_at_s": 0.02, "power.off_h": 1.0})
    shut = wl.preset("ofwar").set_all({**SMALL, "power.shutdown_at_s": 0.03})
    cached = small().set("cache.mode", "write")
    found: set[str] = set()
    for result in (
        wl.run(cut, slow),
        wl.run(shut, slow),
        wl.run(cached, slow, log_requests=True, timeline_us=(0, 9e9)),
    ):
        found |= measured.values(result.document).keys() | measured.columns(result.columns).keys()
    names = [*measured.covered()["numbers"], *measured.covered()["columns"]]
    items = {"flows.*": "flows.fio/random-write", "channels.*": "channels.0"}
    for star, item in items.items():
        names = [name.replace(star, item) for name in names]
    assert {*names} <= found


def test_nine_digits_count_of_what_python_computes(results: Results) -> None:
    number = len(POINTS) - 1
    mean = results[number]["mean"]
    assert mean > 1.0
    wanted = of_results(results)
    assert changed(results, number, lambda document: document.update(mean=mean * (1.0 + 2.0**-52))) == wanted
    assert changed(results, number, lambda document: document.update(mean=mean * (1.0 + 1e-8))) != wanted


def test_short_forms_are_those_without_traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = studies.find("ofwar")
    monkeypatch.setenv("WORDLINE_TRACES", str(tmp_path))
    without = [str(point) for point in study.points(True)]
    (tmp_path / "financial1_head.ascii").write_text("0 0 8 8 0\n1000 0 16 8 0\n")
    assert [str(point) for point in study.points(True)] != without
    seen: list[str] = []

    def run(points: list[Point | Computation], **options: object) -> Results:
        seen.extend(str(point) for point in points)
        assert options == {"jobs": 1, "progress": None}
        return Results([])

    monkeypatch.setattr(fingerprint, "run_points", run)
    bare = replace(STUDY, figures=(Figure("all", study.parts, lambda _: [], is_saved=False),))
    assert fingerprint.of_study(bare, jobs=1) == fingerprint.ShortForm(of_results(Results([])))
    assert seen == without
    assert [str(point) for point in study.points(True)] != without, "and the setting is back"


def test_what_failed_has_none(tmp_path: Path) -> None:
    part = Part("one", lambda _: [Point(small(), workload=wl.trace(tmp_path / "not-there.csv"))])
    with pytest.raises(wl.errors.PointFailedError, match="not-there"):
        fingerprint.of_study(replace(STUDY, figures=(Figure("all", (part,), lambda _: []),)), jobs=1)
