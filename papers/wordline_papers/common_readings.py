"""Readings that several studies have."""

from __future__ import annotations

from .figure import Part
from .readings import Alternative, Reading

__all__ = ["collected"]


def collected(*parts: Part) -> Reading:
    """Returns the reading of how many blocks are free when a run on a used SSD begins."""
    return Reading(
        "collected",
        "How many blocks are free when the run begins?",
        parts,
        "as many as collection keeps",
        (
            Alternative("as many as collection keeps", why="pauses of traces leave time in which collection catches up",
                settings={"precondition.collected_to": "threshold"}),
            Alternative("so few that collection goes before the host", why="as writes that never pause leave the SSD; "
                "so presets of other SSDs", settings={"precondition.collected_to": "hard-threshold"}),
        ),
        "The texts do not say.",
        is_scenario=True,
    )  # fmt: skip
