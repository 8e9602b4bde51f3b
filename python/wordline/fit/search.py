"""The search: least squares from a start, with derivatives by differences whose runs go side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from .. import extras
from ..agreement import Simulator
from ..config import Config
from ..measured import Numbers, Point
from .model import LEVELS, Model, Parameter
from .residuals import Residuals, residuals_of
from .slopes import Slopes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SCALE", "Search", "Solution", "cost_of"]

STEP = 0.06
"""Step of a parameter's logarithm for its derivative: more than chance moves the numbers of short runs."""
SCALE = 3.0
"""Residuals beyond this many deviations count less and less: what no parameter explains must not decide."""
TOLERANCE = 2e-3
CLOSE = 0.1
"""Derivatives by differences hold where no parameter's logarithm is further away."""
Say = Callable[[str, int], object]


@dataclass(frozen=True)
class Solution:
    """The end of a search.

    Attributes:
        model: What was searched.
        values: What was found, by name.
        simulated: The numbers of the points.
        cost: Sum of squares, each residual beyond `SCALE` for less.
        jacobian: Derivative of each residual by the logarithm of each parameter.
        residuals: What was compared.
        penalty: Cost of how far the values are from their guesses.
        differenced: Where derivatives were last taken by differences, and these; None: the search took none.
    """

    model: Model
    values: dict[str, float]
    simulated: list[Numbers]
    cost: float
    jacobian: NDArray[np.float64]
    residuals: Residuals
    penalty: float = 0.0
    differenced: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    @property
    def whole_cost(self) -> float:
        """The cost with that of the distance from the guesses: what a search makes least."""
        return self.cost + self.penalty

    @property
    def logs(self) -> NDArray[np.float64]:
        """The logarithms of the values, in the order of the parameters."""
        return np.array([math.log(self.values[each.name]) for each in self.model.parameters])

    @property
    def config(self) -> Config:
        """The drive."""
        return self.model.config(self.values)

    def as_start(self) -> Model:
        """Returns the model, with the values as where a search begins."""
        return self.model.starting_at(self.values)


