"""The intervals of one run's numbers, by batches, in the form of its document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..tables import Columns
from .balance import stored_bytes
from .columns import NS_PER_US, OPS, PERCENTILES, Batches, by_flow, histograms
from .interval import LEVEL, Interval
from .percentile import Histogram, percentile_interval
from .ratio import ratio_interval
from .steady import changes

__all__ = ["BEYOND_MIN", "beyond", "dig", "document_of", "hide_changing", "interval_of", "uncertainty_of_run"]

BEYOND_MIN = 100
"""Percentiles with fewer samples beyond them are marked."""
MB = 1e6
AMPLIFICATION = {
    "write_amplification": ("media_written_bytes", "host_written_bytes"),
    "write_amplification_pages": ("programs", "user_programs"),
}
"""Ratios of two columns of the intervals."""


def beyond(requests: float, percentile: str) -> int:
    """Returns the number of samples beyond a percentile of this many requests."""
    # Rounded first, because 1 - 0.9999 is slightly less than 0.0001.
    return int(round(requests * (1.0 - PERCENTILES[percentile]), 6))


def uncertainty_of_run(document: Mapping[str, Any], columns: Mapping[str, Columns]) -> dict[str, Any]:
    """Returns intervals of means, percentiles, rates and write amplification, by batches within the run; also by flow.

    A number of a run that changes meanwhile is not known, however close its batches: its interval has no ends.
    """
    batches = Batches.of_run(document, columns)
    # The time without power is in one batch and in no rate, so batches say nothing of rates.
    was_off = bool((document.get("power") or {}).get("cut"))
    state = stored_bytes(document, batches)
    uncertainty = _of_requests(document, batches, histograms(columns["bins"]), was_off, state)
    if "flow_intervals" in columns:
        uncertainty["flows"] = _of_flows(document, columns, was_off)
    for name, (programmed, written) in AMPLIFICATION.items():
        value = document[name]
        ratio = None
        if value is not None:
            ratio = ratio_interval(batches[programmed], batches[written], places=batches.places(), state=state)
        uncertainty[name] = None if ratio is None else document_of(_at(value, ratio))
    hide_changing(uncertainty, [document["steady"]])
    return {"level": LEVEL, "method": "batches", "count": len(batches), "values": uncertainty}


def _of_flows(document: Mapping[str, Any], columns: Mapping[str, Columns], was_off: bool) -> dict[str, Any]:
    bins, intervals = (by_flow(columns[name]) for name in ("flow_bins", "flow_intervals"))
    window = document["window"]
    uncertainty = {}
    for name, values in document["flows"].items():
        # Its first and last batches are those in which it ran.
        batches = Batches(intervals[name], window["end_s"], window["start_s"], time_s=values["time_s"])
        uncertainty[name] = _of_requests(values, batches, histograms(bins[name]), was_off)
    return uncertainty


def _of_requests(
    values: Mapping[str, Any],
    batches: Batches,
    known: Mapping[str, Histogram],
    was_off: bool,
    state: Sequence[float] | None = None,
) -> dict[str, Any]:
    """Returns the intervals of response times and rates, of a run or of one of its flows."""
    uncertainty: dict[str, Any] = {"response_us": {}, "iops": {}, "bandwidth_mb_s": {}}
    places = batches.places()
    ratio = partial(ratio_interval, places=places, state=state)
    for op in OPS:
        requests = batches.requests(op)
        if not sum(requests):
            continue
        spread = values["response_us"][op]
        inside = {"mean": _at(spread["mean"], ratio(batches.latency_us(op), requests))}
        for name, share in PERCENTILES.items():
            if spread[name] is None:
                continue
            counts = batches.beyond(op, name)
            value_ns = spread[name] * NS_PER_US
            made = None
            if op in known:
                made = percentile_interval(value_ns, share, known[op], counts, requests, places=places)
            inside[name] = _in_us(made)
        uncertainty["response_us"][op] = {name: document_of(each) for name, each in inside.items()}
        time_s = batches.duration_s
        has_no_rate = was_off or values["iops"][op] is None
        rate = None if has_no_rate else ratio(requests, time_s)
        uncertainty["iops"][op] = document_of(_at(values["iops"][op], rate))
        rate = None if has_no_rate else ratio([each / MB for each in batches.bytes(op)], time_s)
        uncertainty["bandwidth_mb_s"][op] = document_of(_at(values["bandwidth_mb_s"][op], rate))
    return uncertainty


def hide_changing(uncertainty: dict[str, Any], verdicts: Sequence[Mapping[str, Any]]) -> None:
    """Takes the ends from intervals of what changed in most of some runs, of which these are the verdicts."""
    for name in {"response_us", "iops", "bandwidth_mb_s", "flows", *AMPLIFICATION} & set(uncertainty):
        verdict = "write_amplification" if name in AMPLIFICATION else "response_us"
        changing = sum(changes(each.get(verdict)) for each in verdicts)
        if 2 * changing > len(verdicts):
            uncertainty[name] = _without_ends(uncertainty[name])


def _without_ends(inside: Any) -> Any:  # noqa: ANN401 - JSON
    """Returns intervals without their ends, and without waves, which have no meaning then."""
    if not isinstance(inside, Mapping):
        return inside
    kept = {name: each for name, each in inside.items() if name != "by_wave"}
    return {name: None if name in ("low", "high") else _without_ends(each) for name, each in kept.items()}


def document_of(interval: Interval | None) -> dict[str, Any] | None:
    """Converts an interval to the form of the document."""
    return None if interval is None else interval.known().to_dict()


def interval_of(document: Mapping[str, Any], path: str) -> Interval | None:
    """Returns the interval of a number of a document by its dotted path; None if it has none."""
    uncertainty = document.get("uncertainty")
    if not uncertainty:
        return None
    value, ends = dig(document, path), dig(uncertainty["values"], path)
    if not isinstance(value, int | float) or not isinstance(ends, Mapping):
        return None
    waves = tuple(ends.get("by_wave", ()))
    return Interval(value, ends["low"], ends["high"], uncertainty["method"], uncertainty["count"], waves)


def _in_us(interval: Interval | None) -> Interval | None:
    if interval is None:
        return None
    value, low, high = (None if ns is None else ns / NS_PER_US for ns in (interval.value, interval.low, interval.high))
    return replace(interval, value=value or 0.0, low=low, high=high)


def _at(value: float, interval: Interval | None) -> Interval | None:
    """Centres the interval on a value that treats the start and end of the run differently."""
    if interval is None or interval.low is None or interval.high is None:
        return interval
    shift = value - interval.value
    return replace(interval, value=value, low=interval.low + shift, high=interval.high + shift)


def dig(place: Any, path: str) -> Any:  # noqa: ANN401 - JSON
    """Returns the value at a dotted path; None if the path does not exist."""
    for step in path.split("."):
        if not isinstance(place, Mapping) or step not in place:
            return None
        place = place[step]
    return place
