"""The chip lab of AERO (Sections 3, 5 and 7.2): how the blocks of the 48-layer TLC erase."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Any

from ...chips import on_bench
from ...erase_bench import EraseBench, flags_bytes

CHIP = "tlc-48l"
MANY = 4000
PECS = (0, 1000, 2000, 2500, 3000, 3500, 4500, 5000)
M_ISPE_BLOCKS = 500
# Blocks whose fail bits are followed at each age, over the pulses up to so many before the end.
FELP_BLOCKS, FROM_END = 40, 7
# AERO, Section 5.1: short pulses of a loop.
PULSES_PER_LOOP = 7
# AERO, Section 5.3: ages of Fig. 9; all four tSE.
SHALLOW_PECS, SHALLOW_PULSES, SHALLOW_BLOCKS = (100, 500), (1, 2, 3, 4), 1000
REQUIREMENT_BITS = 63.0
# AERO, Table 1: t1 / t2 in ms by loops and fail-bit range. Published values that the profiled table is compared with.
TABLE_1 = (
    ((0.5, 0.0), (1.0, 0.0), (1.5, 0.5), (2.0, 1.0), (2.5, 1.5), (2.5, 2.0), (2.5, 2.5), (2.5, 2.5)),
    ((0.5, 0.0), (1.0, 0.0), (1.5, 0.5), (2.0, 1.0), (2.5, 1.5), (3.0, 2.0), (3.5, 2.5), (3.5, 3.0)),
    ((0.5, 0.0), (1.0, 0.0), (1.5, 0.5), (2.0, 1.0), (2.5, 1.5), (3.0, 2.0), (3.5, 2.5), (3.5, 3.0)),
    ((0.5, 0.0), (1.0, 0.5), (1.5, 1.0), (2.0, 1.5), (2.5, 2.0), (3.0, 2.5), (3.5, 3.0), (3.5, 3.5)),
    ((0.5, 0.5), (1.0, 1.0), (1.5, 1.5), (2.0, 2.0), (2.5, 2.5), (3.0, 3.0), (3.5, 3.5), (3.5, 3.5)),
)


def bench() -> EraseBench:
    """120 blocks, as AERO, Section 7.2 has."""
    return EraseBench(on_bench(CHIP))


def share(flags: Iterable[bool]) -> float:
    """How many of them are true."""
    found = list(flags)
    return sum(found) / len(found)


def latencies() -> dict[str, Any]:
    """Fig. 4: least latencies of the blocks."""
    ages = {}
    for curve in bench().latencies(PECS, MANY):
        ms, loops = curve["latency_ms"], curve["loops"]
        ages[f"{curve['pec']:g}"] = {
            "single": share(each == 1 for each in loops),
            "multi": share(each >= 2 for each in loops),  # noqa: PLR2004
            "three": share(each == 3 for each in loops),  # noqa: PLR2004
            "within_2_5_ms": share(each <= 2.5 for each in ms),  # noqa: PLR2004
            "std_ms": statistics.pstdev(ms),
        }
    return {"ages": ages}


def fail_bits() -> dict[str, Any]:
    """Section 5.2: what each 0.5 ms of m-ISPE removes on the straight part, and what stands before the last."""
    drops: list[int] = []
    rests: list[int] = []
    for pec in PECS:
        lab = EraseBench(on_bench(CHIP).set_all({"erase.scheme": "m-ispe", "reliability.pec": pec}))
        for block in range(FELP_BLOCKS):
            counts = [step["fail_bits"] for step in lab.steps((block + 0.5) / FELP_BLOCKS)["steps"]]
            # The last pulse leaves F_PASS or less; before it stands gamma, and far from the end the count saturates.
            straight = counts[-FROM_END:-2]
            drops += [before - after for before, after in zip(straight, straight[1:], strict=False)]
            rests += counts[-2:-1]
    found = bench().fail_bits()
    rows = list(zip(*(found[key] for key in ("loops", "needed_pulses", "pulses", "fail_bits")), strict=True))
    most = [a[3] - b[3] for a, b in zip(rows, rows[1:], strict=False) if a[:2] == b[:2] and b[1] - b[2] >= 2]  # noqa: PLR2004
    return {"delta": statistics.fmean(drops), "gamma": max(rests), "delta_of_most": statistics.fmean(most)}


def ranges() -> dict[str, Any]:
    """Fig. 8: the least share of blocks of a range that need the same time, and blocks beyond their range's time."""
    found = bench().ranges()
    cells: dict[tuple[int, int], dict[int, int]] = {}
    for loops, place, needed, erases in zip(*(found[key] for key in ("loops", "range", "needed_pulses", "erases")), strict=True):
        cells.setdefault((loops, place), {})[needed] = erases
    same = {key: max(of.values()) / sum(of.values()) for key, of in cells.items()}
    beyond = sum(n for (_, place), of in cells.items() for needed, n in of.items() if needed > place + 1)
    return {"same_of_four_loops": min(s for (loops, _), s in same.items() if loops == 4), "beyond": beyond}  # noqa: PLR2004


