"""The error on points that the fit did not see: each fold is left out once, and the search is done again without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ..measured import Agreement, Point, Row
from .model import Model
from .search import Search, Solution, distances, stepped_to, with_guesses

__all__ = ["FOLDS", "cross_validated"]

FOLDS = 4
STEPS = 3
LITTLE = 1.0
"""A search without a fold ends where the next step promises less, half a standard deviation."""
Kind = tuple[str, float, bool, str]


def cross_validated(search: Search, solution: Solution, build: Callable[[Sequence[Point]], Model]) -> Agreement:
    """Returns each point beside what a fit without its fold says of it.

    Loads that differ only in how they are split into jobs are in one fold. The fewest and the most outstanding requests
    of each block size are in every fit: they alone show page types and the slowest stage, and a fit is for use between
    them. A fit without a fold begins where the derivatives lead from the end of all points when the fold is left out,
    and goes on from there; its guesses are the closed forms of the points that it has. What was enumerated is that of
    all points, and so are the derivatives with which it begins: these are the simulator's.

    Args:
        search: The search on all points.
        solution: Its end.
        build: Returns the model of some points, with the closed forms of these.
    """
    points = search.points
    fold_of = folds(points)
    rows: dict[int, Row] = {}
    for fold in range(FOLDS):
        left_out = [place for place, own in enumerate(fold_of) if own == fold]
        if not left_out or len(left_out) == len(points):
            continue
        config = _without(search, solution, set(left_out), build).config
        numbers = search.simulator.numbers(config, [points[place] for place in left_out])
        rows |= {place: Row(points[place], each) for place, each in zip(left_out, numbers, strict=True)}
    return Agreement("points that the fit did not see", [rows[place] for place in sorted(rows)])


def folds(points: Sequence[Point]) -> list[int]:
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


def _without(
    search: Search, solution: Solution, left_out: set[int], build: Callable[[Sequence[Point]], Model]
) -> Solution:
    """Returns the end of a search without some points."""
    kept = [point for place, point in enumerate(search.points) if place not in left_out]
    own = Search(kept, search.simulator, search.say)
    starts = {each.name: each.start for each in build(kept).parameters}
    rows = np.array([place not in left_out for place, _, _ in search.residuals.terms])
    model = solution.model.beginning(starts)
    residual = np.array(search.residuals.of(solution.simulated))[rows]
    whole = np.concatenate([residual, distances(model, solution.logs)])
    start = stepped_to(model, solution.logs, whole, with_guesses(model, solution.jacobian[rows]))
    search_from_start = partial(own.solve, model, list(np.exp(start)), slopes=solution.jacobian[rows], renewals=0)
    there = search_from_start(steps=1)
    if there.whole_cost - own.promised(there.as_start(), there, []) < LITTLE:
        return there
    return search_from_start(steps=STEPS)
