"""The schemes of AERO (Cho et al., ASPLOS 2024) and their look, and printed values in addition to its claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wordline.output.plot.style import BLUE, GREEN, ORANGE, SKY

# Section 7.1: the schemes compared, and the P/E cycles of Fig. 14 and Table 4.
SCHEMES = ("ispe", "i-ispe", "dpes", "aero-cons", "aero")
NAMES = {
    "ispe": "Baseline (ISPE)",
    "i-ispe": "i-ISPE",
    "dpes": "DPES",
    "aero-cons": "AERO (no ECC margin)",
    "aero": "AERO",
}
COLOURS = {"ispe": "#000000", "i-ispe": ORANGE, "dpes": GREEN, "aero-cons": SKY, "aero": BLUE}
# The schemes of Fig. 15 to 17 beside Baseline.
AEROS = ("aero-cons", "aero")
PECS = (500, 2500, 4500)
# Section 7.3: worn out at this age.
WORN_OUT = frozenset({("i-ispe", 4500)})

# Table 3: the names of the workloads in the paper and in Wordline; those of MSR Cambridge run ten times as fast
# (section 7.1).
WORKLOADS = {
    "ali.A": "ali/a",
    "ali.B": "ali/b",
    "ali.C": "ali/c",
    "ali.D": "ali/d",
    "ali.E": "ali/e",
    "rsrch": "msrc/rsrch_0",
    "stg": "msrc/stg_0",
    "hm": "msrc/hm_0",
    "prxy": "msrc/prxy_1",
    "proj": "msrc/proj_2",
    "usr": "msrc/usr_1",
}
MSRC_TIME_SCALE = 0.1

# Section 5.1: one loop of ISPE.
PULSE_MS, LOOP_MS, VERIFY_MS = 0.5, 3.5, 0.1
# Section 5.4: errors in 1 KiB up to which a block is usable; section 7.4, Fig. 17: with a weaker ECC.
REQUIREMENT_BITS = 63.0
REQUIREMENTS_BITS = (REQUIREMENT_BITS, 50.0, 40.0)

# Table 1: t1 / t2 in ms, by loop and fail-bit range.
TABLE_1: tuple[tuple[tuple[float, float], ...], ...] = (
    ((0.5, 0.0), (1.0, 0.0), (1.5, 0.5), (2.0, 1.0), (2.5, 1.5), (2.5, 2.0), (2.5, 2.5), (2.5, 2.5)),
    ((0.5, 0.0), (1.0, 0.0), (1.5, 0.5), (2.0, 1.0), (2.5, 1.5), (3.0, 2.0), (3.5, 2.5), (3.5, 3.0)),
    ((0.5, 0.0), (1.0, 0.0), (1.5, 0.5), (2.0, 1.0), (2.5, 1.5), (3.0, 2.0), (3.5, 2.5), (3.5, 3.0)),
    ((0.5, 0.0), (1.0, 0.5), (1.5, 1.0), (2.0, 1.5), (2.5, 2.0), (3.0, 2.5), (3.5, 3.0), (3.5, 3.5)),
    ((0.5, 0.5), (1.0, 1.0), (1.5, 1.5), (2.0, 2.0), (2.5, 2.5), (3.0, 3.0), (3.5, 3.5), (3.5, 3.5)),
)


def may_be_left(loops: int, fail_bit_range: int) -> bool:
    """Conditions C1 and C2 (section 5.4): the last loop can be left out; ranges are 0 up to gamma, 1 up to delta."""
    return (loops <= 3 and fail_bit_range <= 1) or (loops == 4 and fail_bit_range == 0)


def line(scheme: str) -> dict[str, Any]:
    """Returns the style of a scheme's line, the same in every figure."""
    return {"color": COLOURS[scheme], "label": NAMES[scheme]}


def marked(scheme: str) -> dict[str, Any]:
    """Returns the same style with a mark at each point."""
    return {**line(scheme), "linestyle": "-", "marker": "o", "ms": 3}


def looks(schemes: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Returns label and colour of some schemes' bars."""
    return {scheme: (NAMES[scheme], COLOURS[scheme]) for scheme in schemes}
