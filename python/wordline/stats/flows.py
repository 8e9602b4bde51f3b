"""How fairly flows share an SSD: by how much each is slower than it would be alone, and whether all last as long."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

from ..tables import Columns
from .columns import by_flow

__all__ = ["beside_alone", "fairness", "slowdowns", "warnings_of_short_flows"]

SHORT = 0.5
"""A flow is short that ends before this part of the run's time."""


def slowdowns(shared: Mapping[str, Any], alone: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """The mean response time of each flow over that of the same flow alone.

    Args:
        shared: The document of the run in which the flows share the SSD.
        alone: By flow the document of a run that has only this flow.

    Raises:
        ValueError: A flow that one of the two does not have, or whose requests take no time.
    """
    flows = shared["response_us"]["flows"]
    if set(flows) != set(alone):
        raise ValueError(f"the flows are {', '.join(flows)}, but there are runs alone of {', '.join(alone)}")
    factors = {}
    for name, values in flows.items():
        by_itself = _of(alone[name], name)["response_us"]["all"]["mean"]
        if not by_itself:
            raise ValueError(f"flow {name}: alone its requests take no time, so that nothing can be slower")
        factors[name] = values["mean"] / by_itself
    return factors


def _of(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Returns the numbers of a flow: the document's own where it has one flow."""
    own: Mapping[str, Any] = document.get("flows", {}).get(name, document)
    return own


def fairness(slow: Mapping[str, float]) -> float:
    """The smallest slowdown over the largest: 1 where all flows suffer alike (Tavakkol et al., FLIN, ISCA 2018)."""
    return min(slow.values()) / max(slow.values())


def beside_alone(shared: Mapping[str, Any], alone: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Returns the mean, p99 (us) and rate of each flow beside the others and alone, and how many times slower it is.

    Args:
        shared: As for `slowdowns`.
        alone: As for `slowdowns`.

    Raises:
        ValueError: As `slowdowns`.
    """
    means = slowdowns(shared, alone)
    rows = {}
    for name, slowdown in means.items():
        together, by_itself = shared["flows"][name], _of(alone[name], name)
        here, there = (each["response_us"]["all"] for each in (together, by_itself))
        known = here["p99"] is not None and there["p99"]
        rows[name] = {
            "mean": here["mean"],
            "mean_alone": there["mean"],
            "mean_slowdown": slowdown,
            "p99": here["p99"],
            "p99_alone": there["p99"],
            "p99_slowdown": here["p99"] / there["p99"] if known else None,
            "iops": together["iops"]["all"],
            "iops_alone": by_itself["iops"]["all"],
        }
    return rows


def warnings_of_short_flows(document: Mapping[str, Any], columns: Mapping[str, Columns]) -> list[str]:
    """Returns a line on the flows that end in the first half of the run, while others go on.

    Flows of several groups are meant to follow each other, so nothing is said of them.
    """
    if len({each["group"] for each in document["workload"]["flows"]}) > 1 or "flow_intervals" not in columns:
        return []
    parts = _ends(document, by_flow(columns["flow_intervals"]))
    early = {name: part for name, part in parts.items() if part < SHORT}
    if not early:
        return []
    shares = ", ".join(f"{name} ended after {100 * part:.2g} %" for name, part in early.items())
    mixed = f"what the others show is a mean of the time with and without {'it' if len(early) == 1 else 'them'}"
    fix = "the same lasts_s for every flow, with requests enough for it, makes all last as long"
    return [f"{shares} of the run's time: {mixed}; {fix}"]


def _ends(document: Mapping[str, Any], intervals: Mapping[str, Columns]) -> dict[str, float]:
    """Returns when each flow ends that has requests in the run's window, as a part of the window."""
    begin_s, end_s = document["window"]["start_s"], document["window"]["end_s"]
    ends = {}
    for name, values in document.get("flows", {}).items():
        if values["requests"]["all"] and end_s > begin_s:
            first_s = max(begin_s, _first_s(intervals[name]))
            ends[name] = (first_s + values["time_s"] - begin_s) / (end_s - begin_s)
    return ends


def _first_s(columns: Columns) -> float:
    """Returns when the first interval begins in which a flow has requests."""
    starts, reads, writes = (array("Q", columns[name][1]) for name in ("start_ns", "reads", "writes"))
    rows = zip(starts, reads, writes, strict=True)
    return next((start for start, *requests in rows if any(requests)), 0) / 1e9
