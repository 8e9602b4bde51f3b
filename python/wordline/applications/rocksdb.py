"""RocksDB: a log of writes ahead, and levels of files that compactions write again."""

from __future__ import annotations

from typing import Literal

from ..errors import WorkloadError
from .part import Application, Part, share

REQUEST_BYTES = 131_072
HINTS = {"wal": 2, "flush": 3, "upper": 3, "lower": 4, "last": 5}
"""Streams of Linux' life times: short, medium, long, extreme."""
LEVELS_MIN, LEVELS_MAX = 2, 7


def rocksdb(
    *,
    levels: int = 4,
    fanout: float = 10.0,
    wal: float = 0.02,
    used: float = 0.9,
    rewrites: float = 4.0,
    file_bytes: int = 8 << 20,
    handles: Literal["level", "hint", "none"] = "level",
    drive_writes: float = 2.0,
    rate_mb_s: float = 5.0,
    reads_per_s: float = 0.0,
    seed: int = 0,
) -> Application:
    """A write-ahead log that goes round, level 0 that goes round, and further levels of files that are replaced whole.

    What the user writes is written once to the log, once to level 0, and `rewrites` times in each further level. A
    level is `fanout` times as large as the one above. A compaction writes a file where one was deleted.

    Args:
        levels: Levels, level 0 included.
        fanout: Size of a level over that of the one above it.
        wal: Share of the drive for the write-ahead log.
        used: Share of the drive that the database takes.
        rewrites: Times that a byte is written in each level below level 0.
        file_bytes: Bytes of a file; a compaction writes it as a whole.
        handles: A handle for the log and each level, hints by life time (streams 2 to 5), or none.
        drive_writes: Bytes written over the bytes of the drive.
        rate_mb_s: Bytes written a second.
        reads_per_s: Gets that read 4 KiB.
        seed: Another seed, another order.

    Raises:
        WorkloadError: A number is out of its range.
    """
    share("wal", wal)
    if not LEVELS_MIN <= levels <= LEVELS_MAX or fanout <= 1 or rewrites <= 0:
        limits = f"{LEVELS_MIN} to {LEVELS_MAX}, above 1, above 0"
        raise WorkloadError(f"levels = {levels}, fanout = {fanout}, rewrites = {rewrites}: they are {limits}")
    sizes = [fanout**number for number in range(levels)]
    room = (used - wal) / sum(sizes)
    copies = [1.0, 1.0, *([rewrites] * (levels - 1))]
    total = sum(copies)
    parts = [Part("wal", wal, copies[0] / total, REQUEST_BYTES, "sequential", _handle(handles, "wal", 1))]
    for number, size in enumerate(sizes):
        age = "flush" if number == 0 else "last" if number == levels - 1 else "upper" if number == 1 else "lower"
        parts.append(
            Part(
                f"level {number}",
                size * room,
                copies[number + 1] / total,
                REQUEST_BYTES if number == 0 else file_bytes,
                "sequential" if number == 0 else "random",
                _handle(handles, age, number + 2),
            )
        )
    return Application(tuple(parts), drive_writes, rate_mb_s, reads_per_s, seed)


def _handle(kind: str, age: str, of_level: int) -> int | None:
    if kind not in ("level", "hint", "none"):
        raise WorkloadError(f"handles = {kind}: level, hint or none")
    return {"level": of_level, "hint": HINTS[age], "none": None}[kind]
