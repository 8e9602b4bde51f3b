"""RocksDB: a log of writes ahead, and levels of files that compactions write again."""

from __future__ import annotations

from typing import Literal

from ..errors import WorkloadError
from .part import Application, Part, share

REQUEST_BYTES = 131_072
WAL_HINT = 2
HINTS = {"hint": (3, 3, 4, 5), "tuned": (3, 3, 3, 3, 4, 5)}
"""Streams of Linux' life times (2 short, 3 medium, 4 long, 5 extreme) by level; further levels have the last one."""
LEVELS_MIN, LEVELS_MAX = 2, 7


def rocksdb(
    *,
    levels: int = 4,
    fanout: float = 10.0,
    wal: float = 0.02,
    used: float = 0.9,
    rewrites: float = 4.0,
    file_bytes: int = 8 << 20,
    empty: float = 0.0,
    handles: Literal["level", "hint", "tuned", "none"] = "level",
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
        empty: Share of the places of files below level 0 that are empty: compactions have deleted and trimmed the
            files, and not yet written others there. 0: a file is replaced in one step, without a trim.
        handles: `level`: a handle for the log and each level. `hint`: life times as RocksDB hints them (streams 2 to 5:
            short for the log, medium for levels 0 and 1, long for level 2, extreme below). `tuned`: medium to level 3,
            long for level 4, extreme below. `none`.
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
    if not 0 <= empty < 1:
        raise WorkloadError(f"empty = {empty}: it is a share from 0, and below 1")
    sizes = [fanout**number for number in range(levels)]
    room = (used - wal) / sum(sizes)
    copies = [1.0, 1.0, *([rewrites] * (levels - 1))]
    total = sum(copies)
    parts = [Part("wal", wal, copies[0] / total, REQUEST_BYTES, "sequential", _handle(handles, None))]
    for number, size in enumerate(sizes):
        parts.append(
            Part(
                f"level {number}",
                size * room,
                copies[number + 1] / total,
                REQUEST_BYTES if number == 0 else file_bytes,
                "sequential" if number == 0 else "random",
                _handle(handles, number),
                empty=0.0 if number == 0 else empty,
            )
        )
    return Application(tuple(parts), drive_writes, rate_mb_s, reads_per_s, seed)


def _handle(kind: str, level: int | None) -> int | None:
    """Returns the handle of a level, or of the log."""
    if kind == "none":
        return None
    if kind == "level":
        return 1 if level is None else level + 2
    if kind not in HINTS:
        raise WorkloadError(f"handles = {kind}: level, hint, tuned or none")
    return WAL_HINT if level is None else HINTS[kind][min(level, len(HINTS[kind]) - 1)]
