"""What is said of how far a run is, and of the time left; of aging, whose end nobody knows, why."""

from __future__ import annotations

import sys

import pytest

import wordline as wl
from api_helpers import small
from wordline import progress
from wordline.cli.progress import of_points
from wordline.drive import ages_until_level
from wordline.progress import Progress, Stages, of_run, raw_aging
from wordline.sweeps import Point, PointsProgress, run_points
from wordline.sweeps.under_way import share_of_run

OPEN = "it ends when write amplification is level"
STEADY = small().set_all({"precondition.overwrite": "steady", "precondition.fill": 1.0})


def lines_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], stages: Stages, fractions: tuple[float, ...]
) -> list[str]:
    """Returns the lines of aging without a terminal; ten seconds pass between two reports."""
    shown_s, told_s = iter(range(0, 10_000, 10)), iter(range(0, 10_000, 10))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(shown_s))
    monkeypatch.setattr(progress.time, "perf_counter", lambda: float(next(told_s)))
    with progress.reporting(progress=True) as callback:
        report = raw_aging(callback, stages)
        assert report is not None
        for fraction in fractions:
            report(fraction, 0, 0)
    return capsys.readouterr().err.splitlines()


def test_preconditioning_of_one_part_says_the_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lines_of(monkeypatch, capsys, Stages(), (0.0, 0.5)) == [
        "wordline: preconditioning 0%",
        "wordline: preconditioning 50%, about 20 s left",
    ]


def test_aging_says_its_part_and_why_the_time_left_is_not_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = lines_of(monkeypatch, capsys, Stages(1, 3, 0.5), (0.25, 0.5, 0.0, 0.25, 0.9, 0.0, 0.5))
    assert lines == [
        "wordline: filling the drive (1 of 3) 50%",
        "wordline: filling the drive (1 of 3) 100%",
        f"wordline: aging it without time (2 of 3) 0%, time left not known yet: {OPEN}",
        f"wordline: aging it without time (2 of 3) 25%, at least 60 s left: {OPEN}",
        f"wordline: aging it without time (2 of 3), 30 s so far, time left not known: {OPEN}",
        f"wordline: aging it with time (3 of 3) 0%, time left not known yet: {OPEN}",
        f"wordline: aging it with time (3 of 3) 50%, at least 20 s left: {OPEN}",
    ]


def test_a_drive_that_was_kept_begins_with_the_last_part() -> None:
    told: list[Progress] = []
    report = raw_aging(told.append, Stages(3, 3))
    assert report is not None
    report(0.2, 0, 0)
    assert (told[0].part, told[0].fraction, told[0].is_least) == (3, 0.2, True)


def test_a_run_tells_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDLINE_PROGRESS_S", "0")
    assert ages_until_level(STEADY)
    assert not ages_until_level(small())
    told: list[Progress] = []
    wl.run(STEADY, "fio/random-write", requests=100, progress=told.append)
    aging = [(each.part, each.parts) for each in told if each.stage == "precondition"]
    assert aging == sorted(aging)
    assert list(dict.fromkeys(aging))[:2] == [(1, 3), (2, 3)]


def test_the_bar_of_a_run_that_measures_a_load_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDLINE_PROGRESS_S", "0")
    told: list[Progress] = []
    wl.offered_load(small(), "fio/random-read", "50%", requests=100_000, progress=told.append)
    assert {each.load_run for each in told} == {1}
    shown: list[str] = []
    of_run(lambda label, *_: shown.append(label))(told[0])
    assert shown[0].startswith("load, run 1: ")


def test_a_grid_says_that_its_drives_age() -> None:
    several = PointsProgress(0, 2, 10.0, 40.0, under_way=1.4, aging=2)
    assert several.detail == (
        "0 of 2 points, 10 s so far, time left not known: 2 drives age until write amplification is level"
    )
    one = PointsProgress(0, 1, 75.0, 11.0, under_way=0.74, aging=1, what="run 1 for the load of the points")
    assert one.detail == (
        "run 1 for the load of the points, 75 s so far, time left not known: "
        "a drive ages until write amplification is level"
    )


def test_the_bar_of_a_grid_has_no_share_while_drives_age(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORDLINE_PROGRESS_S", "0")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    with of_points("comparing") as report:
        assert report is not None
        report(PointsProgress(0, 1, 75.0, 11.0, under_way=0.74, aging=1))
        report(PointsProgress(0, 1, 80.0, 20.0, under_way=0.8))
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("wordline: comparing, 0 of 1 points, 75 s so far, time left not known: ")
    assert second == "wordline: comparing 80%, 0 of 1 points, 20 s left"


def test_the_time_left_of_a_grid_is_known_where_no_drive_ages() -> None:
    assert PointsProgress(1, 2, 10.0, 400.0).detail == "1 of 2 points, 7 min left"


def test_a_grid_says_that_it_measures_the_load_first() -> None:
    told: list[PointsProgress] = []
    point = Point(small(), workload="fio/random-read", requests=1_000, load="50%")
    run_points([point], jobs=1, progress=told.append)
    assert list(dict.fromkeys(each.what for each in told)) == ["run 1 for the load of the points", ""]


def test_each_part_of_aging_moves_the_bar_of_a_grid() -> None:
    shares: list[float] = []
    report = share_of_run(shares.append)
    for part, fraction in ((1, 1.0), (2, 0.9), (3, 0.0), (3, 1.0)):
        report(Progress("precondition", fraction, 0, 0.0, 0.0, part=part, parts=3))
    report(Progress("run", 0.5, 0, 0.0, 0.0))
    assert shares == [0.25, 0.475, 0.5, 0.75, 0.875]
