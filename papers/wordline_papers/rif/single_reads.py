"""Reads of one page at a time: correctable ones with and without the check on the die, others with one and two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from wordline.config import preset

from .. import Figure, Measurement, Point, Results, Row, part
from ..lone import T_ECC_US, deviation_us, strided_reads, times_us

PAGES = 64
READS: dict[str, dict[str, Any]] = {
    "plain": {"read.retry": "ideal"},
    "checked": {"read.retry": "rif"},
    "checked once": {"read.retry": "rif", "reliability.retry_steps": 1, "read.on_die_retries": 1},
    "checked twice": {"read.retry": "rif", "reliability.retry_steps": 1, "read.on_die_retries": 2},
}


@part("lone")
def lone_reads(_quick: bool) -> Iterator[Point]:
    """Yields one run for each kind of read."""
    ecc = {"ecc.engine": "pipelined", "ecc.code": "bounded", "ecc.decode_us": T_ECC_US}
    page_bytes = int(preset("rif")["ssd.page_bytes"])
    for name, keys in READS.items():
        yield strided_reads("rif", {**ecc, **keys}, pages=PAGES, page_bytes=page_bytes, labels={"read": name})


class Read(Row):
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
    runs = {name: lone_reads.of(results).one(read=name) for name in formulas}
    return [
        Read(name, us, fmean(times_us(runs[name])), deviation_us(runs[name], [us] * PAGES))
        for name, us in formulas.items()
    ]


def claims(rows: Sequence[Read]) -> Mapping[str, Measurement]:
    """The time of the check, and that times add up."""
    by = {row.read: row for row in rows}
    return {
        "rif.module.latency": by["checked"].simulated_us - by["plain"].simulated_us,
        "rif.timing.on_die": max(row.largest_deviation_us for row in rows),
    }


FIGURES = (Figure("lone", (lone_reads,), reads, claims),)
