"""Fingerprints of what studies give: the same however results come about, another one when a result changes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from api_helpers import small, write_trace
from wordline import studies
from wordline.studies import Computation, Point, Results, Store, fingerprint, run_points
from wordline.studies.outcome import Values

HERE = "wordline.studies.device.reads:"
# The first takes longer than all others together.
POINTS: list[Point | Computation] = [
    Point(small(), {"queue_depth": n}, "fio/random-mix", requests=requests, log_requests=True, labels={"at": (1, 2)})
    for n, requests in ((1, 20_000), (2, 300), (4, 300))
]
POINTS += [Computation(f"{HERE}sense"), Computation(f"{HERE}steps", {"cycles": 1000, "months": 3, "blocks": 1})]


@pytest.fixture(scope="module")
def results() -> Results:
    return run_points(POINTS, jobs=1)


def test_it_does_not_depend_on_how_results_come_about(results: Results, tmp_path: Path) -> None:
    wanted = fingerprint.of_results(results)
    store = Store(tmp_path / "store")
    done: list[int] = []
    assert fingerprint.of_results(run_points(POINTS, jobs=2, store=store)) == wanted
    kept = run_points(POINTS, jobs=1, store=store, progress=lambda now: done.append(now.cached))
    assert done[-1] == len(POINTS)
    assert fingerprint.of_results(kept) == wanted
    with ThreadPoolExecutor(4) as pool:
        assert fingerprint.of_results(run_points(POINTS, executor=pool)) == wanted
    backwards = run_points(POINTS[::-1], jobs=1)
    assert fingerprint.of_results(backwards[::-1]) == wanted


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
    return fingerprint.of_results(Results(outcomes))


def test_it_does_not_depend_on_clock_and_build(results: Results) -> None:
    wanted = fingerprint.of_results(results)
    assert changed(results, 0, lambda document: document.update(wall_s=1e9, wall_requests_per_s=1.0)) == wanted
    assert changed(results, 0, lambda document: document.update(wordline="9.9", config_hash="another")) == wanted
    late = Results([replace(outcome, wall_s=9.0, cached=True) for outcome in results])
    assert fingerprint.of_results(late) == wanted


def test_it_changes_with_every_result(results: Results) -> None:
    found = {fingerprint.of_results(results)}

    def response(document: dict[str, Any]) -> None:
        # The last binary digit.
        document["response_us"]["all"]["mean"] *= 1.0 + 2.0**-52

    found.add(changed(results, 0, response))
    found.add(changed(results, 1, lambda document: document["gc"].update(jobs=document["gc"]["jobs"] + 1)))
    first = results[0]
    assert first.result is not None
    columns = copy.deepcopy(first.result.columns)
    kind, data, words = columns["bins"]["count"]
    columns["bins"]["count"] = (kind, bytes([data[0] ^ 1]) + data[1:], words)
    found.add(
        fingerprint.of_results(Results([replace(first, result=replace(first.result, columns=columns)), *results[1:]]))
    )
    assert isinstance(first.point, Point)
    point = replace(first.point, labels={"at": (1, 3)})
    found.add(fingerprint.of_results(Results([replace(first, point=point), *results[1:]])))
    found.add(fingerprint.of_results(Results([results[1], results[0], *results[2:]])))
    found.add(fingerprint.of_results(results[:-1]))
    assert len(found) == 7


def test_nine_digits_count_of_what_python_computes(results: Results) -> None:
    number = len(POINTS) - 1
    mean = results[number]["mean"]
    assert mean > 1.0
    wanted = fingerprint.of_results(results)
    assert changed(results, number, lambda document: document.update(mean=mean * (1.0 + 2.0**-52))) == wanted
    assert changed(results, number, lambda document: document.update(mean=mean * (1.0 + 1e-8))) != wanted


def test_real_traces_do_not_count(results: Results, tmp_path: Path) -> None:
    (replayed,) = run_points([Point(small(), workload=wl.trace(write_trace(tmp_path / "hm.csv")))], jobs=1)
    assert replayed.synthetic is False
    assert fingerprint.of_results(Results([replayed, *results])) == fingerprint.of_results(results)


def test_short_forms_are_those_without_traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = studies.find("ofwar")
    monkeypatch.setenv("WORDLINE_TRACES", str(tmp_path))
    without = [str(point) for point in study.grid(True)]
    (tmp_path / "financial1_head.ascii").write_text("0 0 8 8 0\n1000 0 16 8 0\n")
    assert [str(point) for point in study.grid(True)] != without
    seen: list[str] = []

    def run(points: list[Point | Computation], **options: object) -> Results:
        seen.extend(str(point) for point in points)
        assert options == {"jobs": 1, "store": None, "progress": None}
        return Results([])

    monkeypatch.setattr(fingerprint, "run_points", run)
    assert fingerprint.of_study(study, jobs=1) == fingerprint.of_results(Results([]))
    assert seen == without
    assert [str(point) for point in study.grid(True)] != without, "and the setting is back"


def test_what_failed_has_none(tmp_path: Path) -> None:
    study = studies.find("validation")
    point = Point(small(), workload=wl.trace(tmp_path / "not-there.csv"))
    with pytest.raises(wl.errors.PointFailedError, match="not-there"):
        fingerprint.of_study(replace(study, grid=lambda _: [point]), jobs=1)
