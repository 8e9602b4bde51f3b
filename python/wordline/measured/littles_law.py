"""Little's law: requests a second times their mean latency are what was outstanding."""

from __future__ import annotations

from .point import Load, Numbers

__all__ = ["doubt_of"]

SHARE_MIN, SHARE_MAX = 0.9, 1.1
UNIT_FACTOR = 200.0
"""So far from what was outstanding, one of the numbers is in another unit: the host's time is never so long."""


def doubt_of(numbers: Numbers, load: Load) -> str:
    """Returns why numbers say nothing of a drive; empty where they keep to the law, or where it says nothing."""
    if load.rate_iops is not None or len(load.ops) > 1 or not numbers.iops or not numbers.mean_us:
        return ""
    share = numbers.iops * numbers.mean_us / 1e6 / load.outstanding
    if SHARE_MIN <= share <= SHARE_MAX:
        return ""
    is_host = 1 / UNIT_FACTOR < share < UNIT_FACTOR
    return "IOPS times latency is not what was outstanding: " + (
        "the host's time counts" if is_host else "one of them has another unit, or the drive was not asked"
    )