def shallow() -> dict[str, Any]:
    """Fig. 9: shallow erasures of 0.5 to 2 ms."""
    rows = bench().shallow(SHALLOW_PECS, SHALLOW_PULSES, SHALLOW_BLOCKS)
    of_1_ms = [row for row in rows if row["shallow_ms"] == 1.0]
    spreads = []
    for pec in SHALLOW_PECS:
        means = [row["mean_ms"] for row in rows if row["pec"] == pec]
        spreads.append((max(means) - min(means)) / min(means))
    old = next(row for row in of_1_ms if row["pec"] == SHALLOW_PECS[-1])
    return {
        "reduced": statistics.fmean(row["reduced_share"] for row in of_1_ms),
        "spread": max(spreads),
        # 2 ms are four short pulses.
        "within_2_ms": sum(old["latency_shares"][:4]),
    }


def margins() -> dict[str, Any]:
    """Fig. 10: the margin of fresh blocks, the worst complete erase, and cells that C1 and C2 get wrong."""
    found = bench().margins()
    wrong = 0
    for loops, place, bits in zip(found["loops"], found["range"], found["incomplete_bits"], strict=True):
        allowed = (loops <= 3 and place <= 1) or (loops == 4 and place == 0)  # noqa: PLR2004
        wrong += (bits <= REQUIREMENT_BITS) != allowed
    return {
        "fresh_margin": REQUIREMENT_BITS - max(found["fresh_bits"]),
        "complete_most": max(found["complete_bits"]),
        "conditions_wrong": wrong,
        "cells": len(found["loops"]),
    }


def table() -> dict[str, Any]:
    """Table 1 by profiling: cells that differ from the paper's, and its size (Section 6: blocks of some 10 MB)."""
    found = bench().table()
    cells = [
        list(zip(t1, t2, strict=True)) for t1, t2 in zip(found["complete_ms"], found["with_margin_ms"], strict=True)
    ]
    differ = sum(ours != theirs for row, paper in zip(cells, TABLE_1, strict=True) for ours, theirs in zip(row, paper, strict=True))
    return {"differ": differ, "bytes": found["bytes"], "entries": found["entries"], "flags_bytes": flags_bytes(10**12, 10**7)}


def lifetime(scheme: str) -> dict[str, Any]:
    """Fig. 13: P/E cycles until the mean M_RBER passes 63 bits, and M_RBER of fresh blocks."""
    found = bench().lifetime(scheme)
    return {"pec": found["lifetime_pec"], "fresh_bits": found["m_rber_bits"][0]}


def m_ispe() -> dict[str, Any]:
    """Section 5.1: blocks whose loops and last pulse m-ISPE finds wrongly."""
    found = bench().erases_after_ispe("m-ispe", PECS, M_ISPE_BLOCKS)
    wrong = 0
    for pulses, needed in zip(found["pulses"], found["needed_pulses"], strict=True):
        # What a rounding error is above a whole pulse does not count.
        whole = -(-(needed - 1e-6) // 1)
        wrong += pulses != whole
    return {"wrong": wrong, "blocks": len(found["pulses"])}


def stress() -> dict[str, Any]:
    """Section 3.1: the share of stress that erases cause; Section 5.1: what m-ISPE's ramps add to M_RBER."""
    lab = bench()
    cycle = statistics.fmean(lab.erases("ispe", PECS)["stress"])
    whole, split = (lab.m_rber_in_pieces(5000, pulses) for pulses in (PULSES_PER_LOOP, 1))
    return {"erase_share": 1.0 - lab.program_stress() / cycle, "m_rber_added": split / whole - 1.0}
