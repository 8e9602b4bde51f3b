"""The error on points that the fit did not see: each fold is left out once."""

from __future__ import annotations

import numpy as np

from ..measured import Agreement, Point, Row
from .search import SCALE, Search, Solution

__all__ = ["FOLDS", "cross_validated"]

FOLDS = 4
Kind = tuple[str, float, bool, str]
STEPS = 2


def cross_validated(search: Search, solution: Solution) -> Agreement:
    """Returns each point beside what a fit without its fold says of it.

    Loads that differ only in how they are split into jobs are in one fold. The fewest and the most outstanding requests
    of each block size are in every fit: they alone show page types and the slowest stage, and a fit is for use between
    them. A fit without a fold begins at that of all points and goes on by the derivatives that are known there, so that
    it takes a few runs, not a search.
    """
    points = search.points
    fold_of = folds(points)
    rows: dict[int, Row] = {}
    for fold in range(FOLDS):
        left_out = [place for place, own in enumerate(fold_of) if own == fold]
        if not left_out or len(left_out) == len(points):
            continue
        x = _without(search, solution, set(left_out))
        config = solution.model.config(search.values(solution.model, x))
        numbers = search.simulator.numbers(config, [points[place] for place in left_out])
        rows |= {place: Row(points[place], each) for place, each in zip(left_out, numbers, strict=True)}
    return Agreement("points that the fit did not see", [rows[place] for place in sorted(rows)])


def folds(points: tuple[Point, ...]) -> list[int]:
    """Returns the fold of each point, or -1 for one that is in every fit: fewest or most outstanding of its kind."""
    loads = [(_kind(point), point.outstanding) for point in points]
    depths: dict[Kind, list[int]] = {}
    for kind, outstanding in loads:
        depths.setdefault(kind, []).append(outstanding)
    inner = sorted({load for load in loads if min(depths[load[0]]) < load[1] < max(depths[load[0]])})
    order = {load: number for number, load in enumerate(inner)}
    return [order[load] % FOLDS if load in order else -1 for load in loads]


def _kind(point: Point) -> Kind:
    load = point.loads[0]
    return (point.op, load.mean_bytes(), load.is_random, repr(point.loads[1:]))


def _without(search: Search, solution: Solution, left_out: set[int]) -> np.ndarray:
    """Returns where the search ends without some points."""
    kept = np.array([place not in left_out for place, _, _ in search.residuals.terms])
    lows, highs = (np.log([getattr(each, end) for each in solution.model.parameters]) for end in ("low", "high"))
    x = solution.logs
    residual = np.array(search.residuals.of(solution.simulated))
    for step in range(STEPS):
        if step:
            residual = search.residual(solution.model, x)
        weight = (1 + (residual[kept] / SCALE) ** 2) ** -0.5
        jacobian = solution.jacobian[kept] * weight[:, None]
        damped = np.vstack([jacobian, 0.3 * np.eye(len(x))])
        goal = np.concatenate([-residual[kept] * weight, np.zeros(len(x))])
        change, *_ = np.linalg.lstsq(damped, goal, rcond=None)
        x = np.clip(x + np.clip(change, -0.3, 0.3), lows + 1e-9, highs - 1e-9)
    return x
