"""How fairly flows share an SSD: by how much each is slower than it would be alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["beside_alone", "fairness", "slowdowns"]


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
