"""Kinds of load by fio's names: `randread`, `randwrite`, `read`, `write`, `randrw70`."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Kind", "kind_of"]

PATTERN = re.compile(r"(rand|seq|)(?:(read|write)|rw(\d{1,3})?)")
RATIOS = {"read": 1.0, "write": 0.0}
HALF_PERCENT = 50


class Kind(NamedTuple):
    """What a load does.

    Attributes:
        is_random: Whether addresses are random, else one after the other.
        read_ratio: Share of requests that read.
    """

    is_random: bool
    read_ratio: float


def kind_of(text: str) -> Kind | None:
    """Returns a kind by its name; None where it is none, such as `randrw170`."""
    match = PATTERN.fullmatch(text)
    if match is None:
        return None
    pattern, alone, percent = match.groups()
    ratio = RATIOS[alone] if alone else int(percent or HALF_PERCENT) / 100
    return Kind(pattern == "rand", ratio) if ratio <= 1 else None
