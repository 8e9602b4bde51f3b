"""The work of a request, in instructions of the processor: a guard of speed that does not depend on the machine."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import wordline
from wordline import _core


@dataclass(frozen=True)
class Case:
    """Requests of one kind, and the instructions that one takes.

    Attributes:
        preset: The SSD.
        settings: What differs from it.
        lengths: Numbers of requests. The slope between them counts: what a process does at its start drops out.
        fast: As this test measures them with the compiler of rust-toolchain.toml on x86-64, with the extension of
            `make setup`.
        checking: The same with that of `make test`, which checks assertions and overflows.
    """

    preset: str
    settings: tuple[str, ...]
    lengths: tuple[int, int]
    fast: int
    checking: int

    @property
    def instructions(self) -> int:
        """Returns the instructions of a request with the extension that is tested."""
        return self.checking if _core.__debug_assertions__ else self.fast


ONE_DIE = ("ssd.channels=1", "ssd.chips_per_channel=1", "ssd.dies_per_chip=1", "ssd.blocks_per_plane=64")
CASES = {
    "read": Case("mqsim", ("workload.footprint_ratio=0.01", "precondition.fill=0.0"), (20_000, 60_000), 1981, 2524),
    # Each request moves many pages.
    "write with garbage collection": Case(
        "mqsim",
        (*ONE_DIE, "workload.read_ratio=0.0", "precondition.fill=1.0", "precondition.overwrite=1.0"),
        (3_000, 4_000),
        90_949,
        107_447,
    ),
    # Each request takes many retry steps.
    "read of a worn page": Case(
        "pnar2",
        ("read.retry=pnar2", "reliability.pec=1000", "reliability.retention_months=3", "workload.footprint_ratio=0.01"),
        (1_000, 3_000),
        27_461,
        33_255,
    ),
}
ALLOWED = 1.05

# The extension alone, without the package and its libraries: they would take most of the time.
RUN = """
import importlib.util
import sys

path, preset, *settings = sys.argv[1:]
spec = importlib.util.spec_from_file_location("_core", path)
core = importlib.util.module_from_spec(spec)
spec.loader.exec_module(core)
layers = [(preset, dict(core.ssd_presets())[preset], True, False)]
layers += [(*core.assignment(setting), False, False) for setting in settings]
config = core.Configuration(layers)
simulation = core.Simulation(config, [core.FlowSource("requests", workload=config, mode="closed", queue_depth=32)])
simulation.precondition()
simulation.run()
"""


def instructions(case: Case, requests: int) -> int:
    """Instructions of a process that simulates so many requests."""
    (extension,) = Path(wordline.__file__).parent.glob("_core*.so")
    # An interpreter, not a script that finds one: valgrind follows no other process.
    interpreter = Path(sys.executable).resolve()
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    command += [str(interpreter), "-I", "-S", "-c", RUN, str(extension), case.preset]
    command += [*case.settings, f"workload.requests={requests}"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = re.search(r"I +refs: +([\d,]+)", done.stderr)
    assert found, done.stderr
    return int(found[1].replace(",", ""))


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind, which counts instructions, is not installed")
@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="the figure is that of x86-64 under Linux"
)
@pytest.mark.skipif(
    any(name.startswith("CARGO_PROFILE_") for name in os.environ),
    reason="the extension is built with another profile than the project's",
)
@pytest.mark.parametrize("name", CASES)
def test_a_request_takes_no_more_instructions_than_it_did(name: str) -> None:
    case = CASES[name]
    fewer, more = (instructions(case, requests) for requests in case.lengths)
    each = (more - fewer) / (case.lengths[1] - case.lengths[0])
    assert each <= ALLOWED * case.instructions, f"{each:.0f} instructions for each {name}"
