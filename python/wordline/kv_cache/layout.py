"""Where blocks lie on the SSD, and what that costs: writes, trims and moves of the host.

| layout | a block is | when it leaves |
|---|---|---|
| `slot` | a place of its own in one large file | its place is free; the next block overwrites it |
| `file` | a file: the next free place, going round the drive | the file is deleted: trim |
| `bucket` | appended to an open bucket | it is dead; the bucket with the fewest live blocks is emptied and trimmed |
Creating and deleting a file also writes 4 KiB of the file system's journal.

Each operation says of what kind its data are, so that a drive with placement handles can keep kinds apart.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from dataclasses import dataclass, field
from typing import Final, Protocol

from ..errors import ConfigError

__all__ = [
    "JOURNAL",
    "KINDS",
    "LAYOUTS",
    "MOVED",
    "MOVES",
    "NEW",
    "RESTORES",
    "USED",
    "WRITES",
    "Layout",
    "Work",
    "layout_of",
]

LAYOUTS: Final = {
    "slot": "places of one size in one file, overwritten",
    "file": "a file a block, trimmed when it is deleted",
    "bucket": "appended to buckets, which are emptied and trimmed",
}
"""Layouts by name."""
RESTORES, WRITES, MOVES = range(3)
"""The pools of threads."""

READ, WRITE, TRIM = range(3)
JOURNAL_BYTES: Final = 4096
JOURNAL_ROOM: Final = 1 << 20
SPARE_BUCKETS: Final = 3
"""Buckets that cannot hold data: one is open, one is emptied into, one is free."""

NEW, USED, MOVED, JOURNAL = range(1, 5)
KINDS: Final = {
    NEW: "blocks that are new",
    USED: "blocks that were used before",
    MOVED: "blocks that the layout moves",
    JOURNAL: "the journal of the file system",
}
"""Kinds of data by their placement handles."""

Op = tuple[int, int, int, int]
"""Operation, offset, length, kind of data; kind 0 where nothing is written."""


@dataclass(eq=False)
class Work:
    """Operations that one thread carries out one after the other.

    Attributes:
        pool: Whose thread.
        ops: The operations.
        after: What must be done before.
        is_followed: Other work may wait for it.
    """

    pool: int
    ops: list[Op] = field(default_factory=list)
    after: Work | None = None
    is_followed: bool = False


class Layout(Protocol):
    """Places of blocks."""

    blocks: int
    """Blocks that it has room for."""

    def store(self, block: int, kind: int) -> list[Work]:
        """Gives a block of a kind a place, and writes it."""

    def drop(self, block: int) -> list[Work]:
        """Forgets a block."""

    def restore(self, block: int) -> Work:
        """Reads a block."""


def layout_of(
    name: str, drive_bytes: int, block_bytes: int, command_bytes: int, bucket_bytes: int, notes_every: int = 1
) -> Layout:
    """Returns a layout for a drive.

    Args:
        name: One of `LAYOUTS`.
        drive_bytes: Bytes of the drive.
        block_bytes: Bytes of a block.
        command_bytes: Largest command.
        bucket_bytes: Bytes of a bucket.
        notes_every: One of so many files makes an entry of the journal: where blocks stand for larger ones.

    Raises:
        ConfigError: The name is unknown, or there is no room.
    """
    if name not in LAYOUTS:
        raise ConfigError(f"layout {name}: take {', '.join(LAYOUTS)}")
    if name == "bucket":
        return _Buckets(drive_bytes, block_bytes, command_bytes, bucket_bytes)
    if name == "slot":
        return _Slots(drive_bytes, block_bytes, command_bytes)
    return _Files(drive_bytes, block_bytes, command_bytes, notes_every)


def _pieces(op: int, offset: int, length: int, most: int, kind: int) -> list[Op]:
    """Returns the commands of an operation."""
    end = offset + length
    return [(op, begin, min(most, end - begin), kind) for begin in range(offset, end, most)]


class _Slots:
    """Places of one size; what became free last is taken first."""

    base = 0

    def __init__(self, drive_bytes: int, block_bytes: int, command_bytes: int) -> None:
        self.blocks = max(0, drive_bytes - self.base) // block_bytes
        self._block_bytes = block_bytes
        self._command_bytes = command_bytes
        self._fresh = 0
        self._free: list[int] = []
        self._slot_of: dict[int, int] = {}

    def _take(self) -> int:
        if self._free:
            return self._free.pop()
        self._fresh += 1
        return self._fresh - 1

    def _commands(self, op: int, slot: int, kind: int = 0) -> list[Op]:
        return _pieces(op, self.base + slot * self._block_bytes, self._block_bytes, self._command_bytes, kind)

    def store(self, block: int, kind: int) -> list[Work]:
        slot = self._slot_of[block] = self._take()
        return [Work(WRITES, self._commands(WRITE, slot, kind))]

    def drop(self, block: int) -> list[Work]:
        self._free.append(self._slot_of.pop(block))
        return []

    def restore(self, block: int) -> Work:
        return Work(RESTORES, self._commands(READ, self._slot_of[block]))


class _Files(_Slots):
    """The same, but places are taken going round, and creating and deleting a file is told to the drive."""

    base = JOURNAL_ROOM

    def __init__(self, drive_bytes: int, block_bytes: int, command_bytes: int, notes_every: int) -> None:
        super().__init__(drive_bytes, block_bytes, command_bytes)
        self._notes_every, self._notes = notes_every, 0
        self._trims: dict[int, Work] = {}
        self._cursor = 0
        self._journal = 0

    def _take(self) -> int:
        if self._fresh < self.blocks:
            self._fresh += 1
            return self._fresh - 1
        place = bisect_left(self._free, self._cursor)
        slot = self._free.pop(place if place < len(self._free) else 0)
        self._cursor = slot
        return slot

    def _note(self) -> list[Op]:
        """The entry of the file system's journal."""
        self._notes += 1
        if self._notes % self._notes_every:
            return []
        self._journal = (self._journal + JOURNAL_BYTES) % JOURNAL_ROOM
        return [(WRITE, self._journal, JOURNAL_BYTES, JOURNAL)]

    def store(self, block: int, kind: int) -> list[Work]:
        slot = self._slot_of[block] = self._take()
        return [Work(WRITES, [*self._commands(WRITE, slot, kind), *self._note()], self._trims.pop(slot, None))]

    def drop(self, block: int) -> list[Work]:
        slot = self._slot_of.pop(block)
        insort(self._free, slot)
        extent = (TRIM, self.base + slot * self._block_bytes, self._block_bytes, 0)
        work = self._trims[slot] = Work(WRITES, [extent, *self._note()], is_followed=True)
        return [work]


