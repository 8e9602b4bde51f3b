"""Decides whether a run has reached its steady state: for response times, and for write amplification."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from ..tables import Columns
from .columns import Batches
from .distributions import student_quantile
from .interval import LEVEL
from .ratio import BATCHES_MIN, lag_correlation
from .warmup import batched, mser

__all__ = ["DRIFT_MAX", "FRESH", "steady_of_run", "warnings_of_run"]

STEADY, DRIFTING, TOO_SHORT = "steady", "drifting", "too short"
DRIFT_MAX = 0.10
"""A trend that changes the value by less over the run is not drift: SNIA's steady state allows a slope of 10 %."""
NEW_DRIVE = (
    "the drive is factory-fresh and garbage collection has not begun: write amplification and response times are those "
    "of a new drive; precondition.fill = 1 and precondition.overwrite = 1 start from a used one"
)
FRESH = "factory-fresh: garbage collection has not begun"
REQUESTS_MIN = 100
WRITE_HEAVY = 0.5
"""Share of bytes written above which the write times of a new drive give a warning."""


def steady_of_run(document: Mapping[str, Any], columns: Mapping[str, Columns]) -> dict[str, Any]:
    """Returns the verdicts of a run: each `verdict` is steady, drifting or too short, with its `reason`."""
    batches = Batches(columns["intervals"], document["simulated_s"])
    return {
        "response_us": _response(batches, columns["series"]),
        "write_amplification": _amplification(document, batches),
    }


def warnings_of_run(document: Mapping[str, Any]) -> list[str]:
    """Returns a warning for a run that writes much to a new drive."""
    steady = document["steady"]["write_amplification"]
    rates = document["bandwidth_mb_s"]
    if steady is None or steady["reason"] != FRESH or rates["write"] < WRITE_HEAVY * rates["all"]:
        return []
    return [NEW_DRIVE]


def _response(batches: Batches, series: Columns) -> dict[str, Any]:
    numbers = {name: array("Q", data) for name, (_, data, _) in series.items()}
    counts = [r + w for r, w in zip(numbers["reads"], numbers["writes"], strict=True)]
    sums = [
        (r + w) / 1000.0 for r, w in zip(numbers["read_latency_sum_ns"], numbers["write_latency_sum_ns"], strict=True)
    ]
    means = batched(sums, counts)
    warm_up = mser([mean for mean, _ in means])
    left_out = sum(count for _, count in means[: warm_up.batches])
    found = {"warmup_requests": left_out, "drift": None}
    if sum(counts) < REQUESTS_MIN or len(means) < 2 * BATCHES_MIN:
        return {**found, **_verdict(TOO_SHORT, f"{sum(counts)} requests are too few to tell")}
    if not warm_up.is_found:
        return {**found, **_verdict(TOO_SHORT, "the warm-up takes more than half of the run")}
    values, seen = [], 0.0
    for total, count in batches.whole(batches.latency_us("all"), batches.requests("all")):
        seen += count
        if count and seen > left_out:
            values.append(total / count)
    return {**found, **_drift_of(values)}


def _amplification(document: Mapping[str, Any], batches: Batches) -> dict[str, Any] | None:
    """Returns None if nothing was written to flash for the user."""
    if document["write_amplification"] is None:
        return None
    before = document["precondition"]
    if not document["gc"]["erases"] and not before["erases"]:
        return {"drift": None, **_verdict(TOO_SHORT, FRESH)}
    values = [
        programs / user for programs, user in batches.whole(batches["programs"], batches["user_programs"]) if user
    ]
    warm_up = mser(values)
    if not warm_up.is_found:
        return {"drift": None, **_verdict(TOO_SHORT, "it still settles in the second half of the run")}
    return {"drift": None, **_drift_of(values[warm_up.batches :])}


def _drift_of(values: Sequence[float]) -> dict[str, Any]:
    """Returns the verdict on values of equal time, and their drift: the change of the fitted line over their mean."""
    count = len(values)
    if count < BATCHES_MIN:
        return _verdict(TOO_SHORT, f"{count} intervals are too few to tell")
    mean = sum(values) / count
    if mean == 0:
        return {"drift": 0.0, **_verdict(STEADY, "no time is modelled")}
    centre = (count - 1) / 2.0
    places = sum((place - centre) ** 2 for place in range(count))
    slope = sum((place - centre) * value for place, value in enumerate(values)) / places
    residuals = [value - mean - slope * (place - centre) for place, value in enumerate(values)]
    left = min(max(lag_correlation(residuals), 0.0), 0.9)
    spread = math.sqrt(sum(each * each for each in residuals) / (count - 2) / places * (1.0 + left) / (1.0 - left))
    drift = slope * (count - 1) / mean
    is_clear = abs(slope) > student_quantile((1.0 + LEVEL) / 2.0, count - 2) * spread
    if abs(drift) > DRIFT_MAX:
        if is_clear:
            return {"drift": drift, **_verdict(DRIFTING, f"it changes by {100 * drift:+.0f} % over the run")}
        chance = f"a change of {100 * drift:+.0f} % over the run cannot be told from chance"
        return {"drift": drift, **_verdict(TOO_SHORT, chance)}
    return {"drift": drift, **_verdict(STEADY, f"no drift of more than {100 * DRIFT_MAX:.0f} % over the run")}


def _verdict(verdict: str, reason: str) -> dict[str, str]:
    return {"verdict": verdict, "reason": reason}
