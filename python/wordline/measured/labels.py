"""What files say of their points beside the numbers: of which drive and on which host they were measured."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import WorkloadError
from .point import Point

__all__ = ["HOSTS", "check_one_drive", "labels_of"]

HOSTS = ("host", "engine")
"""Columns that say on what a drive was measured."""


def labels_of(points: Sequence[Point], column: str) -> list[str]:
    """Returns the different values of a column of the points, in their order."""
    return list(dict.fromkeys(value for each in points if (value := each.label(column))))


def check_one_drive(points: Sequence[Point]) -> None:
    """Checks that all points are of one drive, as far as their column `drive` says.

    Raises:
        WorkloadError: They are of several.
    """
    drives = labels_of(points, "drive")
    if len(drives) > 1:
        raise WorkloadError(
            f"the points are of {len(drives)} drives ({', '.join(drives)}); take one with --only drive={drives[0]}"
        )
