"""Decides whether a run has reached its steady state: for response times, and for write amplification."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..tables import Columns
from .aged import differences_from_aging, is_known, why_aging_knows_more, why_not_aged, within_rest
from .balance import imbalance_of
from .columns import Batches
from .distributions import student_quantile
from .interval import LEVEL
from .ratio import BATCHES_MIN
from .warmup import batched, mser

__all__ = ["DRIFT_MAX", "FRESH", "changes", "drift_of", "steady_as_known", "steady_of_run", "warnings_of_run"]

STEADY, DRIFTING, TOO_SHORT = "steady", "drifting", "too short"
DRIFT_MAX = 0.10
"""A trend that changes the value by less over the run is not drift: SNIA's steady state allows a slope of 10 %."""
KNOWN_MAX = 1.0
"""A trend whose interval reaches beyond so large a change of the mean is not known."""
SHIFT_MAX = 0.05
"""A warm-up that moves the number by less is no drift."""
NEW_DRIVE = (
    "garbage collection has not begun: write amplification and response times are those "
    'of a new drive; --steady begins with a used one (precondition.fill = 1, precondition.overwrite = "steady")'
)
FRESH = "factory-fresh: garbage collection has not begun"
REQUESTS_MIN = 100
WRITE_HEAVY = 0.5
"""Share of bytes written above which the write times of a new drive give a warning."""


def steady_of_run(document: Mapping[str, Any], columns: Mapping[str, Columns]) -> dict[str, Any]:
    """Returns the verdicts of a run: each `verdict` is steady, drifting or too short, with its `reason`."""
    batches = Batches.of_run(document, columns)
    response: dict[str, Any] | None = _response(batches, columns["series"])
    amplification: dict[str, Any] | None = _amplification(document, batches)
    # A new drive is said to be one, and a drive of zones has no garbage collection that could be at equilibrium.
    is_used = document["precondition"]["host_pages"] or _has_collected(document)
    if (
        is_used
        and not document.get("zones")
        and len(batches)
        and (why := why_not_aged(document) or within_rest(document) or imbalance_of(document, batches)) is not None
    ):
        response, amplification = (_at_equilibrium(each, why) for each in (response, amplification))
    return {"response_us": response, "write_amplification": amplification}


