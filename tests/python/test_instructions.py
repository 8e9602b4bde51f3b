"""The work of a read, in instructions of the processor: a coarse guard of speed that does not depend on the machine."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import wordline
from wordline import _core

# Instructions that one random read takes, with the compiler of rust-toolchain.toml on x86-64: the slope between two
# lengths, so that what a process does at its start drops out. Measured by this test. `make setup` builds the fast
# extension, which `make verify` tests; that of `make test` checks assertions and overflows.
INSTRUCTIONS_PER_READ = 2524 if _core.__debug_assertions__ else 1981
ALLOWED = 1.05
LENGTHS = (20_000, 60_000)

# The extension alone, without the package and its libraries: they would take most of the time.
RUN = """
import importlib.util
import sys

path, requests = sys.argv[1:]
spec = importlib.util.spec_from_file_location("_core", path)
core = importlib.util.module_from_spec(spec)
spec.loader.exec_module(core)
settings = ["workload.footprint_ratio=0.01", "precondition.fill=0.0", f"workload.requests={requests}"]
layers = [("mqsim", dict(core.ssd_presets())["mqsim"], True, False)]
layers += [(*core.assignment(setting), False, False) for setting in settings]
config = core.Configuration(layers)
core.Simulation(config, [core.FlowSource("reads", workload=config, mode="closed", queue_depth=32)]).run()
"""


def instructions(requests: int) -> int:
    """Instructions of a process that simulates so many random reads."""
    (extension,) = Path(wordline.__file__).parent.glob("_core*.so")
    # An interpreter, not a script that finds one: valgrind follows no other process.
    interpreter = Path(sys.executable).resolve()
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    command += [str(interpreter), "-I", "-S", "-c", RUN, str(extension), str(requests)]
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
def test_a_read_takes_no_more_instructions_than_it_did() -> None:
    fewer, more = (instructions(requests) for requests in LENGTHS)
    per_read = (more - fewer) / (LENGTHS[1] - LENGTHS[0])
    assert per_read <= ALLOWED * INSTRUCTIONS_PER_READ, f"{per_read:.0f} instructions for each read"
