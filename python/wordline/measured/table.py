"""Points of a CSV: a row for each run and direction, or for a load beside another one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from ..errors import InputFileError
from .kind import kind_of
from .littles_law import doubt_of
from .point import IOPS_MAX, NUMBERS, Load, Numbers, Op, Point
from .sizes import number_of, size_of

__all__ = ["Points", "points_of"]

NEEDED = ("bs", "iodepth", "numjobs")
KIND_COLUMNS = ("workload", "rw", "op")
RATES = {"mb_s": 1e6, "mib_s": 1 << 20, "bw_kib_s": 1 << 10}
"""Columns that stand for `iops` where there is none, and their bytes."""
UNITS_US = {"us": 1.0, "ns": 1e-3, "ms": 1e3, "s": 1e6}
"""Ends of the names of columns of latencies."""
BESIDE = re.compile(r"(rand|seq)(read|write) (\w+) qd(\d+)(?: x(\d+) jobs?)?")
RATE = re.compile(r"(?:(\d+) x )?(\d+(?:\.\d+)?) MiB/s")
RANGE = re.compile(r"(\d+)[ -]GiB range")
MIB, GIB = 1 << 20, 1 << 30
OUTSTANDING_MAX = 65_535
LATENCY = re.compile(r"c?lat|p\d")
LATENCIES = "lat_mean_us, clat_p50_us, clat_p95_us, clat_p99_us, clat_p999_us, clat_p9999_us"
T = TypeVar("T")


class Points(NamedTuple):
    """The points of a file, and what of it is none."""

    points: list[Point]
    left_out: list[str]


def points_of(file: str, rows: Sequence[tuple[int, dict[str, str]]]) -> Points:
    """Returns the points of a table's rows, each with its line.

    Raises:
        InputFileError: A column is missing, or a value is none of its column.
    """
    for column in NEEDED if rows else ():
        if column not in rows[0][1]:
            raise InputFileError(file, 1, "", f"there is no column `{column}`", f"it needs {', '.join(NEEDED)}, iops")
    if rows and not {"iops", *RATES} & set(rows[0][1]):
        rates = ", ".join(RATES)
        raise InputFileError(file, 1, "", "there is no column `iops`", f"write requests a second, or one of {rates}")
    if rows and not set(KIND_COLUMNS) & set(rows[0][1]):
        raise InputFileError(file, 1, "", "there is no column `workload`", "write randread, randwrite, randrw70, ...")
    points: list[Point] = []
    left_out: Counter[str] = Counter()
    for line, row in rows:
        made = _point(file, line, row)
        if isinstance(made, str):
            left_out[made] += 1
        else:
            points.append(made)
    unused = [
        f"{file}:1: column `{column}` is a label: latencies are named {LATENCIES}"
        for column in (rows[0][1] if rows else ())
        if LATENCY.match(column) and column not in _MEASURED
    ]
    return Points(points, [*unused, *(f"{file}: {count} rows left out: {why}" for why, count in left_out.items())])


def _point(file: str, line: int, row: dict[str, str]) -> Point | str:
    """Returns a row as a point, or why it is none."""
    name = next((row[each] for each in KIND_COLUMNS if row.get(each)), "")
    kind = kind_of(name)
    if kind is None:
        return f"`{name}` is no load that Wordline makes of a table"
    size = _value(file, line, "bs", row, size_of)
    if size < 512 or size % 512:
        return f"{row['bs']} is no multiple of 512 bytes"
    first = Load(
        read_ratio=kind.read_ratio,
        is_random=kind.is_random,
        read_bytes=size,
        write_bytes=size,
        depth=_count(file, line, "iodepth", row),
        jobs=_count(file, line, "numjobs", row),
        range_bytes=_range(file, line, row),
    )
    side = row.get("side") or first.ops[0]
    op: Op = "write" if side == "write" else "read"
    if op not in first.ops:
        raise InputFileError(file, line, "side", f"`{side}` is no part of `{name}`", "write read or write")
    beside = _beside(file, line, row, first)
    if isinstance(beside, str):
        return beside
    numbers = Numbers(_iops(file, line, row, size), *(_latency(file, line, name, row) for name in NUMBERS[1:]))
    if numbers.iops is None:
        return "there are no IOPS"
    if numbers.iops > IOPS_MAX:
        raise InputFileError(
            file, line, "iops", f"`{row['iops']}` is more than any drive does", "write requests a second"
        )
    labels = tuple((name, value) for name, value in row.items() if name not in _MEASURED)
    requests = _value(file, line, "total_ios", row, number_of) if row.get("total_ios") else None
    return Point(f"{file}:{line}", labels, (first, *beside), op, numbers, _doubt(row, numbers, first), requests)


_MEASURED = frozenset(
    {
        "iops",
        *RATES,
        "total_ios",
        *(
            f"{kind}_{number}_{unit}"
            for kind in ("lat", "clat")
            for number in ("mean", "p50", "p95", "p99", "p999", "p9999")
            for unit in UNITS_US
        ),
    }
)


def _range(file: str, line: int, row: dict[str, str]) -> int | None:
    if row.get("range_bytes"):
        return _value(file, line, "range_bytes", row, size_of)
    match = RANGE.search(row.get("host", ""))
    return int(match[1]) * GIB if match else None


def _beside(file: str, line: int, row: dict[str, str], first: Load) -> tuple[Load, ...] | str:
    """Returns the load that ran beside the first one, if any; a text says why it cannot be made."""
    text = row.get("beside", "none") or "none"
    if text == "none":
        return ()
    match = BESIDE.fullmatch(text)
    if match is None:
        return f"Wordline makes no `{text}` of a table"
    size, jobs = size_of(match[3]), int(match[5] or 1)
    rate = RATE.fullmatch(row.get("beside_rate", ""))
    if rate is None and row.get("beside_rate", "unlimited") != "unlimited":
        raise InputFileError(
            file, line, "beside_rate", f"`{row['beside_rate']}` is no rate", "write 100 MiB/s or unlimited"
        )
    share = int(rate[1] or 1) * float(rate[2]) * MIB / size / jobs if rate else None
    load = Load(float(match[2] == "read"), match[1] == "rand", size, size, int(match[4]), jobs, rate_iops=share)
    return (replace(load, range_bytes=first.range_bytes),)


def _doubt(row: dict[str, str], numbers: Numbers, load: Load) -> str:
    if row.get("from_logs") == "1":
        return "jobs ended at different times"
    if row.get("littles_ok") == "0":
        return "IOPS times latency is not what was outstanding: the host's time counts"
    return doubt_of(numbers, load)


def _iops(file: str, line: int, row: dict[str, str], size: int) -> float | None:
    """Returns the requests a second, of what was moved where only that was measured."""
    if row.get("iops"):
        return _value(file, line, "iops", row, number_of)
    column = next((each for each in RATES if row.get(each)), None)
    rate = None if column is None else _value(file, line, column, row, number_of)
    return None if rate is None or column is None else rate * RATES[column] / size


def _latency(file: str, line: int, name: str, row: dict[str, str]) -> float | None:
    """Returns a latency; percentiles are of the completion latency where both are there."""
    number = name.removesuffix("_us")
    kinds = ("lat",) if number == "mean" else ("clat", "lat")
    columns = ((f"{kind}_{number}_{unit}", factor) for kind in kinds for unit, factor in UNITS_US.items())
    column, factor = next((each for each in columns if row.get(each[0])), ("", 1.0))
    value = _value(file, line, column, row, number_of) if column else None
    return None if value is None else value * factor


def _count(file: str, line: int, column: str, row: dict[str, str]) -> int:
    value = _value(file, line, column, row, int)
    if not 1 <= value <= OUTSTANDING_MAX:
        raise InputFileError(file, line, column, f"{value} is out of range", f"it takes 1 to {OUTSTANDING_MAX}")
    return value


def _value(file: str, line: int, column: str, row: dict[str, str], read: Callable[[str], T]) -> T:
    try:
        return read(row[column])
    except ValueError:
        raise InputFileError(file, line, column, f"`{row[column]}` is no number that fits", "mend it") from None
