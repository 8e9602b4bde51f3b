"""Parses numbers as fio writes them. See "Parameter types" in fio's documentation."""

from __future__ import annotations

import re

NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z%]*)", re.IGNORECASE)
# With fio's default, kb_base=1024, `k` and `kb` are 1024 and `kib` is 1000.
POWERS = {"k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
TIMES_NS = {"us": 1e3, "usec": 1e3, "ms": 1e6, "msec": 1e6, "s": 1e9, "sec": 1e9, "m": 6e10, "h": 3.6e12, "d": 8.64e13}
LARGEST = 2**62


class NotANumberError(ValueError):
    """A text that is not a number of the requested kind."""


def size_bytes(text: str, whole_bytes: int | None = None) -> int:
    """Returns the bytes of `4k`, `1.5g` or, as a share of a whole, `25%`.

    Raises:
        NotANumberError: The text is none of these, or too large.
    """
    if re.fullmatch("0[xX][0-9a-fA-F]{1,15}", text.strip()):
        return _whole(int(text, 16), text)
    value, unit = _parts(text)
    if unit == "%":
        if whole_bytes is None:
            raise NotANumberError(text)
        return _whole(value / 100 * whole_bytes, text)
    base = 1024
    if unit.endswith("ib"):
        base, unit = 1000, unit[:-2]
    elif len(unit) == 2 and unit.endswith("b"):
        unit = unit[:-1]
    if unit in {"", "b"}:
        return _whole(value, text)
    if unit not in POWERS:
        raise NotANumberError(text)
    return _whole(value * base ** POWERS[unit], text)


def time_ns(text: str, default_unit: str) -> int:
    """Returns the nanoseconds of `10`, `30s`, `5m` or `100us`.

    Raises:
        NotANumberError: The text is none of these, or too large.
    """
    value, unit = _parts(text)
    unit = unit or default_unit
    if unit not in TIMES_NS:
        raise NotANumberError(text)
    return _whole(value * TIMES_NS[unit], text)


def integer(text: str) -> int:
    """Returns a whole number.

    Raises:
        NotANumberError: The text is not a whole number, or too large.
    """
    if not re.fullmatch(r"-?\d{1,18}", text.strip()):
        raise NotANumberError(text)
    return int(text)


def number(text: str) -> float:
    """Returns a number.

    Raises:
        NotANumberError: The text is not a number.
    """
    value, unit = _parts(text)
    if unit:
        raise NotANumberError(text)
    return value


def _parts(text: str) -> tuple[float, str]:
    match = NUMBER.fullmatch(text.strip())
    if match is None or len(match[1]) > 30:
        raise NotANumberError(text)
    return float(match[1]), match[2].lower()


def _whole(value: float, text: str) -> int:
    if not value <= LARGEST:
        raise NotANumberError(text)
    return int(value)