class _Buckets:
    """A log: blocks are appended to the open bucket."""

    def __init__(self, drive_bytes: int, block_bytes: int, command_bytes: int, bucket_bytes: int) -> None:
        self._per_bucket = bucket_bytes // block_bytes
        buckets = drive_bytes // bucket_bytes
        if self._per_bucket < 1 or buckets <= SPARE_BUCKETS:
            raise ConfigError(
                f"buckets of {bucket_bytes:,} bytes: each must hold a block of {block_bytes:,}, and the drive "
                f"{SPARE_BUCKETS + 1} buckets or more"
            )
        self.blocks = (buckets - SPARE_BUCKETS) * self._per_bucket
        self._block_bytes, self._command_bytes, self._bucket_bytes = block_bytes, command_bytes, bucket_bytes
        self._free: deque[int] = deque(range(buckets))
        self._open = self._free.popleft()
        self._filled = 0
        self._live: list[set[int]] = [set() for _ in range(buckets)]
        # Full buckets by how many of their blocks are live; of one number, that which came first leaves first.
        self._full: list[dict[int, None]] = [{} for _ in range(self._per_bucket + 1)]
        self._place_of: dict[int, tuple[int, int]] = {}
        # Of a bucket that was emptied: the work that trims it.
        self._emptied: dict[int, Work] = {}
        self._last_move: Work | None = None

    def store(self, block: int, kind: int) -> list[Work]:
        works = []
        if self._filled == self._per_bucket:
            self._open_next()
            while len(self._free) < SPARE_BUCKETS - 1:
                works.append(self._empty_one())
        works.append(Work(WRITES, self._append(block, kind), self._emptied.get(self._open)))
        return works

    def drop(self, block: int) -> list[Work]:
        bucket, _ = self._place_of.pop(block)
        live = self._live[bucket]
        is_full = self._full[len(live)].pop(bucket, bucket) is None
        live.discard(block)
        if is_full:
            self._full[len(live)][bucket] = None
        return []

    def restore(self, block: int) -> Work:
        return Work(RESTORES, self._commands(READ, *self._place_of[block]))

    def _commands(self, op: int, bucket: int, place: int, kind: int = 0) -> list[Op]:
        offset = bucket * self._bucket_bytes + place * self._block_bytes
        return _pieces(op, offset, self._block_bytes, self._command_bytes, kind)

    def _append(self, block: int, kind: int) -> list[Op]:
        if self._filled == self._per_bucket:
            self._open_next()
        place = self._place_of[block] = (self._open, self._filled)
        self._live[self._open].add(block)
        self._filled += 1
        return self._commands(WRITE, *place, kind)

    def _open_next(self) -> None:
        self._full[len(self._live[self._open])][self._open] = None
        self._open = self._free.popleft()
        self._filled = 0

    def _empty_one(self) -> Work:
        """Moves what is live in the full bucket with the fewest live blocks, and trims it."""
        fewest = next(buckets for buckets in self._full if buckets)
        victim = next(iter(fewest))
        del fewest[victim]
        work = Work(MOVES, [], self._last_move, is_followed=True)
        for block in sorted(self._live[victim]):
            work.ops += self._commands(READ, *self._place_of[block])
            work.ops += self._append(block, MOVED)
        self._live[victim].clear()
        work.ops.append((TRIM, victim * self._bucket_bytes, self._bucket_bytes, 0))
        self._free.append(victim)
        self._emptied[victim] = self._last_move = work
        return work
