"""OFWAR's cells (Section 4.1): the cost of twice the program step."""

from __future__ import annotations

from typing import Any

from ...lab.chips import on_bench
from ...lab.program_bench import ProgramBench


def retention() -> dict[str, Any]:
    """Returns days and program time at the nominal step and at twice it."""
    found = ProgramBench(on_bench("mlc-ofwar")).retention(2.0, 2)
    return {"nominal_days": found["days"][0], "days": found["days"][1], "program_us": found["program_us"]}
