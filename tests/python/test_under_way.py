"""The bar of a grid moves within a point, in this process and in others, and never goes back."""

from __future__ import annotations

import pytest

import wordline as wl
from api_helpers import small
from wordline.cli.placed import within
from wordline.progress import Stages, raw_aging
from wordline.sweeps import Point, PointsProgress, run_points
from wordline.sweeps.under_way import share_of_run


@pytest.mark.parametrize("jobs", [1, 2])
def test_it_tells_how_much_of_a_point_is_done(jobs: int) -> None:
    # A run tells of itself ten times a second, a waiting process five times. How fast machines are changes with load.
    for requests in (250_000, 1_000_000, 4_000_000, 16_000_000):
        told: list[PointsProgress] = []
        points = [Point(small(), workload="fio/random-read", seed=seed, requests=requests) for seed in (1, 2)]
        run_points(points, jobs=jobs, progress=told.append)
        early = [each for each in told if each.done == 0 and 0.1 < each.under_way < each.total]
        if early:
            break
    else:
        pytest.fail("nothing was told before the first point ended")
    shares = [each.share for each in told]
    assert shares == sorted(shares), "it never goes back"
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert early[0].left_s is not None, "the time that is left is known before the first point ends"


def test_a_part_of_aging_that_begins_anew_is_a_part_of_its_own_and_no_step_back_of_a_grid() -> None:
    told: list[tuple[float | None, int]] = []
    report = raw_aging(lambda now: told.append((now.fraction, now.part)), Stages(parts=3))
    assert report is not None
    for share in (0.5, 0.9, 0.2, None, 1.0, 0.0):
        report(share, 0, 0)
    assert told == [(0.5, 1), (0.9, 1), (0.2, 2), (None, 2), (1.0, 2), (0.0, 3)]
    shares: list[float] = []
    of_run = share_of_run(shares.append)
    for each in (0.5, 0.2, 1.0, None):
        of_run(wl.Progress("precondition", each, 0, 0.0, 0.0))
    assert shares == [0.25, 0.25, 0.5, 0.5]


def test_a_comparison_of_placements_tells_how_far_it_is() -> None:
    shown: list[tuple[float | None, str]] = []
    report = within(lambda _, share, detail: shown.append((share, detail)), "hints", 1, 2)
    report(wl.Progress("precondition", 0.5, 0, 0.0, 0.0))
    report(wl.Progress("run", 0.5, 10, 0.1, 0.1))
    assert shown == [
        (0.5, "hints"),
        (0.625, "hints, 2 of 2: preconditioning"),
        (0.875, "hints, 2 of 2: simulating"),
    ]


def test_preconditioning_is_half_of_a_run() -> None:
    shares: list[float] = []
    both, alone = share_of_run(shares.append), share_of_run(shares.append)
    both(wl.Progress("precondition", 0.5, 0, 0.0, 0.0))
    both(wl.Progress("precondition", 1.0, 0, 0.0, 0.0))
    both(wl.Progress("run", 0.5, 0, 0.0, 0.0))
    alone(wl.Progress("run", None, 0, 0.0, 0.0))
    alone(wl.Progress("run", 0.5, 0, 0.0, 0.0))
    assert shares == [0.25, 0.5, 0.75, 0.0, 0.5]
