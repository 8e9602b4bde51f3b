"""Fits a drive to measured points."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..agreement import History, Length, Simulator
from ..agreement.memo import Memo
from ..config import Config
from ..errors import OutOfRangeError, WorkloadError
from ..measured import Agreement, Point, Row
from ..measured.labels import check_one_drive
from .choices import WORTH, Choices, chosen
from .folds import cross_validated
from .intervals import Known, intervals, unbounded, variance
from .model import TIMES, Model, for_all_codings
from .residuals import residuals_of
from .search import Say, Search, Solution
from .start import model_of
from .sums import Sum, sums_of

__all__ = ["Fit", "fit"]

PART_BYTES = 16 << 30
"""A larger drive is simulated as a part that the host sees as at most this many bytes."""
SATA_OUTSTANDING = 32
SUBSET = 14
"""Points with which the candidates of what is enumerated are compared."""
SEARCH_STEPS = 6
STARTS, START_STEPS = 3, 4
"""Searches from different places, the first from the closed forms; steps of each of the others."""
AROUND = 0.5
"""The others begin within this of the end of the first, by the logarithms of the parameters."""
GOLDEN = 0.6180339887498949


@dataclass(frozen=True)
class Fit:
    """A fitted drive.

    Attributes:
        config: The drive, with the host that it was measured on.
        model: What was searched.
        known: Each parameter with its interval.
        choices: What was enumerated, such as the number of dies, with the cost of each value.
        sums: Sums of parameters that are known better than their parts.
        unbounded: Parameters that no point bounds: they stay at the base's value.
        seen: The points beside the fitted drive.
        unseen: The points beside drives that were fitted without them.
        left_out: Points that say nothing of the drive's parameters, with the reason.
        spent: How many simulations were made, by what they were for: the search, intervals, folds; those of a history
            are told apart.
        history: Kinds of load that came before each measured one.
    """

    config: Config
    model: Model
    known: dict[str, Known]
    choices: Choices
    sums: list[Sum]
    unbounded: list[str]
    seen: Agreement
    unseen: Agreement
    left_out: list[tuple[Point, str]]
    spent: dict[str, int]
    history: tuple[str, ...] = ()

    @property
    def runs(self) -> int:
        """How many simulations were made."""
        return sum(self.spent.values())

    def unexplained(self) -> list[Row]:
        """Returns the points whose IOPS the fit misses by more than 15 %, the worst ones first."""
        rows = [(abs((row.ratio("iops") or 1.0) - 1.0), row) for row in self.seen.rows]
        return [row for error, row in sorted(rows, key=lambda each: -each[0]) if error > 0.15]

    def to_dict(self) -> dict[str, Any]:
        """Returns it for JSON."""
        return {
            "history": list(self.history),
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
            "enumerated": {
                what: {"best": self.choices.best[what], "costs": costs} for what, costs in self.choices.costs.items()
            },
            "unbounded": self.unbounded,
            "fit": self.seen.to_dict(),
            "cross_validation": self.unseen.to_dict(),
            "left_out": [{"point": point.name, "where": point.where, "why": why} for point, why in self.left_out],
            "unexplained": [row.to_dict() for row in self.unexplained()],
            "simulations": self.runs,
            "simulations_for": self.spent,
        }


def fit(
    base: Config,
    points: Sequence[Point],
    *,
    free: Sequence[str] = (),
    dies: Sequence[int] = (),
    history: Sequence[str] = (),
    requests: int = 2500,
    jobs: int = 1,
    memo: Memo | None = None,
    executor: Executor | None = None,
    say: Say | None = None,
    with_intervals: bool = True,
) -> Fit:
    """Searches the parameters of a drive that give what was measured.

    Args:
        base: The drive that all else is taken from.
        points: What was measured.
        free: Names of parameters to search, or `host`, `drive`; empty: all that the points can tell.
        dies: Numbers of dies to try; empty: the base's, half and twice as many.
        history: Kinds of load that came before each measured one, in order, such as `["randwrite", "randrw5"]`: its own
            jobs run them, with the addresses in the order that fio repeats in each run. Drives that differ in times
            alone share what that leaves.
        requests: Requests that count of each load.
        jobs: Simulations at a time.
        memo: What was simulated before.
        executor: Does the simulations instead of threads, such as that of a Dask cluster.
        say: Called with what is done, and the number of simulations so far.
        with_intervals: Also find how well each parameter is known.

    Raises:
        WorkloadError: The points are too few, or the drive is aged and has a history, too.
        WordlineError: A load does not fit the drive.
    """
    check_one_drive(points)
    link = link_of(base, points)
    base = for_all_codings(base.set_all(dict(link)))
    used, left_out = usable(base, points)
    if not used and left_out:
        point, why = left_out[0]
        raise WorkloadError(f"no point says anything of the drive; {point.where}: {why}")
    part = part_of(base)
    before = History.of(history, {key: part[key] for key in TIMES})
    simulator = Simulator(Length(requests), jobs, memo or Memo(), executor, before)
    search = Search(used, simulator, say)
    model = model_of(part, used, free).with_settings(link)
    check_enough(used, model)
    look = search if len(used) <= SUBSET else Search(spread(used), simulator, say)
    build = partial(model_of, points=used, free=free)
    of_drive, of_host = (not free or part in free for part in ("drive", "host"))
    solution, choices = chosen(look, model, dies, build, of_drive=of_drive, of_host=of_host)
    solution = started(look, solution)
    slopes = solution.jacobian if look is search else None
    solution = search.solve(solution.as_start(), steps=SEARCH_STEPS, slopes=slopes)
    if not dies:
        solution, choices = not_behind_base(search, look.points, model, solution, choices)
    solution, loose = _bounded(search, search.with_differences(solution))
    spent = {"search": simulator.load_runs}
    known = (
        intervals(search, solution)
        if with_intervals
        else {name: Known(value, None, None) for name, value in solution.values.items()}
    )
    spent["intervals"] = simulator.load_runs - spent["search"]
    own = solution.model.config({})
    unseen = cross_validated(search, solution, lambda kept: model_of(own, kept, free))
    spent["folds"] = simulator.load_runs - sum(spent.values())
    if history:
        spent["history"] = simulator.history_runs
    seen = Agreement("fitted drive", [Row(point, each) for point, each in zip(used, solution.simulated, strict=True)])
    whole = solution.model.config(solution.values).set("ssd.scale", base["ssd.scale"])
    sums, kinds = sums_of(solution), tuple(history)
    return Fit(whole, solution.model, known, choices, sums, loose, seen, unseen, left_out, spent, kinds)


def check_enough(points: Sequence[Point], model: Model) -> None:
    """Checks that points have more numbers than a model has parameters.

    Raises:
        WorkloadError: They are too few.
    """
    if len(residuals_of(points).terms) <= len(model.parameters):
        raise WorkloadError(
            f"{len(points)} points are too few for {len(model.parameters)} parameters; measure more of them"
        )


def link_of(base: Config, points: Sequence[Point]) -> tuple[tuple[str, object], ...]:
    """Returns the settings of SATA where the points' column `host` names it and the base has another link."""
    if base["host.link"] == "sata" or not over_sata(points):
        return ()
    return (("host.link", "sata"), ("host.device_queue_depth", SATA_OUTSTANDING))


