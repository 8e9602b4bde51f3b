"""A run as fio's own JSON, so that tools that read fio's results read it.

The latency of a request is fio's `lat`, the time of the job's processor its `slat`, the rest its `clat`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..stats.columns import Batches, by_flow, histograms
from ..stats.percentile import Histogram
from ..tables import Columns

__all__ = ["VERSION", "Job", "document_of"]

VERSION = "fio-3.33"
"""The version whose form this is."""
OPS = ("read", "write", "trim")
PERCENTILES = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99)
NS_BINS = (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)
MS_BINS = (*NS_BINS, 2000)
DEPTHS = (1, 2, 4, 8, 16, 32)
KIB = 1024


@dataclass(frozen=True)
class Job:
    """A job of the result: its name, group and options, and the flows of the run that are its requests."""

    name: str
    group: int
    options: Mapping[str, str]
    flows: Sequence[str]


def document_of(
    document: Mapping[str, Any], columns: Mapping[str, Columns], jobs: Sequence[Job], own_ns: int
) -> dict[str, Any]:
    """Returns the run of some jobs as fio's document.

    Args:
        document: The run's.
        columns: Its tables.
        jobs: The jobs, in order.
        own_ns: Time of the job's processor for each request.
    """
    now = time.time()
    return {
        "fio version": VERSION,
        "timestamp": int(now),
        "timestamp_ms": int(now * 1000),
        "time": time.strftime("%a %b %d %H:%M:%S %Y", time.localtime(now)),
        "wordline version": _core.__version__,
        "global options": {},
        "jobs": [_job(document, columns, job, own_ns) for job in jobs],
    }


def _job(document: Mapping[str, Any], columns: Mapping[str, Columns], job: Job, own_ns: int) -> dict[str, Any]:
    parts = {op: _part(document, columns, job.flows, op, own_ns) for op in OPS}
    all_ns = _histogram(columns, job.flows, "all")
    outstanding = {each["flow"]: each["queue_depth"] or 1 for each in document["workload"]["flows"]}[job.flows[0]]
    depth = min((each for each in DEPTHS if each >= outstanding), default=">=64")
    seconds = max(part["runtime"] for part in parts.values())
    return {
        "jobname": job.name,
        "groupid": job.group,
        "error": 0,
        "eta": 0,
        "elapsed": -(-seconds // 1000),
        "job options": dict(job.options),
        **parts,
        "sync": {"total_ios": 0, "lat_ns": _moments(0, 0.0, 0.0, 0.0, 0.0)},
        "job_runtime": seconds,
        **dict.fromkeys(("usr_cpu", "sys_cpu"), 0.0),
        **dict.fromkeys(("ctx", "majf", "minf"), 0),
        "iodepth_level": {str(each): 100.0 if each == depth else 0.0 for each in (*DEPTHS, ">=64")},
        **{
            name: {each: 100.0 if each == "4" else 0.0 for each in ("0", "4", "8", "16", "32", "64", ">=64")}
            for name in ("iodepth_submit", "iodepth_complete")
        },
        **_shares(all_ns),
        "latency_depth": int(job.options.get("iodepth", 1)),
        "latency_target": 0,
        "latency_percentile": 100.0,
        "latency_window": 0,
    }


def _part(
    document: Mapping[str, Any], columns: Mapping[str, Columns], flows: Sequence[str], op: str, own_ns: int
) -> dict[str, Any]:
    """Returns what a job did in one direction."""
    if op == "trim":
        return _empty()
    parts = [document["flows"][name] for name in flows if name in document["flows"]] or [document]
    counts = [each["requests"][op] for each in parts]
    total = sum(counts)
    if not total:
        return _empty()
    seconds = max(each.get("time_s") or _window_s(document) for each in parts)
    io_bytes = round(
        sum(each["bandwidth_mb_s"][op] * 1e6 * (each.get("time_s") or _window_s(document)) for each in parts)
    )
    latencies = [each["response_us"][op] for each in parts]
    mean_us = sum(n * each["mean"] for n, each in zip(counts, latencies, strict=True)) / total
    square = sum(n * (each["std"] ** 2 + each["mean"] ** 2) for n, each in zip(counts, latencies, strict=True)) / total
    moments = (min(each["min"] for each in latencies), max(each["max"] for each in latencies), mean_us)
    std = max(square - mean_us**2, 0.0) ** 0.5
    histogram = _histogram(columns, flows, op)
    least, most, mean = (max(1000 * each - own_ns, 0.0) for each in moments)
    return {
        "io_bytes": io_bytes,
        "io_kbytes": io_bytes // KIB,
        "bw_bytes": round(io_bytes / seconds),
        "bw": round(io_bytes / seconds / KIB),
        "iops": total / seconds,
        "runtime": max(1, round(1000 * seconds)),
        "total_ios": total,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": _moments(total, own_ns, own_ns, float(own_ns), 0.0),
        "clat_ns": {
            **_moments(total, least, most, mean, 1000 * std),
            "percentile": {f"{each:.6f}": max(0, round(histogram.at(each / 100)) - own_ns) for each in PERCENTILES},
            "bins": _bins(histogram, own_ns),
        },
        "lat_ns": _moments(total, 1000 * moments[0], 1000 * moments[1], 1000 * mean_us, 1000 * std),
        **_samples(document, columns, flows, op, total / seconds, io_bytes / seconds),
    }


def _window_s(document: Mapping[str, Any]) -> float:
    return float(document["window"]["end_s"] - document["window"]["start_s"])


def _moments(count: int, least: float, most: float, mean: float, std: float) -> dict[str, Any]:
    return {"min": round(least), "max": round(most), "mean": mean, "stddev": std, "N": count}


def _bins(histogram: Histogram, own_ns: int) -> dict[str, int]:
    """Returns the bins of `--output-format=json+`."""
    counts: Counter[int] = Counter()
    for upper, count in zip(histogram.upper, histogram.count, strict=True):
        counts[max(0, round(upper) - own_ns)] += count
    return {str(each): counts[each] for each in sorted(counts)}


def _histogram(columns: Mapping[str, Columns], flows: Sequence[str], op: str) -> Histogram:
    """Returns the response times of some flows, ns."""
    tables = by_flow(columns["flow_bins"]) if "flow_bins" in columns else dict.fromkeys(flows, columns["bins"])
    counts: Counter[float] = Counter()
    for name in flows:
        part = histograms(tables[name]).get(op) if name in tables else None
        if part is not None:
            counts.update(dict(zip(part.upper, part.count, strict=True)))
    upper = sorted(counts)
    return Histogram(upper, [counts[each] for each in upper])


def _shares(histogram: Histogram) -> dict[str, dict[str, float]]:
    """Returns the share of requests in each of fio's coarse bins, in percent."""
    edges = [("latency_ns", f"{each}", each) for each in NS_BINS]
    edges += [("latency_us", f"{each}", each * 1000) for each in NS_BINS]
    edges += [("latency_ms", f"{each}", each * 1_000_000) for each in MS_BINS]
    shares: dict[str, dict[str, float]] = {"latency_ns": {}, "latency_us": {}, "latency_ms": {}}
    total, place, seen = histogram.total or 1, 0, 0
    for table, name, edge in edges:
        count = 0
        while place < len(histogram.upper) and histogram.upper[place] <= edge:
            count += histogram.count[place]
            place += 1
        seen += count
        shares[table][name] = 100.0 * count / total
    shares["latency_ms"][">=2000"] = 100.0 * (histogram.total - seen) / total
    return shares


