"""Ways to keep data of placement handles apart on one drive."""

from __future__ import annotations

from typing import Any

from .config import Config

ZONES_LOG = "zones-log"
"""A log of the host over zones: `placement_log`."""
PLACEMENTS = ("plain", "hints", "fdp-ii", "fdp-pi")
"""No handles; streams for hints; Flexible Data Placement with initially, and with persistently isolated handles."""
STREAMS = 5
"""Streams for hints: Linux knows four life times of data, and data without one."""


def placed(config: Config, placement: str) -> Config:
    """Returns a drive that keeps data apart in one of the ways of `PLACEMENTS`.

    Streams for hints are those of `ftl.streams`, at least five; handles are those of `fdp.handles`.
    """
    off: dict[str, Any] = {"fdp.isolation": "off"}
    match placement:
        case "plain":
            return config.set_all({**off, "ftl.streams": 1, "ftl.placement": "flow"})
        case "hints":
            return config.set_all(
                {**off, "ftl.streams": max(STREAMS, config["ftl.streams"]), "ftl.placement": "handle"}
            )
        case "fdp-ii":
            return config.set_all({"fdp.isolation": "initially"})
        case "fdp-pi":
            return config.set_all({"fdp.isolation": "persistently"})
    raise ValueError(f"there is no placement {placement}; there are {', '.join(PLACEMENTS)}")
