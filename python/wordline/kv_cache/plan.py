"""From requests to work for a drive: what is read and written when, without simulating flash."""

from __future__ import annotations

import heapq
from array import array
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from ..errors import ConfigError
from ..placements import PLACEMENTS
from .layout import NEW, USED, WRITE, Layout, Work, layout_of
from .settings import KvSettings
from .tiers import Counts, Tiers
from .traces import KvRequest, KvTrace

__all__ = ["Demand", "Plan", "demand_of", "plan_of"]

NS_PER_S: Final = 1_000_000_000
PAGE_BYTES: Final = 4096
PASSES_MAX: Final = 10_000
WORKS_MAX: Final = 20_000_000
IDLE_PASSES: Final = 3
"""So many passes in a row without a write end the run."""


@dataclass(frozen=True)
class Demand:
    """What a KV cache asks of its SSD when the trace runs once on empty tiers. No flash is simulated for it.

    Attributes:
        counts: Blocks by what became of them.
        block_bytes: Bytes of a block.
        dram_blocks: Blocks that DRAM has room for.
        ssd_blocks: Blocks that the SSD has room for.
        span_ns: From the first request to the last, ns.
        input_tokens: Tokens of all prompts.
    """

    counts: Counts
    block_bytes: int
    dram_blocks: int
    ssd_blocks: int
    span_ns: int
    input_tokens: int

    @property
    def written_bytes(self) -> int:
        """Bytes of blocks written to the SSD."""
        return self.counts.written * self.block_bytes

    @property
    def write_bytes_per_s(self) -> float:
        """Their rate."""
        return self.written_bytes * NS_PER_S / self.span_ns

    @property
    def read_bytes_per_s(self) -> float:
        """Rate of restores."""
        return self.counts.ssd_hits * self.block_bytes * NS_PER_S / self.span_ns

    @property
    def dram_hit_share(self) -> float:
        """Share of block accesses that DRAM serves."""
        return self.counts.dram_hits / self.counts.accesses

    @property
    def ssd_hit_share(self) -> float:
        """Share of block accesses that the SSD serves."""
        return self.counts.ssd_hits / self.counts.accesses


def demand_of(trace: KvTrace, settings: KvSettings, drive_bytes: int) -> Demand:
    """Returns what the trace asks of an SSD of so many bytes.

    Raises:
        ConfigError: The drive is smaller than a block.
    """
    block_bytes = trace.block_tokens * settings.bytes_per_token
    blocks = _room(settings, drive_bytes, block_bytes)
    dram_blocks = settings.dram_bytes // block_bytes
    tiers = Tiers(dram_blocks, blocks, settings.policy, settings.eviction)
    for request in trace.requests:
        tiers.access(request.blocks)
    return Demand(tiers.counts, block_bytes, dram_blocks, blocks, trace.span_ns, trace.input_tokens)


