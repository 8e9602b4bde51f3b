"""How well each parameter is known: the profile of the cost, in which all others follow."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..measured import Point
from ..stats.distributions import student_quantile
from .model import LEVELS
from .search import Search, Solution, cost_of, distances, with_guesses

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Known", "covariance", "intervals", "unbounded", "variance"]

LEVEL = 0.95
DEVIATION_MAX = 0.35
"""A parameter whose logarithm has a larger standard deviation is bounded by no point: a factor of two each way."""
DEVIATION_MIN = 2e-3
WAY_MAX = 3.0
"""No parameter moves further than this in its logarithm: the bounds of the search are nearer."""
ROUNDS = 2
MOST = 0.98
"""Points with this share of what a way changes are simulated, the others follow the derivatives."""
NEAR = 1.5
"""An end that was missed by less is not looked at again."""


@dataclass(frozen=True, slots=True)
class Known:
    """A value with its interval (95 %); None where the interval ends at the bounds of the search."""

    value: float
    low: float | None
    high: float | None


def covariance(solution: Solution, part: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Returns the covariance of the logarithms of the parameters, by the derivatives at the end of the search."""
    jacobian = solution.jacobian if part is None else solution.jacobian[part]
    square = jacobian.T @ jacobian + 1e-9 * np.eye(jacobian.shape[1])
    inverse = np.linalg.inv(square) * variance(solution)
    return np.asarray(inverse, dtype=np.float64)


def variance(solution: Solution) -> float:
    """Returns the variance of a residual: 1, or more where the model does not explain what repeats.

    Not less: that residuals are small by chance does not make the measurement better than it repeats.
    """
    freedom = max(len(solution.residuals.terms) - len(solution.model.parameters), 1)
    return max(solution.cost / freedom, 1.0)


def unbounded(solution: Solution) -> list[str]:
    """Returns the parameters that no point bounds, the worst one first.

    A read time is none: without it two page types would be alike, and the times of the others wrong by their distance.
    """
    deviations = np.sqrt(np.diag(covariance(solution)))
    named = sorted(zip(deviations, solution.model.parameters, strict=True), key=lambda each: -each[0])
    return [each.name for deviation, each in named if deviation > DEVIATION_MAX and each.name not in LEVELS]


def intervals(search: Search, solution: Solution) -> dict[str, Known]:
    """Returns the interval of each parameter. Jacobians alone are too sure of themselves where the model is bent."""
    freedom = max(len(solution.residuals.terms) - len(solution.model.parameters), 1)
    allowed = variance(solution) * student_quantile(0.5 + LEVEL / 2, freedom) ** 2
    sides = [(place, sign) for place in range(len(solution.model.parameters)) for sign in (-1.0, 1.0)]
    ends = _ends(search, solution, allowed, sides)
    gave = {}
    for place, parameter in enumerate(solution.model.parameters):
        low, high = (ends[place, sign] for sign in (-1.0, 1.0))
        value = solution.values[parameter.name]
        gave[parameter.name] = Known(
            value,
            None if value * math.exp(low) <= parameter.low else value * math.exp(low),
            None if value * math.exp(high) >= parameter.high else value * math.exp(high),
        )
    return gave


