"""One result of several seeds: the mean of every number, and its interval."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..tables import Columns
from .distributions import student_quantile
from .interval import LEVEL, Interval
from .pool import pool
from .run import hide_changing

if TYPE_CHECKING:
    from ..document import Document

__all__ = ["added_bins", "aggregate", "mean_interval"]

SUMMED = ("wall_s", "wall_precondition_s")
AVERAGED = ("wall_requests_per_s",)
VERDICTS = ("too short", "drifting", "steady")
OF_THIS_LENGTH = (
    "not every seed's run shows a steady state: numbers and intervals are those of runs of this length, whose "
    "beginning is part of each; a longer run would have others"
)


def aggregate(documents: Sequence[Mapping[str, Any]], bins: Sequence[Columns] = ()) -> Document:
    """Combines the documents of several seeds; `uncertainty` has each number's interval and its values by seed.

    A number is the mean over the seeds, but for percentiles, rates and write amplification: these are of all seeds'
    requests together, since the mean of the percentiles of short runs is none of a long one.

    Args:
        documents: One of each seed.
        bins: The latency bins of each seed; without them percentiles are means, too.
    """
    from ..document import MEASURED

    first = documents[0]
    values: dict[str, Any] = {}
    whole = dict(first)
    for name, value in first.items():
        if name in SUMMED:
            whole[name] = sum(each[name] for each in documents)
        elif name in MEASURED or name in AVERAGED:
            whole[name], inside = _merged([each[name] for each in documents], value)
            if inside is not None and name in MEASURED:
                values[name] = inside
    if "response_us" in first:
        pool(whole, values, documents, bins)
        hide_changing(values, [each["steady"] for each in documents])
    seeds = [each["seed"] for each in documents]
    whole["options"] = {**first["options"], "seeds": seeds}
    whole["uncertainty"] = {"level": LEVEL, "method": "seeds", "count": len(seeds), "seeds": seeds, "values": values}
    whole["steady"] = {name: _worst([each["steady"][name] for each in documents]) for name in first["steady"]}
    whole["warnings"] = list(dict.fromkeys(text for each in documents for text in each["warnings"]))
    verdict = whole["steady"].get("response_us")
    if verdict is not None and verdict["verdict"] != VERDICTS[-1]:
        whole["warnings"].append(OF_THIS_LENGTH)
    return cast("Document", whole)


def mean_interval(values: Sequence[float], level: float = LEVEL) -> tuple[float, float | None, float | None]:
    """Returns the mean of independent values and its interval by Student's t; a single value has no interval."""
    count = len(values)
    mean = math.fsum(values) / count
    if count < 2:
        return mean, None, None
    variance = math.fsum((each - mean) * (each - mean) for each in values) / (count - 1)
    half = student_quantile((1.0 + level) / 2.0, count - 1) * math.sqrt(variance / count)
    return mean, mean - half, mean + half


def _merged(values: list[Any], first: object) -> tuple[Any, Any]:
    """Returns the mean over the seeds of a part of the document, and its intervals."""
    if isinstance(first, Mapping):
        merged, inside = {}, {}
        for name in first:
            merged[name], each = _merged([value.get(name) for value in values if value], first[name])
            if each is not None:
                inside[name] = each
        return merged, inside or None
    if isinstance(first, list):
        longest = max((value for value in values if value is not None), key=len)
        padded = [[*value, *[None] * (len(longest) - len(value))] for value in values]
        return [_merged([row[place] for row in padded], longest[place])[0] for place in range(len(longest))], None
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if not numbers:
        return first, None
    mean, low, high = mean_interval(numbers)
    same = numbers[0] if all(each == numbers[0] for each in numbers) else mean
    return same, {**Interval(mean, low, high, "seeds", len(numbers)).known().to_dict(), "by_seed": values}


def _worst(verdicts: Sequence[Mapping[str, Any] | None]) -> Mapping[str, Any] | None:
    """Returns the verdict of the seed that is furthest from a steady state."""
    known = [each for each in verdicts if each is not None]
    return min(known, key=lambda each: VERDICTS.index(each["verdict"]), default=None)


def added_bins(tables: Sequence[Columns]) -> Columns:
    """Adds up the latency bins of all seeds."""
    words = tables[0]["op"][2]
    counts: Counter[tuple[int, int]] = Counter()
    for columns in tables:
        rows = (array(kind, columns[name][1]) for kind, name in (("i", "op"), ("Q", "upper_ns"), ("Q", "count")))
        for op, upper, count in zip(*rows, strict=True):
            counts[op, upper] += count
    keys = sorted(counts)
    return {
        "op": ("dictionary", array("i", [op for op, _ in keys]).tobytes(), words),
        "upper_ns": ("uint64", array("Q", [upper for _, upper in keys]).tobytes(), []),
        "count": ("uint64", array("Q", [counts[key] for key in keys]).tobytes(), []),
    }
