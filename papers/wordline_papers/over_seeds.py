"""Claims over several seeds: a mean with its interval, and how surely a claim holds or is missed."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from wordline.stats.interval import Interval
from wordline.stats.seeds import mean_interval
from wordline.sweeps.point import Computation, Point

from .claims import Measured, Verdict, judge

__all__ = ["certainty", "over_seeds", "with_seed"]


def with_seed(points: Sequence[Point | Computation], seed: int) -> list[Point | Computation]:
    """Returns the points with another seed; those that have one of their own keep it.

    A computation draws at random if its function takes a `seed`, which by default is the first one. Without it in the
    arguments, the first seed's results keep their places, and the store knows them.
    """

    def other(point: Point | Computation) -> Point | Computation:
        if isinstance(point, Point):
            return point if point.seed is not None or "seed" in point.settings else replace(point, seed=seed)
        takes_one = "seed" in inspect.signature(point.function).parameters
        own = "seed" in point.arguments
        return replace(point, arguments={**point.arguments, "seed": seed}) if takes_one and not own else point

    return [other(point) for point in points]


def over_seeds(by_seed: Sequence[Sequence[Verdict]]) -> list[Verdict]:
    """Returns one verdict per claim from those of each seed: numbers are means, orderings hold if they always do.

    Notes are those of the first seed.

    Args:
        by_seed: The verdicts of each seed, on the same claims in the same order.
    """
    return [_combined(verdicts) for verdicts in zip(*by_seed, strict=True)]


def _combined(verdicts: Sequence[Verdict]) -> Verdict:
    first = verdicts[0]
    answers = [verdict.holds for verdict in verdicts]
    values = [verdict.measured for verdict in verdicts if isinstance(verdict.measured, int | float)]
    if len(verdicts) == 1 or None in answers:
        return first
    if first.claim.op == "order" or len(values) < len(verdicts):
        return _always(first, answers)
    if len(set(values)) == 1:
        # No draw decides it: the rounding of a mean must not move it.
        return first
    mean, low, high = mean_interval(values)
    holds = judge(first.claim, Measured(mean))
    return replace(first, measured=mean, holds=holds, interval=Interval(mean, low, high, "seeds", len(values)))


def _always(first: Verdict, answers: Sequence[bool | None]) -> Verdict:
    """Returns the verdict on what is no number: it holds if it does for every seed."""
    held = sum(map(bool, answers))
    if held in (0, len(answers)):
        return first
    note = f"holds for {held} of {len(answers)} seeds"
    return replace(first, holds=False, note="; ".join(filter(None, (note, first.note))))


def certainty(verdict: Verdict) -> Literal["", "surely", "barely"]:
    """Returns how sure a verdict on a number is: surely if the whole interval of the mean gives the same answer.

    Empty without an interval: one seed, no number, or nothing that is drawn at random.
    """
    interval, claim = verdict.interval, verdict.claim
    if interval is None or interval.low is None or interval.high is None or isinstance(claim.value, str):
        return ""
    at_low, at_high = (bool(judge(claim, Measured(end))) for end in (interval.low, interval.high))
    if verdict.holds:
        return "surely" if at_low and at_high else "barely"
    # A wide interval may have the paper's value inside while both of its ends are too far away.
    spans = interval.low <= claim.value <= interval.high
    return "barely" if at_low or at_high or (claim.op == "=" and spans) else "surely"
