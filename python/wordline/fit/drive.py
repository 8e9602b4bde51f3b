"""Fits a drive to measured points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..agreement import Length, Simulator
from ..agreement.memo import Memo
from ..config import Config
from ..errors import OutOfRangeError, WorkloadError
from ..measured import Agreement, Point, Row
from .folds import cross_validated
from .intervals import Known, intervals, unbounded
from .model import Model
from .search import Say, Search, Solution
from .start import model_of, with_dies
from .sums import Sum, sums_of

__all__ = ["Fit", "fit"]

PART_BYTES = 16 << 30
"""A larger drive is simulated as a part that the host sees as at most this many bytes."""
SATA_OUTSTANDING = 32
SUBSET = 14
"""Points with which the candidates of what is enumerated are compared."""
LOOK_STEPS, SEARCH_STEPS = 3, 7


@dataclass(frozen=True)
class Fit:
    """A fitted drive.

    Attributes:
        config: The drive, with the host that it was measured on.
        model: What was searched.
        known: Each parameter with its interval.
        dies: The number of dies that fits best, with the cost of each that was tried.
        sums: Sums of parameters that are known better than their parts.
        unbounded: Parameters that no point bounds: they stay at the base's value.
        seen: The points beside the fitted drive.
        unseen: The points beside drives that were fitted without them.
        left_out: Points that say nothing of the drive's parameters, with the reason.
        runs: How many simulations were made.
    """

    config: Config
    model: Model
    known: dict[str, Known]
    dies: dict[int, float]
    sums: list[Sum]
    unbounded: list[str]
    seen: Agreement
    unseen: Agreement
    left_out: list[tuple[Point, str]]
    runs: int

    def unexplained(self) -> list[Row]:
        """Returns the points whose IOPS the fit misses by more than 15 %, the worst ones first."""
        rows = [(abs((row.ratio("iops") or 1.0) - 1.0), row) for row in self.seen.rows]
        return [row for error, row in sorted(rows, key=lambda each: -each[0]) if error > 0.15]

    def to_dict(self) -> dict[str, Any]:
        """Returns it for JSON."""
        return {
            "parameters": {
                each.name: {
                    "what": each.what,
                    "keys": list(each.keys),
                    "value": self.known[each.name].value,
                    "low": self.known[each.name].low,
                    "high": self.known[each.name].high,
                    "of": "host" if each.of_host else "drive",
                }
                for each in self.model.parameters
            },
            "sums": [each.to_dict() for each in self.sums],
            "dies": {str(dies): cost for dies, cost in self.dies.items()},
            "unbounded": self.unbounded,
            "fit": self.seen.to_dict(),
            "cross_validation": self.unseen.to_dict(),
            "left_out": [{"point": point.name, "where": point.where, "why": why} for point, why in self.left_out],
            "unexplained": [row.to_dict() for row in self.unexplained()],
            "simulations": self.runs,
        }


def fit(
    base: Config,
    points: Sequence[Point],
    *,
    free: Sequence[str] = (),
    dies: Sequence[int] = (),
    requests: int = 2500,
    jobs: int = 1,
    memo: Memo | None = None,
    say: Say | None = None,
    with_intervals: bool = True,
) -> Fit:
    """Searches the parameters of a drive that give what was measured.

    Args:
        base: The drive that all else is taken from.
        points: What was measured.
        free: Names of parameters to search, or `host`, `drive`; empty: all that the points can tell.
        dies: Numbers of dies to try; empty: the base's, half and twice as many.
        requests: Requests that count of each load.
        jobs: Simulations at a time.
        memo: What was simulated before.
        say: Called with what is done, and the number of simulations so far.
        with_intervals: Also find how well each parameter is known.

    Raises:
        WorkloadError: The points are too few.
        WordlineError: A load does not fit the drive.
    """
    used, left_out = usable(base, points)
    part = part_of(base)
    simulator = Simulator(Length(requests), jobs, memo or Memo())
    search = Search(used, simulator, say)
    model = model_of(part, used, free)
    if len(search.residuals.terms) <= len(model.parameters):
        raise WorkloadError(
            f"{len(used)} points are too few for {len(model.parameters)} parameters; measure more of them"
        )
    model, costs = _enumerated(search, model, dies, free)
    solution = search.solve(model, steps=SEARCH_STEPS)
    solution, loose = _bounded(search, solution)
    known = (
        intervals(search, solution)
        if with_intervals
        else {name: Known(value, None, None) for name, value in solution.values.items()}
    )
    unseen = cross_validated(search, solution)
    seen = Agreement("fitted drive", [Row(point, each) for point, each in zip(used, solution.simulated, strict=True)])
    whole = solution.model.config(solution.values).set("ssd.scale", base["ssd.scale"])
    return Fit(whole, solution.model, known, costs, sums_of(solution), loose, seen, unseen, left_out, simulator.runs)


def usable(base: Config, points: Sequence[Point]) -> tuple[list[Point], list[tuple[Point, str]]]:
    """Returns the points that say something of the drive, and the others with the reason."""
    used, left_out = [], []
    for point in points:
        why = point.doubt
        if not why and base["host.link"] == "sata" and point.outstanding > SATA_OUTSTANDING:
            why = "SATA takes 32 commands: the rest is the host's queue"
        if why:
            left_out.append((point, why))
        else:
            used.append(point)
    return used, left_out


def part_of(config: Config) -> Config:
    """Returns the largest part of a drive that is small enough to be simulated often."""
    parts, part = 1, config
    while part.host_bytes > PART_BYTES:
        parts *= 2
        try:
            part = config.set("ssd.scale", f"1/{parts}")
        except OutOfRangeError:
            # Smaller parts have too few blocks to be like the whole.
            break
    return part


def _enumerated(
    search: Search, model: Model, dies: Sequence[int], free: Sequence[str]
) -> tuple[Model, dict[int, float]]:
    """Returns the model with the number of dies that fits best, from a few steps on some of the points."""
    base = model.base
    own = base["ssd.channels"] * base["ssd.chips_per_channel"] * base["ssd.dies_per_chip"]
    candidates = list(dies) or ([own] if free and "drive" not in free else [own // 2, own, own * 2])
    if len(candidates) == 1:
        return (model if candidates[0] == own else with_dies(model, candidates[0])), {}
    look = Search(_spread(search.points), search.simulator, search.say)
    costs: dict[int, float] = {}
    starts: dict[int, Solution] = {}
    for each in candidates:
        starts[each] = look.solve(with_dies(model, each), steps=LOOK_STEPS)
        costs[each] = starts[each].cost
    best = min(costs, key=lambda each: costs[each])
    return starts[best].as_start(), costs


def _spread(points: Sequence[Point]) -> list[Point]:
    """Returns some of the points, over all depths."""
    ordered = sorted(points, key=lambda each: (each.op, each.outstanding, each.loads[0].jobs))
    step = max(len(ordered) / SUBSET, 1.0)
    return [ordered[int(place * step)] for place in range(min(SUBSET, len(ordered)))]


def _bounded(search: Search, solution: Solution) -> tuple[Solution, list[str]]:
    """Returns the search without the parameters that no point bounds, one after the other."""
    loose: list[str] = []
    while len(solution.model.parameters) > 1 and (names := unbounded(solution)):
        loose.append(names[0])
        solution = search.solve(solution.as_start().without(names[:1]), steps=3)
    return solution, loose
