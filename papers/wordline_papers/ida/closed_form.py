"""The study's load for a single chip: random reads of single pages, in closed form.

A chip that each read holds for tR and the link's time, and that nothing else holds, is an M/G/1 queue if reads arrive
at random and one by one. The Pollaczek-Khinchine formula then gives IDA's saving. Nothing is fitted: it shows how much
of the paper's gains the load alone explains, without long requests, bursts, or writes.
"""

from __future__ import annotations

import itertools
import json
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence

from wordline.config import preset

from .. import Row
from . import setups

LINK_US, DECODE_US = 48.0, 20.0
# The MLC variant (section V-G).
MLC_US = (65.0, 115.0)
Reads = list[tuple[float, float]]


class Case(Row):
    """The gain of a part in closed form, mean of the workloads at their loads."""

    part: str
    error_rate: float
    slowest_sense_us: float
    gain: float


def cases(loads: Mapping[str, float], error_rates: Sequence[float], steps_us: Sequence[float]) -> list[Case]:
    """Returns the gains of Fig. 8, Fig. 9 and Table V, counted as in the study, as far as every chip keeps up."""
    tlc_us = tuple(setups.read_times(setups.LSB_US)["nand.read_us"])
    wanted: list[tuple[str, float, str, Sequence[float]]] = [
        *(("fig8", rate, "tlc", tlc_us) for rate in error_rates),
        *(("fig9", 0.2, "tlc", tuple(setups.read_times(step)["nand.read_us"])) for step in steps_us),
        ("tableV", 0.2, "mlc", MLC_US),
    ]
    arrivals = {name: load / mean_us(plain("tlc", tlc_us)) for name, load in loads.items()}
    return [
        Case(
            part,
            rate,
            times[-1],
            statistics.fmean(saved(cell, times, rate, *arrival) for arrival in of_names(arrivals)),
        )
        for part, rate, cell, times in wanted
        if max(arrivals.values()) * mean_us(plain(cell, times)) < 1.0
    ]


def of_names(arrivals: Mapping[str, float]) -> list[tuple[float, float]]:
    """Returns each workload's arrivals with the share of its pages that are valid."""
    return [(rate, 1.0 - setups.invalid_at_refresh(name)) for name, rate in arrivals.items()]


def saved(cell: str, read_us: Sequence[float], error_rate: float, arrivals: float, valid: float) -> float:
    """Returns IDA's saving as a share of the mean response time, at a rate of reads per microsecond."""
    before, after = plain(cell, read_us), refreshed(cell, read_us, error_rate, valid)
    return 1.0 - response_us(after, arrivals) / response_us(before, arrivals)


def response_us(reads: Reads, arrivals: float) -> float:
    """Returns the mean response time of an M/G/1 queue, plus decoding; the load must be below 1."""
    square = sum(share * us**2 for share, us in reads)
    wait_us = arrivals * square / (2.0 * (1.0 - arrivals * mean_us(reads)))
    return wait_us + mean_us(reads) + DECODE_US


def mean_us(reads: Reads) -> float:
    """Returns the mean time for which a read holds the chip."""
    return sum(share * us for share, us in reads)


def senses(cell: str, invalid: Sequence[str]) -> dict[str, int]:
    """Returns the senses of each valid page after the merge with these invalid pages."""
    names = {"tlc": "ida", "mlc": "ida-mlc"}
    document = json.loads(preset(names[cell]).core.coding(list(invalid)))
    return {page["page"]: page["after"]["senses"] for page in document["pages"] if page["valid"]}


def plain(cell: str, read_us: Sequence[float]) -> Reads:
    """Returns the share of each kind of page after the fill, all equal, with the time that its read holds the chip."""
    counts = senses(cell, []).values()
    return [(1.0 / len(counts), read_us[count - 1] + LINK_US) for count in counts]


def refreshed(cell: str, read_us: Sequence[float], error_rate: float, valid: float) -> Reads:
    """Returns the reads after IDA's refresh; this share of the pages is valid, each independently."""
    lowest, *kept = senses(cell, [])
    runs = [
        (share * (1.0 - error_rate) / (1 + len(kept)), read_us[count - 1] + LINK_US)
        for share, counts in merges(cell, lowest, kept, valid)
        for count in counts
    ]
    moved = 1.0 - sum(share for share, _ in runs)
    return [*runs, *((moved * share, us) for share, us in plain(cell, read_us))]


def merges(cell: str, lowest: str, kept: Sequence[str], valid: float) -> Iterator[tuple[float, list[int]]]:
    """Yields merges of wordlines whose highest page is valid: the share of each set of others, and its senses."""
    *middle, _ = kept
    for is_valid in itertools.product((True, False), repeat=len(middle)):
        share = math.prod(valid if each else 1.0 - valid for each in is_valid)
        invalid = [lowest, *(page for page, each in zip(middle, is_valid, strict=True) if not each)]
        yield share, list(senses(cell, invalid).values())
