"""Sizes and counts as fio and people write them."""

from __future__ import annotations

import re

__all__ = ["number_of", "size_of"]

SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
FACTORS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def size_of(text: str) -> int:
    """Returns a size such as `4k`, `128 KiB` or `512`, in bytes.

    Raises:
        ValueError: It is no size.
    """
    match = SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(text)
    return round(float(match[1]) * FACTORS[match[2].lower()])


def number_of(text: str) -> float | None:
    """Returns a number above 0; None for an empty text, and for 0, which stands for nothing measured.

    Raises:
        ValueError: It is no number, or below 0.
    """
    if not text.strip():
        return None
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError(text)
    return value or None
