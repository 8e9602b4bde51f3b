"""Ratios and percentiles of all seeds together, with the seeds as batches."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..tables import Columns
from .columns import NS_PER_US, OPS, PERCENTILES, histograms
from .distributions import student_quantile
from .interval import LEVEL, Interval
from .percentile import Histogram, percentile_interval
from .ratio import BATCHES_MIN, independent
from .run import beyond as beyond_of

__all__ = ["pool", "pooled_ratio"]


def pool(
    document: dict[str, Any], values: dict[str, Any], documents: Sequence[Mapping[str, Any]], bins: Sequence[Columns]
) -> None:
    """Puts what all seeds give together in the place of means over the seeds.

    Args:
        document: The document of all seeds.
        values: The intervals of its numbers.
        documents: The document of each seed.
        bins: The latency bins of each seed, or none.
    """
    for op in OPS:
        counts = [float(each["requests"][op]) for each in documents]
        if not sum(counts):
            continue
        sums = [each["response_us"][op]["mean"] * count for each, count in zip(documents, counts, strict=True)]
        _put(document, values, ("response_us", op, "mean"), pooled_ratio(sums, counts))
        for rate in ("iops", "bandwidth_mb_s"):
            per_s = [each["iops"][op] for each in documents]
            if all(per_s):
                times_s = [count / each for count, each in zip(counts, per_s, strict=True)]
                amounts = [each[rate][op] * time_s for each, time_s in zip(documents, times_s, strict=True)]
                _put(document, values, (rate, op), pooled_ratio(amounts, times_s))
        if bins:
            _percentiles(document, values, documents, [histograms(each).get(op) for each in bins], op)
    written = (
        [each["written_bytes"] for each in documents] if all("written_bytes" in each for each in documents) else []
    )
    if sum(each["host"] for each in written):
        made = pooled_ratio([each["media"] for each in written], [each["host"] for each in written])
        _put(document, values, ("write_amplification",), made)


def pooled_ratio(above: Sequence[float], below: Sequence[float], level: float = LEVEL) -> Interval:
    """Returns sum(above) / sum(below) of independent runs, with its interval; without ends for a single run."""
    runs, whole = len(above), math.fsum(below)
    value = math.fsum(above) / whole
    if runs < 2:
        return Interval(value, None, None, "seeds", runs)
    residuals = [y - value * x for y, x in zip(above, below, strict=True)]
    squares = math.fsum(each * each for each in residuals)
    half = student_quantile((1.0 + level) / 2.0, runs - 1) * math.sqrt(squares * runs / (runs - 1)) / whole
    return Interval(value, value - half, value + half, "seeds", runs)


def _percentiles(
    document: dict[str, Any],
    values: dict[str, Any],
    documents: Sequence[Mapping[str, Any]],
    by_seed: Sequence[Histogram | None],
    op: str,
) -> None:
    runs = [each for each in by_seed if each is not None]
    counts: Counter[float] = Counter()
    for each in runs:
        counts.update(dict(zip(each.upper, each.count, strict=True)))
    uppers = sorted(counts)
    together = Histogram(uppers, [counts[each] for each in uppers])
    most_ns = max(each["response_us"][op]["max"] for each in documents) * NS_PER_US
    for name, share in PERCENTILES.items():
        if not beyond_of(together.total, name):
            continue
        value_ns = together.at(share)
        beyond = [sum(n for upper, n in zip(run.upper, run.count, strict=True) if upper > value_ns) for run in runs]
        made = None
        if len(runs) >= BATCHES_MIN:
            totals = [run.total for run in runs]
            estimate = independent(beyond, totals)
            made = percentile_interval(value_ns, share, together, beyond, totals, estimate=estimate)
        value = min(value_ns, most_ns) / NS_PER_US
        place = ("response_us", op, name)
        if made is None:
            _shift(document, values, place, value)
        else:
            low, high = (None if end is None else min(end, most_ns) / NS_PER_US for end in (made.low, made.high))
            _put(document, values, place, Interval(value, low, high, "seeds", len(runs)))


def _shift(document: dict[str, Any], values: dict[str, Any], place: tuple[str, ...], value: float) -> None:
    """Too few seeds for their batches: the spread of their own percentiles, around that of all."""
    own, inside = _at(document, place), _at(values, place)
    if own is None or inside is None:
        # No seed alone has requests beyond it.
        _put(document, values, place, Interval(value, None, None, "seeds", 0))
        return
    low, high = (None if inside[end] is None else inside[end] + value - own for end in ("low", "high"))
    _put(document, values, place, Interval(value, low, high, "seeds", 0))


def _put(document: dict[str, Any], values: dict[str, Any], place: tuple[str, ...], made: Interval) -> None:
    *folders, name = place
    _at(document, folders)[name] = made.value
    inside = _at(values, place)
    if inside is not None:
        inside |= made.known().to_dict()


def _at(place: Any, path: Sequence[str]) -> Any:  # noqa: ANN401 - JSON
    for step in path:
        place = None if place is None else place.get(step)
    return place
