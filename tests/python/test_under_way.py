"""The bar of a grid moves within a point, in this process and in others, and never goes back."""

from __future__ import annotations

import pytest

import wordline as wl
from api_helpers import small
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


def test_preconditioning_is_half_of_a_run() -> None:
    shares: list[float] = []
    both, alone = share_of_run(shares.append), share_of_run(shares.append)
    both(wl.Progress("precondition", 0.5, 0, 0.0, 0.0))
    both(wl.Progress("precondition", 1.0, 0, 0.0, 0.0))
    both(wl.Progress("run", 0.5, 0, 0.0, 0.0))
    alone(wl.Progress("run", None, 0, 0.0, 0.0))
    alone(wl.Progress("run", 0.5, 0, 0.0, 0.0))
    assert shares == [0.25, 0.5, 0.75, 0.0, 0.5]