def over_sata(points: Sequence[Point]) -> bool:
    """Returns whether the points' column `host` names SATA."""
    return bool(points) and all("SATA" in each.label("host") for each in points)


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


def started(look: Search, solution: Solution) -> Solution:
    """Returns the best of a search and of others that begin elsewhere."""
    best = solution
    for number in range(1, STARTS):
        # Low-discrepancy numbers: the same on every machine.
        way = [2 * ((number * (place + 1) * GOLDEN) % 1.0) - 1 for place in range(len(solution.logs))]
        start = np.exp(solution.logs + AROUND * np.array(way))
        there = look.solve(solution.model, list(start), steps=START_STEPS, slopes=solution.jacobian, renewals=0)
        if there.whole_cost < best.whole_cost:
            best = there
    return best


def not_behind_base(
    search: Search, some: Sequence[Point], model: Model, solution: Solution, choices: Choices
) -> tuple[Solution, Choices]:
    """Returns the search, or one from the base's own values where these alone cost less than its end.

    What is enumerated is compared on some of the points, so a search may end behind a base that is already near.
    """
    own = model.own_values()
    if not search.costs_less(model, own, solution.whole_cost, some):
        return solution, choices
    alike = [each.name for each in model.parameters] == [each.name for each in solution.model.parameters]
    slopes = solution.jacobian if alike else None
    there = search.solve(model, list(own.values()), steps=SEARCH_STEPS, slopes=slopes)
    return (there, choices.as_base()) if there.whole_cost < solution.whole_cost else (solution, choices)


def spread(points: Sequence[Point]) -> list[Point]:
    """Returns some of the points, over all depths."""
    ordered = sorted(points, key=lambda each: (each.op, each.outstanding, each.loads[0].jobs))
    step = max(len(ordered) / SUBSET, 1.0)
    return [ordered[int(place * step)] for place in range(min(SUBSET, len(ordered)))]


def _bounded(search: Search, solution: Solution) -> tuple[Solution, list[str]]:
    """Returns the search without the parameters that no point bounds, one after the other.

    Derivatives say which these may be; where the points miss the parameter, it stays.
    """
    loose: list[str] = []
    missed: set[str] = set()
    while len(solution.model.parameters) > 1 and (names := [e for e in unbounded(solution) if e not in missed]):
        kept = [each.name != names[0] for each in solution.model.parameters]
        slopes = solution.jacobian[:, kept]
        there = search.solve(solution.as_start().without(names[:1]), steps=3, slopes=slopes, renewals=0)
        if there.cost > solution.cost + WORTH * variance(solution):
            missed.add(names[0])
        else:
            loose.append(names[0])
            solution = there
    return solution, loose
