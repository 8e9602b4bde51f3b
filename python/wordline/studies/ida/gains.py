"""From outcomes to gains: how much shorter reads are with IDA than without, workload by workload."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from .. import Outcome, Results
from . import pace

__all__ = ["PARTS", "by_workload", "late", "load", "mean_gain", "rows"]

# Parts of the study that compare response times, and the label that tells their points apart.
PARTS: Mapping[str, str | None] = {
    "fig8": None,
    "fig9": "dtr_us",
    "load": "load",
    "programs": None,
    "runs": None,
    "extents": "extent_pages",
    "random": None,
    "equal": None,
    "total": None,
    "fig11": "pec",
    "tableV": None,
    "literal": None,
    "qlc": None,
}
READ = "response_us.read.mean"
RETRIED_MIN = 0.01


def by_workload(results: Results, system: str, **labels: Any) -> dict[str, float]:  # noqa: ANN401 - any label
    """Gain in mean read response time of a system over the baseline, a fraction by workload."""
    ours, base = (results.where(system=name, **labels) for name in (system, "baseline"))
    before = {outcome.coordinates["trace"]: outcome[READ] for outcome in base}
    return {o.coordinates["trace"]: 1.0 - o[READ] / before[o.coordinates["trace"]] for o in ours}


def mean_gain(results: Results, system: str, **labels: Any) -> float:  # noqa: ANN401 - any label
    """The mean over the workloads."""
    return statistics.fmean(by_workload(results, system, **labels).values())


def late(results: Results) -> list[int]:
    """The P/E cycles of Fig. 11 at which one read in a hundred, or more, is retried and every chip keeps up."""
    found = results.where(part="fig11", system="baseline")
    fits = []
    for pec in found.values_of("pec"):
        base = found.where(pec=pec)
        if base.mean("read_retry.first_failure_share") >= RETRIED_MIN and max(map(busiest, base)) < 1.0:
            fits.append(int(pec))
    return fits


def busiest(outcome: Outcome) -> float:
    """The load of the chip that reads hold longest, where each has a link: by the data that crossed it."""
    links = [link["cor"] + link["uncor"] for link in outcome["channel_time.channels"]]
    return float(load(outcome) * max(links) / statistics.fmean(links))


def load(outcome: Outcome, counted: pace.Counted = "reads") -> float:
    """Share of the time that reads hold a chip, or in `literal` a channel, while requests come."""
    at = outcome.coordinates
    busy_us = pace.busy_s(outcome.document, at["schedule.unit"] == "chip", counted) * pace.US_PER_S
    return busy_us / pace.arrivals_us(at, at["trace"], at["requests"])


def rows(results: Results) -> list[dict[str, Any]]:
    """Every gain, with what the baseline's chips did."""
    table = []
    for part, label in PARTS.items():
        found = results.where(part=part)
        for value in found.values_of(label) if label else [None]:
            labels: dict[str, Any] = {"part": part, **({label: value} if label else {})}
            base = {o.coordinates["trace"]: o for o in results.where(system="baseline", **labels)}
            for system in [name for name in found.values_of("system") if name != "baseline"]:
                for trace, gain in by_workload(results, system, **labels).items():
                    table.append(
                        {
                            "part": part,
                            "value": value,
                            "workload": trace,
                            "system": system,
                            "gain": gain,
                            "baseline_read_us": base[trace][READ],
                            "baseline_load": load(base[trace]),
                            "baseline_load_with_programs": load(base[trace], "all"),
                            "busiest_chip": busiest(base[trace]),
                        }
                    )
    return table
