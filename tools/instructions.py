"""Counts the processor instructions of a request: a measure of speed that does not depend on what else runs.

    python tools/instructions.py [--base FOLDER]

It runs the built extension under valgrind's cachegrind and prints a Markdown table. FOLDER is the `python/wordline` of
another checkout, whose extension is built too: the table then has both, and the ratio.
"""
# ruff: noqa: INP001, S603

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parents[1] / "python" / "wordline"

ONE_DIE = ("ssd.channels=1", "ssd.chips_per_channel=1", "ssd.dies_per_chip=1", "ssd.blocks_per_plane=64")


@dataclass(frozen=True)
class Case:
    """Requests of one kind.

    Attributes:
        preset: The SSD.
        settings: What differs from it.
        lengths: Numbers of requests. The slope between them counts: what a process does at its start drops out.
    """

    preset: str
    settings: tuple[str, ...]
    lengths: tuple[int, int]


# Two dies of a drive of today, with small blocks.
TODAY = (
    "ssd.channels=2",
    "ssd.chips_per_channel=1",
    "ssd.dies_per_chip=1",
    "ssd.blocks_per_plane=256",
    "ssd.pages_per_block=96",
)
LARGE = ("workload.read_block_bytes=131072", "workload.write_block_bytes=131072")
# A mapping unit is a page.
WHOLE_PAGES = "ftl.unit_bytes=16384"

CASES = {
    "read": Case("mqsim", ("workload.footprint_ratio=0.01", "precondition.fill=0.0"), (20_000, 60_000)),
    # Each request moves many pages.
    "write with garbage collection": Case(
        "mqsim",
        (*ONE_DIE, "workload.read_ratio=0.0", "precondition.fill=1.0", "precondition.overwrite=1.0"),
        (3_000, 4_000),
    ),
    # Each request takes many retry steps.
    "read of a worn page": Case(
        "pnar2",
        ("read.retry=pnar2", "reliability.pec=1000", "reliability.retention_months=3", "workload.footprint_ratio=0.01"),
        (1_000, 3_000),
    ),
    "4-KiB write of today's drive with garbage collection": Case(
        "datacenter-tlc",
        (*TODAY, "workload.read_ratio=0.0", "precondition.fill=1.0", "precondition.overwrite=0.5"),
        (10_000, 20_000),
    ),
    "128-KiB write of today's drive": Case(
        "datacenter-tlc", (*TODAY, *LARGE, "workload.read_ratio=0.0", "precondition.fill=0.0"), (1_000, 4_000)
    ),
    "128-KiB read of today's drive": Case(
        "datacenter-tlc", (*TODAY, *LARGE, "workload.read_ratio=1.0", "precondition.fill=1.0"), (1_000, 4_000)
    ),
    # What these take with units of 4 KiB beyond that is the price of small units.
    "128-KiB write in units of 16 KiB": Case(
        "datacenter-tlc",
        (*TODAY, *LARGE, WHOLE_PAGES, "workload.read_ratio=0.0", "precondition.fill=0.0"),
        (1_000, 4_000),
    ),
    "128-KiB read in units of 16 KiB": Case(
        "datacenter-tlc",
        (*TODAY, *LARGE, WHOLE_PAGES, "workload.read_ratio=1.0", "precondition.fill=1.0"),
        (1_000, 4_000),
    ),
}

# The extension alone, without the package and its libraries: they would take most of the time.
RUN = """
import importlib.util
import json
import sys

path, preset, *settings = sys.argv[1:]
spec = importlib.util.spec_from_file_location("_core", path)
core = importlib.util.module_from_spec(spec)
spec.loader.exec_module(core)
layers = [(preset, dict(core.ssd_presets())[preset], True, False)]
layers += [(*core.assignment(setting), False, False) for setting in settings]
config = core.Configuration(layers)
workload = json.loads(config.to_json())["workload"]
flow = {"flow": "requests", "workload": workload, "mode": "closed", "queue_depth": 32}
simulation = core.Simulation(config, json.dumps([flow]))
simulation.precondition()
simulation.run()
"""


def of_process(package: Path, case: Case, requests: int) -> int:
    """Returns the instructions of a process that simulates so many requests with the extension in `package`."""
    (extension,) = package.glob("_core*.so")
    # An interpreter, not a script that finds one: valgrind follows no other process.
    interpreter = Path(sys.executable).resolve()
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    command += [str(interpreter), "-I", "-S", "-c", RUN, str(extension), case.preset]
    command += [*case.settings, f"workload.requests={requests}"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    count = re.search(r"I +refs: +([\d,]+)", done.stderr)
    if count is None:
        raise RuntimeError(f"valgrind gave no count: {done.stderr}")
    return int(count[1].replace(",", ""))


def of_request(package: Path, case: Case) -> float:
    """Returns the instructions of one request with the extension in `package`."""
    fewer, more = (of_process(package, case, requests) for requests in case.lengths)
    return (more - fewer) / (case.lengths[1] - case.lengths[0])


def table(base: Path | None) -> str:
    """Returns a Markdown table of all cases, beside `base` if there is one."""
    lines = ["| one request | instructions |", "|---|---|"]
    if base is not None:
        lines = ["| one request | before | now | now / before |", "|---|---|---|---|"]
    for name, case in CASES.items():
        now = of_request(HERE, case)
        if base is None:
            lines.append(f"| {name} | {now:,.0f} |")
        else:
            before = of_request(base, case)
            lines.append(f"| {name} | {before:,.0f} | {now:,.0f} | {now / before:.3f} |")
    return "\n".join(lines)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--base", type=Path, help="python/wordline of another checkout")
    print(table(parser.parse_args().base))


if __name__ == "__main__":
    main()
