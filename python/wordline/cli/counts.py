"""Counts as options take them: `1000`, `10k`, `1M`, `1e6`."""

from __future__ import annotations

import typer

EXAMPLE = "write it as 1000, 10k, 1M or 1e6"


def from_one(text: str) -> int:
    """Returns a whole number from 1 on."""
    return _whole(text, 1)


def from_zero(text: str) -> int:
    """Returns a whole number from 0 on."""
    return _whole(text, 0)


def from_thousand(text: str) -> int:
    """Returns a whole number from 1000 on."""
    return _whole(text, 1000)


def _whole(text: str, least: int) -> int:
    from .._core import number

    count = number(str(text), "requests")
    if count is None or count != int(count):
        raise typer.BadParameter(f"{text!r} is not a whole number; {EXAMPLE}")
    if count < least:
        raise typer.BadParameter(f"{text} is smaller than {least}")
    return int(count)
