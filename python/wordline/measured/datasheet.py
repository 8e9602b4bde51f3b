"""Points of a data sheet: a short TOML file of ratings, each a number with the load that such a rating means."""

from __future__ import annotations

from collections.abc import Mapping
from tomllib import TOMLDecodeError
from typing import Any, NamedTuple

from ..errors import InputFileError
from ..files import parse_toml
from .point import IOPS_MAX, Load, Numbers, Op, Point
from .table import OUTSTANDING_MAX, Points

__all__ = ["KEYS", "points_of"]

KIB, MB = 1024, 1_000_000
DEEP = 32
"""Outstanding requests of a rating that names no other number (`depth`): the most that SATA takes."""


class _Rating(NamedTuple):
    """What a key rates: the load, and which number of it."""

    op: Op
    is_random: bool
    block_bytes: int
    is_single: bool
    unit: str


KEYS: Mapping[str, _Rating] = {
    "random_read_iops": _Rating("read", True, 4 * KIB, False, "iops"),
    "random_read_us": _Rating("read", True, 4 * KIB, True, "us"),
    "random_write_us": _Rating("write", True, 4 * KIB, True, "us"),
    "sequential_read_mb_s": _Rating("read", False, 128 * KIB, False, "mb_s"),
    "sequential_write_mb_s": _Rating("write", False, 128 * KIB, False, "mb_s"),
}
LABELS = ("drive", "host")
STEADY = "random_write_iops"


def points_of(file: str, text: str) -> Points:
    """Returns the points of a data sheet.

    Raises:
        InputFileError: It is no TOML, or a key or a value is none of a data sheet.
    """
    try:
        table = parse_toml(text)
    except TOMLDecodeError as error:
        raise InputFileError(file, 0, "", f"is no TOML ({error})", "mend it") from None
    depth = _depth(file, table)
    labels = tuple((name, str(table.get(name, ""))) for name in LABELS)
    points: list[Point] = []
    left_out: list[str] = []
    for key, value in table.items():
        line = _line(text, key)
        if key == STEADY:
            left_out.append(
                f"{file}: {key} left out: it is that of a full drive in equilibrium, which a fit does not run"
            )
        elif key in KEYS:
            points.append(_point(file, line, key, value, depth, labels))
        elif key not in (*LABELS, "depth"):
            known = ", ".join((*LABELS, "depth", *KEYS, STEADY))
            raise InputFileError(file, line, key, "is no key of a data sheet", f"there are {known}")
    return Points(points, left_out)


def _point(file: str, line: int, key: str, value: object, depth: int, labels: tuple[tuple[str, str], ...]) -> Point:
    rating = KEYS[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= IOPS_MAX:
        raise InputFileError(file, line, key, f"`{value}` is no number above 0", f"write it in {rating.unit}")
    load = Load(
        float(rating.op == "read"),
        rating.is_random,
        rating.block_bytes,
        rating.block_bytes,
        1 if rating.is_single else depth,
    )
    if rating.unit == "us":
        # One request at a time: its rate is that of its latency.
        numbers = Numbers(iops=1e6 / value, mean_us=float(value), p50_us=float(value))
    else:
        numbers = Numbers(iops=float(value) if rating.unit == "iops" else value * MB / rating.block_bytes)
    return Point(f"{file}:{line}", labels, (load,), rating.op, numbers)


def _depth(file: str, table: Mapping[str, Any]) -> int:
    depth = table.get("depth", DEEP)
    if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= OUTSTANDING_MAX:
        raise InputFileError(file, 0, "depth", f"`{depth}` is out of range", f"it takes 1 to {OUTSTANDING_MAX}")
    return depth


def _line(text: str, key: str) -> int:
    """Returns the line of a key, from 1."""
    lines = text.splitlines()
    return next((number for number, line in enumerate(lines, 1) if line.split("=")[0].strip() == key), 0)
