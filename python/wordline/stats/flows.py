"""How fairly flows share an SSD: by how much each is slower than it would be alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["fairness", "slowdowns"]


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
        by_itself = alone[name]["response_us"]["all"]["mean"]
        if not by_itself:
            raise ValueError(f"flow {name}: alone its requests take no time, so that nothing can be slower")
        factors[name] = values["mean"] / by_itself
    return factors


def fairness(slow: Mapping[str, float]) -> float:
    """The smallest slowdown over the largest: 1 where all flows suffer alike (Tavakkol et al., FLIN, ISCA 2018)."""
    return min(slow.values()) / max(slow.values())
