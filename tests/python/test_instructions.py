"""The work of a request, in instructions of the processor: a guard of speed that does not depend on the machine."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from importlib import import_module
from pathlib import Path

import pytest

import wordline
from wordline import _core

TOOLS = Path(__file__).resolve().parents[2] / "tools"

# Measured with the compiler of rust-toolchain.toml on x86-64: with the extension of `make setup`, and with that of
# `make test`, which checks assertions and overflows.
EXPECTED = {
    # 6 % more than 8425b72a has: requests have FUA and say how far they have come, and alarms are one table.
    # Which of these it is has not been looked into yet.
    "read": (2424, 2901),
    "write with garbage collection": (126_323, 146_479),
    "read of a worn page": (28_096, 34_392),
    # 1 % more than 8425b72a has: programs that go round the dies and reads that pass loaded ones took 11 %; pages that
    # move as one won most of it back.
    "4-KiB write of today's drive with garbage collection": (16_731, 23_687),
    # Units that share a program go to it as a run.
    "128-KiB write of today's drive": (74_523, 97_455),
    "128-KiB read of today's drive": (49_740, 58_643),
}
# The others take less time to count.
VERIFIED = [name for name in EXPECTED if "today" in name or "worn" in name]
ALLOWED = 1.05


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind, which counts instructions, is not installed")
@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="the figure is that of x86-64 under Linux"
)
@pytest.mark.skipif(
    any(name.startswith("CARGO_PROFILE_") for name in os.environ),
    reason="the extension is built with another profile than the project's",
)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.verify] * (name in VERIFIED)) for name in EXPECTED]
)
def test_a_request_takes_no_more_instructions_than_it_did(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))
    instructions = import_module("instructions")
    each = instructions.of_request(Path(wordline.__file__).parent, instructions.CASES[name])
    fast, checking = EXPECTED[name]
    expected = checking if _core.__debug_assertions__ else fast
    assert each <= ALLOWED * expected, f"{each:.0f} instructions for each {name}"
