"""How well each parameter is known: the profile of the cost, in which all others follow."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..stats.distributions import student_quantile
from .search import Search, Solution, cost_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Known", "covariance", "intervals", "unbounded"]

LEVEL = 0.95
DEVIATION_MAX = 0.35
"""A parameter whose logarithm has a larger standard deviation is bounded by no point: a factor of two each way."""
DEVIATION_MIN = 2e-3
WAY_MAX = 3.0
"""No parameter moves further than this in its logarithm: the bounds of the search are nearer."""
ROUNDS = 2
NEAR = 1.15
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
    """Returns the parameters that no point bounds, the worst one first."""
    deviations = np.sqrt(np.diag(covariance(solution)))
    named = sorted(zip(deviations, solution.model.parameters, strict=True), key=lambda each: -each[0])
    return [each.name for deviation, each in named if deviation > DEVIATION_MAX]


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
    moves = {(place, sign): sign * float(ways[place]) for place, sign in sides}
    left = list(sides)
    for _ in range(ROUNDS):
        places = [_followed(solution, place, moves[place, sign]) for place, sign in left]
        numbers = search.numbers(solution.model, places, [None] * len(places))
        # The cost rises with the square of the way.
        factors = {
            side: math.sqrt(allowed / max(cost_of(np.array(search.residuals.of(gave))) - solution.cost, 1e-3 * allowed))
            for side, gave in zip(left, numbers, strict=True)
        }
        for side, factor in factors.items():
            moves[side] *= float(np.clip(factor, 0.4, 2.5))
            moves[side] = min(max(moves[side], -WAY_MAX), WAY_MAX)
        left = [side for side, factor in factors.items() if not 1 / NEAR <= factor <= NEAR]
        if not left:
            break
    return moves


def _followed(solution: Solution, place: int, move: float) -> NDArray[np.float64]:
    """Returns the place to which all parameters go where one of them moves."""
    lows, highs = (np.log([getattr(each, end) for each in solution.model.parameters]) for end in ("low", "high"))
    others = [each for each in range(len(lows)) if each != place]
    x = solution.logs.copy()
    x[place] += move
    if others:
        jacobian = solution.jacobian
        follow, *_ = np.linalg.lstsq(jacobian[:, others], -jacobian[:, place] * move, rcond=1e-6)
        x[others] += follow
    return np.clip(x, lows + 1e-9, highs - 1e-9)