def _samples(
    document: Mapping[str, Any],
    columns: Mapping[str, Columns],
    flows: Sequence[str],
    op: str,
    iops: float,
    bytes_s: float,
) -> dict[str, Any]:
    """Returns least, largest and mean rate over the intervals of the run, of one flow; of several the mean alone."""
    rates, widths = [iops], [bytes_s / KIB]
    if len(flows) == 1:
        batches = Batches.of_run(document, columns)
        if "flow_intervals" in columns:
            window = document["window"]
            batches = Batches(by_flow(columns["flow_intervals"])[flows[0]], window["end_s"], window["start_s"])
        times = [each or 1.0 for each in batches.duration_s]
        rates = [n / each for n, each in zip(batches.requests(op), times, strict=True)][:-1] or rates
        widths = [n / each / KIB for n, each in zip(batches.bytes(op), times, strict=True)][:-1] or widths
    return {**_spread("bw", widths), "bw_agg": 100.0, **_spread("iops", rates)}


def _spread(name: str, values: Sequence[float]) -> dict[str, Any]:
    mean = sum(values) / len(values)
    spread = (sum((each - mean) ** 2 for each in values) / len(values)) ** 0.5
    deviation = "bw_dev" if name == "bw" else "iops_stddev"
    return {
        f"{name}_min": round(min(values)),
        f"{name}_max": round(max(values)),
        f"{name}_mean": mean,
        deviation: spread,
        f"{name}_samples": len(values),
    }


def _empty() -> dict[str, Any]:
    nothing = _moments(0, 0.0, 0.0, 0.0, 0.0)
    names = ("io_bytes", "io_kbytes", "bw_bytes", "bw", "runtime", "total_ios", "short_ios", "drop_ios")
    return {
        **dict.fromkeys(names, 0),
        "iops": 0.0,
        "slat_ns": nothing,
        "clat_ns": nothing,
        "lat_ns": nothing,
        **_spread("bw", [0.0]),
        "bw_agg": 0.0,
        **_spread("iops", [0.0]),
    }
