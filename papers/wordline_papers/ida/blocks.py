"""Blocks: the reads, writes and used blocks of a refresh, and the later cost of IDA for a write-intensive workload."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from .. import Figure, Measured, Measurement, Outcome, Point, Results, Row, grouped, of_runs, part
from . import setups
from .points import FIG_8, IN_RUNS, PAIR, names_of

WRITE_INTENSIVE = ("hm_0", "rsrch_0", "stg_0")
# IDA, section III-C: workloads of 20 to 110 GB.
WORKLOAD_BYTES_MAX = 110_000_000_000
CAPACITY_BYTES = 512_110_190_592


@part("blocks")
def in_use(quick: bool) -> Iterator[Point]:
    """Yields blocks before and after the refresh of a whole workload on the whole SSD, with very few requests."""
    for name in names_of(quick):
        footprint = min(setups.footprint(name), WORKLOAD_BYTES_MAX if not quick else 4 << 30)
        size = {"workload.footprint_bytes": footprint, "precondition.fill": footprint / CAPACITY_BYTES}
        for system, keys in PAIR:
            every = {"refresh.period_days": 0.0, **size, **setups.updated(name), **keys}
            yield Point("ida", every, setups.full(name), requests=100, labels={"system": system, "trace": name})


@part("erases")
def write_intensive(quick: bool) -> Iterator[Point]:
    """Yields a full SSD with 15 % over-provisioning (section III-C) and few blocks: refreshed, then overwritten."""
    blocks, requests = (49, 300_000) if quick else (196, 1_500_000)
    invalid = statistics.fmean(setups.invalid_at_refresh(name) for name in setups.NAMES)
    full = {
        "ssd.blocks_per_plane": blocks,
        "ssd.overprovisioning": 1 - 1 / 1.15,
        "refresh.period_days": 0.0,
        "precondition.fill": 1.0,
        "workload.footprint_bytes": 0,
        "workload.footprint_ratio": 1.0,
        "workload.write_footprint_bytes": 0,
        "workload.update_scattered_ratio": invalid,
        "workload.update_run_ratio": 0.0,
        "host.mode": "closed",
    }
    for name in WRITE_INTENSIVE[: 1 if quick else None]:
        for system, keys in PAIR:
            labels = {"system": system, "trace": name}
            yield Point("ida", {**full, **keys}, setups.full(name), requests=requests, labels=labels)


class Refreshed(Row):
    """Table IV: pages of a refreshed block, and IDA's additional reads and writes; `in_runs`: writes in `runs`."""

    workload: str
    blocks: int
    valid_pages: float
    added_reads: float
    added_writes: float
    in_runs: float = field(repr=False)


class InUse(Row):
    """Blocks in use before and after the refresh, out of all blocks of the SSD."""

    workload: str
    system: str
    blocks_before: int
    blocks_after: int
    ida_blocks: int
    blocks_all: int = field(repr=False)


def counter(outcome: Outcome, name: str) -> int:
    """Returns a counter of the whole run, by part and name: refresh begins before the measured window."""
    places = ("counters", "outside.warmup.counters", "outside.remainder.counters")
    return sum(int(outcome[f"{place}.{name}"]) for place in places)


def table_4(results: Results) -> list[Refreshed]:
    """Returns a row for each workload."""

    def a_block(outcome: Outcome, name: str) -> float:
        return counter(outcome, f"ftl.refresh_{name}") / counter(outcome, "ftl.refresh_jobs")

    both = zip(FIG_8.of(results, system="E20"), IN_RUNS.of(results, system="E20"), strict=True)
    return [
        Refreshed(
            o.coordinates["trace"], counter(o, "ftl.refresh_jobs"), a_block(o, "valid_pages"), a_block(o, "kept_pages"),
            a_block(o, "written_back"), a_block(other, "kept_pages"),
        )
        for o, other in both
    ]  # fmt: skip


def in_use_rows(results: Results) -> list[InUse]:
    """Returns a row for each workload and system."""
    paths = ("blocks.in_use_before_refresh", "blocks.in_use_at_start", "blocks.merged", "blocks.all")
    return [
        InUse(o.coordinates["trace"], o.coordinates["system"], *(o[path] for path in paths)) for o in in_use.of(results)
    ]


def claims_of_table_4(rows: Sequence[Refreshed]) -> Mapping[str, Measurement]:
    """Means over the workloads."""
    in_runs = statistics.fmean(row.in_runs for row in rows)
    columns = ((row.valid_pages, row.added_reads, row.added_writes) for row in rows)
    valid, kept, broken = (statistics.fmean(column) for column in zip(*columns, strict=True))
    programs = valid - kept + broken
    return {
        "ida.refresh.added_writes": Measured(broken, note="counted as in the paper, where an adjustment is a write"),
        "ida.refresh.programs": Measured(f"{programs:.1f} < {valid:.1f}", holds=programs < valid),
        "ida.refresh.valid_pages": Measured(
            statistics.fmean(row.valid_pages for row in rows),
            note="matched at the refresh; Table III's share of MSB reads is taken as the trace's mean",
        ),
        "ida.refresh.added_reads": Measured(
            statistics.fmean(row.added_reads for row in rows),
            note=f"pages invalid independently; {in_runs:.1f} where part of them lie in runs of whole wordlines, so "
            "that Table III's last column holds at the refresh, too (the choice was made after seeing both)",
        ),
    }


def claims_of_blocks(rows: Sequence[InUse]) -> Mapping[str, Measurement]:
    """Additional blocks, as shares of the SSD's and of those in use."""
    ours = [row for row in rows if row.system == "E20"]
    more = [(row.blocks_after - row.blocks_before, row) for row in ours]
    return {
        "ida.blocks.in_use": statistics.fmean(extra / row.blocks_all for extra, row in more),
        "ida.blocks.workload": statistics.fmean(extra / row.blocks_before for extra, row in more),
    }


def claims_of_rises(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """The fraction by which E20 increases GC invocations and erases, at most."""
    rises = [
        counter(ours, name) / max(counter(base, name), 1) - 1.0
        for base, ours in grouped(rows, lambda o: str(o.coordinates["trace"])).values()
        for name in ("ftl.gc_jobs", "ftl.erases")
    ]
    note = "the larger rise of GC invocations and erases over the workloads"
    return {"ida.blocks.erases": Measured(max(rises), note=note)}


FIGURES = (
    Figure("table4", (FIG_8, IN_RUNS), table_4, claims_of_table_4),
    Figure("blocks", (in_use,), in_use_rows, claims_of_blocks),
    of_runs("erases", write_intensive, claims=claims_of_rises),
)