def steady_as_known(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the verdicts of a run with its intervals: write amplification that is not known is not steady."""
    verdicts: dict[str, Any] = document["steady"]
    amplification = verdicts["write_amplification"]
    if amplification is None or amplification["verdict"] != STEADY:
        return verdicts
    why = why_aging_knows_more(document) if is_known(document) else "its interval is not known"
    return verdicts if why is None else {**verdicts, "write_amplification": amplification | _verdict(TOO_SHORT, why)}


def _at_equilibrium(response: dict[str, Any] | None, why_not: str) -> dict[str, Any] | None:
    """Returns a verdict on an SSD that is not at equilibrium: then nothing is steady, however even it looks."""
    if response is None:
        return None
    verdict = {} if response["verdict"] == DRIFTING else _verdict(TOO_SHORT, why_not)
    return {**response, "is_balanced": False, **verdict}


def changes(verdict: Mapping[str, Any] | None) -> bool:
    """Returns True if a run's numbers change in it, so that those of a longer one would be others."""
    return verdict is not None and (verdict["verdict"] == DRIFTING or verdict.get("is_balanced") is False)


def warnings_of_run(document: Mapping[str, Any]) -> list[str]:
    """Returns warnings: of a run that writes much to a new drive, and of one that differs from aging."""
    warnings = [*differences_from_aging(document)]
    rates = document["bandwidth_mb_s"]
    is_read = (rates["write"] or 0.0) < WRITE_HEAVY * (rates["all"] or 0.0)
    if document["steady"]["write_amplification"] is None or is_read or _has_collected(document):
        return warnings
    state = "holds data, but" if document["precondition"]["host_pages"] else "is factory-fresh and"
    return [*warnings, f"the drive {state} {NEW_DRIVE}"]


def _has_collected(document: Mapping[str, Any]) -> bool:
    """Whether garbage collection has begun: in the run, before it, or in earlier runs on a drive that was loaded."""
    life = document.get("life") or {}
    return bool(document["gc"]["erases"] or document["precondition"]["erases"] or life.get("erased_bytes"))


def _response(batches: Batches, series: Columns) -> dict[str, Any]:
    numbers = {name: array("Q", data) for name, (_, data, _) in series.items()}
    counts = [r + w for r, w in zip(numbers["reads"], numbers["writes"], strict=True)]
    sums = [
        (r + w) / 1000.0 for r, w in zip(numbers["read_latency_sum_ns"], numbers["write_latency_sum_ns"], strict=True)
    ]
    means = batched(sums, counts)
    warm_up = mser([mean for mean, _ in means])
    left_out = sum(count for _, count in means[: warm_up.batches])
    response = {"warmup_requests": left_out, "drift": None}
    if sum(counts) < REQUESTS_MIN or len(means) < 2 * BATCHES_MIN:
        return {**response, **_verdict(TOO_SHORT, f"{sum(counts)} requests are too few to tell")}
    rows = batches.whole(batches.latency_us("all"), batches.requests("all"))
    if not warm_up.is_found:
        # A trend gives no minimum in the first half; chance may not do so either, and then there is no trend.
        response["warmup_requests"] = left_out = 0
    values, seen = [], 0.0
    for total, count in rows:
        seen += count
        if count and seen > left_out:
            values.append(total / count)
    verdict = drift_of(values, " us")
    shift = _shift(rows, len(values))
    if verdict["verdict"] == STEADY and abs(shift) > SHIFT_MAX:
        verdict |= _verdict(DRIFTING, f"{_warm_up(shift)}; host.warmup_requests = {left_out} leaves it out")
    return {**response, **verdict}


def _amplification(document: Mapping[str, Any], batches: Batches) -> dict[str, Any] | None:
    """Returns None if the host wrote nothing, or to a drive of zones, which moves nothing."""
    if document["write_amplification"] is None or document.get("zones"):
        return None
    if not _has_collected(document):
        return {"drift": None, **_verdict(TOO_SHORT, FRESH)}
    rows = [row for row in batches.whole(batches["media_written_bytes"], batches["host_written_bytes"]) if row[1]]
    values = [media / host for media, host in rows]
    warm_up = mser(values)
    if warm_up.is_found:
        values = values[warm_up.batches :]
    verdict = {"drift": None, **drift_of(values)}
    shift = _shift(rows, len(values))
    if verdict["verdict"] == STEADY and abs(shift) > SHIFT_MAX:
        verdict |= _verdict(DRIFTING, f"{_warm_up(shift)}; host.warmup_requests leaves it out")
    return verdict


def _shift(rows: Sequence[tuple[float, ...]], count: int) -> float:
    """Returns by which share the first rows move the ratio of the sums of all from that of the last `count` rows."""
    whole, last = (_ratio(part) for part in (rows, rows[len(rows) - count :]))
    return whole / last - 1.0 if last else 0.0


def _ratio(rows: Sequence[tuple[float, ...]]) -> float:
    below = math.fsum(row[1] for row in rows)
    return math.fsum(row[0] for row in rows) / below if below else 0.0


def _warm_up(shift: float) -> str:
    return f"a warm-up at the beginning moves it by {100 * shift:+.0f} %"


def drift_of(values: Sequence[float], unit: str = "") -> dict[str, Any]:
    """Returns the verdict on values of equal time, and their drift: the change of the fitted line over their mean.

    A drift of which chance leaves next to nothing known is None.
    """
    count = len(values)
    if count < BATCHES_MIN:
        return _verdict(TOO_SHORT, f"{count} intervals are too few to tell")
    mean = math.fsum(values) / count
    if mean == 0:
        return {"drift": 0.0, **_verdict(STEADY, "no time is modelled")}
    centre = (count - 1) / 2.0
    places = math.fsum((place - centre) * (place - centre) for place in range(count))
    slope = math.fsum((place - centre) * value for place, value in enumerate(values)) / places
    residuals = [value - mean - slope * (place - centre) for place, value in enumerate(values)]
    left = min(max(_lag_correlation(residuals), 0.0), 0.9)
    squares = math.fsum(each * each for each in residuals)
    spread = math.sqrt(squares / (count - 2) / places * (1.0 + left) / (1.0 - left))
    drift, chance = (each * (count - 1) / mean for each in (slope, spread))
    chance *= student_quantile((1.0 + LEVEL) / 2.0, count - 2)
    if abs(drift) > DRIFT_MAX and abs(drift) > chance:
        return {"drift": drift, **_verdict(DRIFTING, _from_to(values, unit))}
    if abs(drift) + chance > KNOWN_MAX:
        return {"drift": None, **_verdict(TOO_SHORT, "it varies so much that a trend over the run is not known")}
    if abs(drift) > DRIFT_MAX:
        words = f"a change of {100 * drift:+.0f} % over the run, ±{100 * chance:.0f} %, cannot be told from chance"
        return {"drift": drift, **_verdict(TOO_SHORT, words)}
    return {"drift": drift, **_verdict(STEADY, f"no drift of more than {100 * DRIFT_MAX:.0f} % over the run")}


def _lag_correlation(values: Sequence[float]) -> float:
    """Returns the correlation of each value with the next one, for values with mean 0; 0 if they do not vary."""
    squares = math.fsum(each * each for each in values)
    return math.fsum(a * b for a, b in pairwise(values)) / squares if squares > 0 else 0.0


def _from_to(values: Sequence[float], unit: str) -> str:
    """Says where the values begin and end: a line through a curve may begin below 0, and its change says little."""
    part = max(len(values) // 4, 1)
    first, last = (_number(math.fsum(each) / part) for each in (values[:part], values[-part:]))
    return f"it goes from {first}{unit} in the first quarter of the run to {last}{unit} in the last"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _verdict(verdict: str, reason: str) -> dict[str, str]:
    return {"verdict": verdict, "reason": reason}
