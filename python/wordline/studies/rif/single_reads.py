"""Reads of one page at a time: correctable ones with and without the check on the die, others with one and two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from ...config import preset
from .. import Point, Results
from ..claims import Measurement
from ..figure import Figure, Part
from ..lone import times_us

# Lone reads: tECC of PR2/AR2, section 7.1, as a latency.
T_ECC_US = 20.0
PAGES = 64
READS: dict[str, dict[str, Any]] = {
    "plain": {"read.retry": "ideal"},
    "checked": {"read.retry": "rif"},
    "checked once": {"read.retry": "rif", "reliability.retry_steps": 1, "read.on_die_retries": 1},
    "checked twice": {"read.retry": "rif", "reliability.retry_steps": 1, "read.on_die_retries": 2},
}


def points(quick: bool) -> Iterator[Point]:
    """Yields one run for each kind of read."""
    del quick
    given = {
        "cells.chip": "none",
        "ecc.engine": "pipelined",
        "ecc.code": "bounded",
        "ecc.decode_us": T_ECC_US,
        "host.queue_depth": 1,
        "workload.pattern": "strided",
        "workload.stride_bytes": int(preset("rif")["ssd.page_bytes"]),
        "workload.read_block_bytes": 4096,
    }
    for name, keys in READS.items():
        yield Point(
            "rif", {**given, **keys}, "fio/strided-read", requests=PAGES, log_requests=True, labels={"read": name}
        )


LONE = Part("lone", points)


@dataclass(frozen=True)
class Read:
    """A lone read and its formula."""

    read: str
    formula_us: float
    simulated_us: float
    largest_deviation_us: float


def reads(results: Results) -> list[Read]:
    """Returns a row for each kind of read."""
    config = preset("rif")
    t_r, check = float(config["nand.read_us"][0]), float(config["nand.on_die_check_us"])
    rest = float(config["ssd.page_bytes"]) / float(config["channel.rate_mb_s"]) + T_ECC_US
    formulas = {
        "plain": t_r + rest,
        "checked": t_r + check + rest,
        "checked once": 2.0 * t_r + check + rest,
        "checked twice": 2.0 * (t_r + check) + rest,
    }
    found = []
    for name, formula_us in formulas.items():
        times = times_us(LONE.of(results).one(read=name))
        found.append(Read(name, formula_us, fmean(times), max(abs(us - formula_us) for us in times)))
    return found


def claims(rows: Sequence[Read]) -> Mapping[str, Measurement]:
    """The time of the check, and that times add up."""
    by = {row.read: row for row in rows}
    return {
        "rif.module.latency": by["checked"].simulated_us - by["plain"].simulated_us,
        "rif.timing.on_die": max(row.largest_deviation_us for row in rows),
    }


FIGURES = (Figure("lone", (LONE,), reads, claims),)