def _ends(
    search: Search, solution: Solution, allowed: float, sides: Sequence[tuple[int, float]]
) -> Mapping[tuple[int, float], float]:
    """Returns how far each parameter's logarithm can move to each side until the cost has risen by what is allowed."""
    deviations = np.sqrt(np.diag(covariance(solution)))
    quantile = math.sqrt(allowed / variance(solution))
    ways = np.clip(quantile * deviations, DEVIATION_MIN, WAY_MAX)
    profile = _Profile(solution)
    places = {(place, sign): profile.followed(place, sign * float(ways[place])) for place, sign in sides}
    left = list(sides)
    here = np.array(search.residuals.of(solution.simulated))
    for _ in range(ROUNDS):
        chosen = [_moved_most(solution, places[side] - solution.logs) for side in left]
        numbers = search.numbers(solution.model, [places[side] for side in left], chosen)
        factors = {}
        for side, gave in zip(left, numbers, strict=True):
            is_known = np.array([gave[at] is not None for at, _, _ in search.residuals.terms])
            linear = here + solution.jacobian @ (places[side] - solution.logs)
            there = np.where(is_known, search.residuals.of(gave), linear)
            residual = np.concatenate([there, distances(solution.model, places[side])])
            place, rise = profile.corrected(side[0], places[side], residual)
            # The cost rises with the square of the way.
            factors[side] = math.sqrt(allowed / max(rise, 1e-3 * allowed))
            factor = float(np.clip(factors[side], 0.4, 2.5))
            moved = float(np.clip(factor * (place - solution.logs)[side[0]], -WAY_MAX, WAY_MAX))
            places[side] = profile.followed(side[0], moved, factor * (place - solution.logs))
        left = [side for side, factor in factors.items() if not 1 / NEAR <= factor <= NEAR]
        if not left:
            break
    return {side: float((places[side] - solution.logs)[side[0]]) for side in sides}


def _moved_most(solution: Solution, way: NDArray[np.float64]) -> list[Point]:
    """Returns the points that have most of what a way changes, by the derivatives: the others follow these."""
    change = (np.abs(solution.jacobian) @ np.abs(way)) ** 2
    points = solution.residuals.points
    of_point = np.zeros(len(points))
    np.add.at(of_point, [place for place, _, _ in solution.residuals.terms], change)
    order = np.argsort(-of_point, kind="stable")
    count = int(np.searchsorted(np.cumsum(of_point[order]), MOST * of_point.sum())) + 1
    return [points[place] for place in sorted(order[:count])]


class _Profile:
    """Where the other parameters go when one of them moves: to the least cost by the derivatives, within the bounds."""

    def __init__(self, solution: Solution) -> None:
        model = solution.model
        self._solution = solution
        self._slopes = with_guesses(model, solution.jacobian)
        self._lows, self._highs = (np.log([getattr(each, end) for each in model.parameters]) for end in ("low", "high"))

    def followed(self, place: int, move: float, way: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Returns the place to which all go where one moves.

        Args:
            place: Which one moves.
            move: How far.
            way: How far all go; None: by the derivatives.
        """
        start = self._solution.logs
        if way is not None:
            x = start + way
            x[place] = start[place] + move
            return np.clip(x, self._lows + 1e-9, self._highs - 1e-9)
        target = np.zeros(len(start))
        target[place] = move
        return self._best(start + target, self._slopes @ target, {place})

    def corrected(
        self, place: int, x: NDArray[np.float64], residual: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], float]:
        """Returns a better place for the others by what was simulated at one, and how far the cost has risen there."""
        better = self._best(x, residual, {place})
        whole = cost_of(residual + self._slopes @ (better - x))
        return better, min(whole, cost_of(residual)) - self._solution.whole_cost

    def _best(self, x: NDArray[np.float64], residual: NDArray[np.float64], fixed: set[int]) -> NDArray[np.float64]:
        """Returns the place of the least squares near another; what meets a bound stays there, and the rest follows."""
        kept, gave = set(fixed), x.copy()
        while others := [each for each in range(len(x)) if each not in kept]:
            rest = residual + self._slopes @ (gave - x)
            step, *_ = np.linalg.lstsq(self._slopes[:, others], -rest, rcond=1e-6)
            there = gave.copy()
            there[others] += step
            inside = np.clip(there, self._lows + 1e-9, self._highs - 1e-9)
            met = {each for each in others if inside[each] != there[each]}
            if not met:
                return there
            kept |= met
            for each in met:
                gave[each] = inside[each]
        return np.clip(gave, self._lows + 1e-9, self._highs - 1e-9)
