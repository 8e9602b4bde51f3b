"""The presets of drives with placement handles give the write amplification that they were fitted to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
# Tenths of a pass of random writes over the drive, in which each block is written once: MoatLab/WARP-FAST26-AE.
MEASURED = {
    "A": [1.00, 2.09, 3.87, 2.82, 2.24, 2.31, 1.93, 1.64, 1.39, 1.11],
    "B": [3.33, 6.53, 5.22, 4.64, 4.13, 3.58, 3.03, 2.46, 1.88, 1.30],
}
MEAN = {"A": (2.04, 0.03), "B": (3.61, 0.05)}
# Drive B begins to collect earlier than its preset.
FIRST = {"A": 0.08, "B": 0.25}


@pytest.mark.verify
@pytest.mark.parametrize("letter", ["A", "B"])
def test_tenths_of_a_pass_are_those_of_the_drive(letter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))
    sys.modules.pop("warp", None)
    from warp.drives import DRIVES, narrow, one_stream, tenths

    (real,) = (each for each in DRIVES if each.letter == letter)
    found = tenths(one_stream(narrow(real)))
    assert found[:2] == pytest.approx(MEASURED[letter][:2], rel=FIRST[letter])
    assert found[2:] == pytest.approx(MEASURED[letter][2:], rel=0.08)
    mean, within = MEAN[letter]
    assert sum(found) / 10 == pytest.approx(mean, rel=within)
