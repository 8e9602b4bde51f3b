"""The chip lab of PR2/AR2 (Sections 3 to 5): reads of the 48-layer TLC, over its 160 chips; and OFWAR's cells."""

from __future__ import annotations

from typing import Any

from ...config import preset
from ...lab.chips import on_bench
from ...lab.program_bench import ProgramBench
from ...lab.read_bench import ReadBench

CHIP = "tlc-48l"
HOT_C, WARM_C, COLD_C = 85.0, 55.0, 30.0
# Cuts of tPRE of PR2/AR2, Fig. 8 to 10.
PRECHARGE = (0.07, 0.20, 0.27, 0.40, 0.47, 0.54, 0.60)
# Conditions that test the claims about "any condition": P/E cycles and months.
ANY = ((0, 0), (0, 12), (1000, 6), (2000, 0), (2000, 12))


def bench(blocks: int) -> ReadBench:
    """Returns some blocks of each of the 160 chips."""
    return ReadBench(on_bench(CHIP), blocks=blocks)


def steps(cycles: float, months: float, blocks: int) -> dict[str, Any]:
    """Fig. 5: the number of retry steps that pages need under one condition."""
    shares = bench(blocks).retry_steps(cycles, months)
    taken = [number for number, share in enumerate(shares[:-1]) if share > 0.0]
    return {
        "least": min(taken),
        "most": max(taken),
        "mean": sum(number * share for number, share in enumerate(shares[:-1])),
        "seven_or_more": sum(shares[7:-1]),
        "unread": shares[-1],
    }


def m_err(cycles: float, months: float, temperature_c: float, blocks: int) -> dict[str, Any]:
    """Fig. 7: most errors at the step that succeeds."""
    return {"bits": bench(blocks).m_err(cycles, months, temperature_c)[0]}


def cuts(blocks: int) -> dict[str, Any]:
    """Fig. 8 and 9: errors that single and combined cuts add to M_ERR at 85 C."""
    lab = bench(blocks)
    none = (0.0, 0.0, 0.0)
    worst = lab.m_err(2000, 12, HOT_C, [none, (0.47, 0, 0), (0, 0.10, 0), (0, 0, 0.27)])
    worn = lab.m_err(1000, 0, HOT_C, [none, (0.54, 0, 0), (0, 0, 0.20), (0.54, 0, 0.20)])
    fresh = lab.m_err(0, 0, HOT_C, [none, (0, 0.20, 0)])
    at_once = lab.m_err(2000, 0, HOT_C, [none, (0.47, 0, 0)])
    seven = []
    for cycles, months in ANY:
        pairs = [(share, 0.0, discharge) for share in (0.0, *PRECHARGE[:-1]) for discharge in (0.0, 0.07)]
        bits = lab.m_err(cycles, months, HOT_C, pairs)
        seven += [with_ - without for without, with_ in zip(bits[::2], bits[1::2], strict=True)]
    return {
        "single_bits": {"tPRE 47 %": worst[1], "tEVAL 10 %": worst[2], "tDISCH 27 %": worst[3]},
        "precharge_54_added": worn[1] - worn[0],
        "discharge_20_added": worn[2] - worn[0],
        "together_bits": worn[3],
        "evaluation_20_added": fresh[1] - fresh[0],
        "retention_ratio": (worst[1] - worst[0]) / (at_once[1] - at_once[0]),
        "discharge_7_added": max(seven),
    }


def cold(blocks: int) -> dict[str, Any]:
    """Fig. 10: the largest additional errors of a cut of tPRE at 30 C, compared with 85 C."""
    lab = bench(blocks)
    more = []
    for cycles, months in ANY:
        hot, chilled = (
            lab.m_err(cycles, months, celsius, [(share, 0.0, 0.0) for share in (0.0, *PRECHARGE)])
            for celsius in (HOT_C, COLD_C)
        )
        more += [(c - chilled[0]) - (h - hot[0]) for h, c in zip(hot, chilled, strict=True)]
    return {"bits": max(more)}


def timing_table(blocks: int) -> dict[str, Any]:
    """Fig. 11: the table of safe cuts by profiling."""
    return bench(blocks).timing_table()


def onset(cycles: float, blocks: int) -> dict[str, Any]:
    """RiF's observation: days until the first retry."""
    return {"days": bench(blocks).first_retry_days(cycles)}


def further_reads(cycles: float, months: float, blocks: int) -> dict[str, Any]:
    """RiF, "Read-Retry Optimization": further reads of a page that fails, where the die counts cells (Swift-Read)."""
    return {"mean": bench(blocks).further_reads("counting", cycles, months)}


def sense() -> dict[str, Any]:
    """The phases of one sense (Section 4), as the SSD of the paper has them."""
    config = preset("pnar2")
    return {key: config[f"nand.{key}"] for key in ("precharge_us", "evaluate_us", "discharge_us")}


def retention() -> dict[str, Any]:
    """OFWAR, Section 4.1: days and program time at the nominal program step and at twice it."""
    found = ProgramBench(on_bench("mlc-ofwar")).retention(2.0, 2)
    return {"nominal_days": found["days"][0], "days": found["days"][1], "program_us": found["program_us"]}