class Search:
    """Searches the parameters of a model that give the measured numbers."""

    def __init__(self, points: Sequence[Point], simulator: Simulator, say: Say | None = None) -> None:
        self.points = tuple(points)
        self.residuals = residuals_of(points)
        self.simulator = simulator
        self.say = say

    def numbers(
        self, model: Model, at: Sequence[NDArray[np.float64]], chosen: Sequence[Sequence[Point]]
    ) -> list[list[Numbers | None]]:
        """Returns the numbers of the points at several places; None for those that are not chosen there."""
        drives = [(model.config(self.values(model, x)), points) for x, points in zip(at, chosen, strict=True)]
        gave = self.simulator.batch(drives)
        if self.say is not None:
            self.say("searching", self.simulator.runs)
        places = []
        for points, numbers in zip(chosen, gave, strict=True):
            known = dict(zip(map(id, points), numbers, strict=True))
            places.append([known.get(id(point)) for point in self.points])
        return places

    def values(self, model: Model, x: NDArray[np.float64]) -> dict[str, float]:
        """Returns the values of a place of the search."""
        return {each.name: float(math.exp(log)) for each, log in zip(model.parameters, x, strict=True)}

    def residual(self, model: Model, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the residuals at a place, behind them the distances from the guesses."""
        (numbers,) = self.numbers(model, [x], [self.points])
        return np.concatenate([self.residuals.of(numbers), distances(model, x)])

    def costs_less(self, model: Model, values: Mapping[str, float], than: float, first: Sequence[Point]) -> bool:
        """Returns whether the cost at some values, with that of the distance from the guesses, is less than another.

        No point lowers it: where some points cost too much, which are run first, the others are not run.
        """
        x = np.log([values[each.name] for each in model.parameters])
        for points in (first, self.points):
            (numbers,) = self.numbers(model, [x], [points])
            if cost_of(np.array(self.residuals.of(numbers))) + cost_of(distances(model, x)) >= than:
                return False
        return True

    def promised(self, model: Model, near: Solution, moved: Sequence[Point]) -> float:
        """Returns the cost to which one step from the end of another search leads, by the derivatives of that search.

        Args:
            model: Another value of what is enumerated, with the same parameters, and where its search begins.
            near: The end of the search with the base's value.
            moved: The points whose numbers the value may change.
        """
        x = np.log([each.start for each in model.parameters])
        (numbers,) = self.numbers(model, [x], [moved])
        known = [each or stays for each, stays in zip(numbers, near.simulated, strict=True)]
        residual = np.concatenate([self.residuals.of(known), distances(model, x)])
        slopes = with_guesses(model, near.jacobian)
        stepped = residual + slopes @ (stepped_to(model, x, residual, slopes) - x)
        return min(cost_of(residual), cost_of(stepped))

    def carried(self, model: Model, near: Solution) -> NDArray[np.float64]:
        """Returns derivatives for a model whose page types are others: those of read times by differences."""
        columns = dict(zip((each.name for each in near.model.parameters), near.jacobian.T, strict=True))
        x = np.log([each.start for each in model.parameters])
        new = [each for each in model.parameters if each.name in LEVELS or each.name not in columns]
        slopes = self.derivative(model, x, new)[: len(self.residuals.terms)]
        for place, each in enumerate(model.parameters):
            if each not in new:
                slopes[:, place] = columns[each.name]
        return slopes

    def derivative(
        self, model: Model, x: NDArray[np.float64], by: Sequence[Parameter] | None = None
    ) -> NDArray[np.float64]:
        """Returns the derivative of each residual by each parameter, all runs side by side.

        Args:
            model: What is searched.
            x: Where.
            by: The parameters by which; the others' derivatives are 0. None: all.
        """
        by = model.parameters if by is None else by
        highs = np.log([each.high for each in model.parameters])
        steps = np.where(x + STEP <= highs, STEP, -STEP)
        places = [x, *(x + step * row for step, row in zip(steps, np.eye(len(x)), strict=True))]
        moved = [self._moved(each) if each in by else [] for each in model.parameters]
        numbers = self.numbers(model, places, [self.points, *moved])
        here = numbers[0]
        columns = []
        for step, gave in zip(steps, numbers[1:], strict=True):
            there = [each or stays for each, stays in zip(gave, here, strict=True)]
            columns.append((np.array(self.residuals.of(there)) - np.array(self.residuals.of(here))) / step)
        return with_guesses(model, np.column_stack(columns))

    def with_differences(self, solution: Solution) -> Solution:
        """Returns a solution with derivatives by differences at its end.

        Those that the steps kept up to date are too rough to tell how well a parameter is known. Those with which the
        search began will do, but for parameters that it has led away from there.
        """
        model, rows = solution.model, len(self.residuals.terms)
        moved = np.full(len(model.parameters), True)
        if solution.differenced is not None:
            moved = np.abs(solution.differenced[0] - solution.logs) > CLOSE
        anew = [each for each, far in zip(model.parameters, moved, strict=True) if far]
        jacobian = self.derivative(model, solution.logs, anew)[:rows]
        if solution.differenced is not None:
            jacobian[:, ~moved] = solution.differenced[1][:rows, ~moved]
        return replace(solution, jacobian=jacobian)

    def solve(
        self,
        model: Model,
        start: Sequence[float] | None = None,
        *,
        steps: int = 8,
        slopes: NDArray[np.float64] | None = None,
        renewals: int = 1,
    ) -> Solution:
        """Searches from a start.

        Args:
            model: What is searched.
            start: The values where it begins; None: those of the closed forms.
            steps: At most so many places are tried.
            slopes: Derivatives near the start, such as those of a search without some points; None: by differences.
            renewals: So often derivatives are taken anew.
        """
        lows, highs = (np.log([getattr(each, end) for each in model.parameters]) for end in ("low", "high"))
        x0 = np.log(start if start is not None else [each.start for each in model.parameters])
        x0 = np.clip(x0, lows + 1e-6, highs - 1e-6)
        if slopes is not None:
            slopes = with_guesses(model, slopes)
        known = Slopes(partial(self.residual, model), partial(self.derivative, model), slopes, renewals)
        found = extras.optimize.least_squares(
            lambda x: bent(known.residual(x)),
            x0,
            jac=lambda x: bend(known.residual(x))[:, np.newaxis] * known.at(x),
            bounds=(lows, highs),
            max_nfev=steps,
            xtol=TOLERANCE,
            ftol=TOLERANCE,
            gtol=1e-6,
        )
        x = in_order(model, found.x)
        (numbers,) = self.numbers(model, [x], [self.points])
        kept = [each for each in numbers if each is not None]
        residual = np.array(self.residuals.of(kept))
        jacobian = known.at(found.x)[: len(residual)]
        penalty = cost_of(distances(model, x))
        values = self.values(model, x)
        return Solution(model, values, kept, cost_of(residual), jacobian, self.residuals, penalty, known.differenced)

    def _moved(self, parameter: Parameter) -> list[Point]:
        """Returns the points whose numbers a parameter may change."""
        return [
            point
            for point in self.points
            if parameter.moves == "all" or any(parameter.moves in load.ops for load in point.loads)
        ]


def stepped_to(
    model: Model, x: NDArray[np.float64], residual: NDArray[np.float64], slopes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Returns the place of the least cost by derivatives, within the bounds; both have the guesses below."""
    weight = bend(residual)
    step, *_ = np.linalg.lstsq(weight[:, np.newaxis] * slopes, -bent(residual), rcond=1e-6)
    lows, highs = (np.log([getattr(each, end) for each in model.parameters]) for end in ("low", "high"))
    return np.asarray(np.clip(x + step, lows + 1e-6, highs - 1e-6), dtype=np.float64)


def distances(model: Model, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns how far each parameter is from its guess, in standard deviations."""
    guesses = np.log([each.guess or each.start for each in model.parameters])
    return np.asarray((x - guesses) / [each.deviation for each in model.parameters], dtype=np.float64)


def with_guesses(model: Model, jacobian: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns derivatives of residuals with those of the distances from the guesses below."""
    return np.vstack([jacobian, np.diag([1 / each.deviation for each in model.parameters])])


def cost_of(residual: NDArray[np.float64]) -> float:
    """Returns the cost of residuals: their squares, those beyond `SCALE` for less (Cauchy)."""
    return float(np.sum(SCALE**2 * np.log1p((residual / SCALE) ** 2)))


def bent(residual: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns numbers whose squares sum up to the cost of residuals.

    With `loss="cauchy"`, SciPy takes the cost to be flat where a residual is beyond `SCALE`: its slope is kept, its
    curvature is not. A search whose start is that far off steps too far, shrinks its steps and ends too early.
    """
    return np.asarray(np.sign(residual) * SCALE * np.sqrt(np.log1p((residual / SCALE) ** 2)), dtype=np.float64)


def bend(residual: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the derivative of each bent residual by the residual: 1 where it is small."""
    size = np.maximum(np.abs(residual) / SCALE, 1e-6)
    return np.asarray(size / (1 + size**2) / np.sqrt(np.log1p(size**2)), dtype=np.float64)


def in_order(model: Model, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns a place with the read times in order, which the search may have passed."""
    places = [place for place, each in enumerate(model.parameters) if each.name in LEVELS]
    ordered = x.copy()
    ordered[places] = np.sort(x[places])
    return ordered