def _room(settings: KvSettings, drive_bytes: int, block_bytes: int) -> int:
    """Returns how many blocks the SSD has room for."""
    blocks = int(Fraction(settings.share) * drive_bytes // block_bytes)
    if blocks < 1:
        raise ConfigError(
            f"a block has {block_bytes:,} bytes, and the cache may take {int(settings.share * drive_bytes):,} of the "
            "drive: take a larger drive, or fewer bytes a token"
        )
    layout = layout_of(settings.layout, drive_bytes, block_bytes, settings.command_bytes, settings.bucket_bytes)
    return min(blocks, layout.blocks)


@dataclass
class Plan:
    """Work for a part of a drive, in columns. Its blocks and times are so many times smaller than those of the whole.

    Attributes:
        factor: How many times blocks and times are smaller than those of the whole.
        block_bytes: Bytes of a block in the part.
        mark_ns: When the first half of the writes has been asked for: the results begin.
        end_ns: When the last request arrives.
        passes: How often the trace has begun.
        restores: Of each request that restores: its arrival, ns, and the places of its works.
        written_bytes: Bytes of all writes.
        stored: Blocks that were given a place.
        has_handles: Each kind of data has a placement handle.
    """

    factor: Fraction
    block_bytes: int
    has_handles: bool = False
    mark_ns: int = 0
    end_ns: int = 0
    passes: int = 0
    restores: list[tuple[int, range]] = field(default_factory=list)
    written_bytes: int = 0
    stored: int = 0
    at: array[int] = field(default_factory=lambda: array("Q"))
    pool: array[int] = field(default_factory=lambda: array("B"))
    after: array[int] = field(default_factory=lambda: array("I"))
    count: array[int] = field(default_factory=lambda: array("I"))
    op: array[int] = field(default_factory=lambda: array("B"))
    offset: array[int] = field(default_factory=lambda: array("Q"))
    length: array[int] = field(default_factory=lambda: array("Q"))
    handle: array[int] = field(default_factory=lambda: array("B"))

    @property
    def layout_share(self) -> float:
        """Bytes of the layout, moves and journal, for each byte of blocks."""
        blocks = self.stored * self.block_bytes
        return (self.written_bytes - blocks) / blocks if blocks else 0.0

    def add(self, at_ns: int, work: Work, after: int) -> int:
        """Adds work at a time; returns its place."""
        place = len(self.at)
        if place >= WORKS_MAX:
            raise ConfigError(f"more than {WORKS_MAX:,} blocks to move: take fewer drive writes")
        self.at.append(at_ns)
        self.pool.append(work.pool)
        self.after.append(after)
        self.count.append(len(work.ops))
        for op, offset, length, kind in work.ops:
            self.op.append(op)
            self.offset.append(offset)
            self.length.append(length)
            self.handle.append(kind if self.has_handles else 0)
        return place


class _Planner:
    """Makes a plan. Works come in order of time: those of requests that compute meanwhile wait in a heap."""

    def __init__(self, trace: KvTrace, settings: KvSettings, layout: Layout, tiers: Tiers, plan: Plan) -> None:
        self._trace, self._layout, self._tiers, self.plan = trace, layout, tiers, plan
        self._waiting: list[tuple[int, int, Work]] = []
        self._pushes = 0
        # How often each block was used, where it decides about the handle.
        self._uses: dict[int, int] = {}
        # When a work is due, and its place once it has one.
        self._at: dict[Work, int] = {}
        self._place: dict[Work, int] = {}
        step_ns = Fraction(trace.block_tokens * NS_PER_S) / Fraction(settings.tokens_per_s) / plan.factor
        self._step_ns = step_ns
        self._period_ns = trace.span_ns + trace.span_ns // max(1, len(trace.requests) - 1)

    def run(self, wanted_bytes: int) -> None:
        """Repeats the trace until so many bytes are written, with new blocks each time."""
        plan, idle, is_marked = self.plan, 0, False
        for number in range(PASSES_MAX):
            before = plan.written_bytes
            plan.passes += 1
            for request in self._trace.requests:
                at_ns = int((request.at_ns + number * self._period_ns) / plan.factor)
                if not is_marked and plan.written_bytes * 2 >= wanted_bytes:
                    is_marked, plan.mark_ns = True, at_ns
                self._request(at_ns, request, number * self._trace.distinct_blocks)
                plan.end_ns = at_ns
                if plan.written_bytes >= wanted_bytes:
                    break
            idle = idle + 1 if plan.written_bytes == before else 0
            if plan.written_bytes >= wanted_bytes or idle == IDLE_PASSES:
                break
        self._release(None)

    def _request(self, at_ns: int, request: KvRequest, first_block: int) -> None:
        self._release(at_ns)
        blocks = tuple(first_block + block for block in request.blocks)
        access = self._tiers.access(blocks)
        if self.plan.has_handles:
            for block in blocks:
                self._uses[block] = self._uses.get(block, 0) + 1
        begin = len(self.plan.at)
        for block in access.restores:
            self.plan.add(at_ns, self._layout.restore(block), 0)
        if access.restores:
            self.plan.restores.append((at_ns, range(begin, len(self.plan.at))))
        for computed, block, is_written in access.steps:
            self.plan.stored += is_written
            due_ns = at_ns + int(computed * self._step_ns)
            kind = USED if self._uses.get(block, 0) > 1 else NEW
            for work in self._layout.store(block, kind) if is_written else self._layout.drop(block):
                self._ask(due_ns, work)

    def _ask(self, due_ns: int, work: Work) -> None:
        """Lets work wait for its time: not before that of the work that it follows."""
        if work.after is not None:
            due_ns = max(due_ns, self._at.get(work.after, 0))
        if work.is_followed:
            self._at[work] = due_ns
        self.plan.written_bytes += sum(length for op, _, length, _ in work.ops if op == WRITE)
        heapq.heappush(self._waiting, (due_ns, self._pushes, work))
        self._pushes += 1

    def _release(self, until_ns: int | None) -> None:
        """Adds what is due."""
        while self._waiting and (until_ns is None or self._waiting[0][0] <= until_ns):
            due_ns, _, work = heapq.heappop(self._waiting)
            after = 0 if work.after is None else self._place.get(work.after, -1) + 1
            place = self.plan.add(due_ns, work, after)
            if work.is_followed:
                self._place[work] = place
                work.ops = []


def plan_of(trace: KvTrace, settings: KvSettings, demand: Demand, part_bytes: int, drive_bytes: int) -> Plan:
    """Returns the work for a part of the drive: as many blocks as the whole, each so many times smaller.

    Raises:
        ConfigError: Its blocks would be smaller than 4 KiB.
    """
    exact = Fraction(demand.block_bytes) * part_bytes / drive_bytes
    block_bytes = int(exact) // PAGE_BYTES * PAGE_BYTES
    if block_bytes < PAGE_BYTES:
        raise ConfigError(
            f"blocks of {demand.block_bytes:,} bytes become {float(exact):,.0f} on the simulated part: take a larger "
            "part (--scale)"
        )
    factor = Fraction(demand.block_bytes, block_bytes)
    bucket_bytes = int(settings.bucket_bytes / factor) // PAGE_BYTES * PAGE_BYTES
    command_bytes, notes_every = settings.command_bytes, max(1, round(factor))
    layout = layout_of(
        settings.layout, part_bytes, block_bytes, command_bytes, max(PAGE_BYTES, bucket_bytes), notes_every
    )
    blocks = min(demand.ssd_blocks, layout.blocks)
    tiers = Tiers(demand.dram_blocks, blocks, settings.policy, settings.eviction)
    planner = _Planner(trace, settings, layout, tiers, Plan(factor, block_bytes, settings.placement != PLACEMENTS[0]))
    planner.run(int(Fraction(settings.drive_writes) * part_bytes))
    return planner.plan
