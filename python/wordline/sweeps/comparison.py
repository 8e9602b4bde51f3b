"""Many runs: every combination of some settings, on all cores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..config import Config
from ..errors import ConfigError
from ..workload import WorkloadLike
from . import axes
from .engine import PointsProgress, run_points
from .outcome import Results
from .point import Point

__all__ = ["compare"]


def compare(
    config: Config,
    workload: WorkloadLike = None,
    grid: Mapping[str, Sequence[Any]] | None = None,
    *,
    jobs: int | None = None,
    check: bool = False,
    progress: Callable[[PointsProgress], object] | None = None,
) -> Results:
    """Runs every combination of a grid's values, each in a process of its own.

    All points are resolved before the first one runs, so that a mistake in any of them costs no time. The
    results do not depend on the number of processes.

    Args:
        config: What all points have in common.
        workload: As for `run`.
        grid: Key to values; the last key varies fastest.
        jobs: Processes at a time, 1 or more; None: one a core. With 1 everything runs in this process.
        check: Checked mode, see `run`.
        progress: Called when the comparison begins and after every point.

    Returns:
        The outcomes in the grid's order; each has its `settings` and its `result`.

    Raises:
        WordlineError: As `run`, from the first point that fails.
        KeyboardInterrupt: Ctrl-C ends all processes at once.
    """
    choices = axes.grid(grid or {})
    if not grid:
        raise ConfigError("the grid is empty: give every key at least one value")
    points = [Point(config, each, workload, check=check) for each in choices]
    return run_points(points, jobs=jobs, progress=progress, stop_at_failure=True)
