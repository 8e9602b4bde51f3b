"""Makes the figure of docs/how-to/my-simulator.md and prints its table: restores with constants, and from a drive.

python tools/constants_page.py

Constants are those that simulators of LLM serving come with: `nvme_gen4` of BLIS (`defaults.yaml` of inference-sim at
f90a1e3a: 80 us, 7,000 bytes/us), and the defaults of aisimulate's G3 tier (aisimulate-core 0.13.0,
`G3OffloadConfig`: 0.1 ms, 10 GB/s). examples/held/aisimulate has the second from the crate itself.
"""
# ruff: noqa: INP001

from __future__ import annotations

import random
from pathlib import Path

import wordline as wl
from wordline import extras
from wordline.output.plot.style import PALETTE, figure, legend, save

ROOT = Path(__file__).resolve().parents[1]
RESTORES, EVERY_NS = 250, 4_000_000
BLOCK, COMMAND = 8 << 20, 1 << 20
RATES_GB_S = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
CONSTANTS = {"BLIS, nvme_gen4": 80 + BLOCK / 7000, "aisimulate, G3": 100 + BLOCK / 10_000}
"""Time of a restore alone, us. Writes do not change it: they have a bandwidth of their own."""


def commands(operation: str, block: int) -> list[tuple[str, int, int]]:
    """Returns the reads or writes of a block."""
    return [(operation, block * BLOCK + at, COMMAND) for at in range(0, BLOCK, COMMAND)]


def restores_us(drive: wl.Drive, write_gb_s: float) -> list[float]:
    """Returns the times of restores at random places, beside writes of blocks at random places."""
    draw = random.Random(1)  # noqa: S311 - the same in every run
    blocks = drive.config.host_bytes // BLOCK
    asked = [(number * EVERY_NS, "read") for number in range(RESTORES)]
    if write_gb_s:
        gap_ns = BLOCK / write_gb_s
        asked += [(round(number * gap_ns), "write") for number in range(int(RESTORES * EVERY_NS / gap_ns))]
    began = {}
    times = []
    for at_ns, operation in sorted(asked):
        (job,) = drive.submit(at_ns, [commands(operation, draw.randrange(blocks))])
        if operation == "read":
            began[job] = at_ns
    for job, done_ns, _ in drive.advance():
        if job in began:
            times.append((done_ns - began[job]) / 1000)
    return sorted(times)


def main() -> None:
    """Runs all rates, draws them and prints the table."""
    extras.need("the figure", "plot")
    used = wl.preset("datacenter-tlc", ssd__scale=1 / 256, precondition__fill=1.0, precondition__overwrite=0.5)
    with wl.open(used) as drive:
        found = []
        for rate in RATES_GB_S:
            with drive.fork() as copy:
                found.append(restores_us(copy, rate))
    lines = {name: [value] * len(RATES_GB_S) for name, value in CONSTANTS.items()}
    for name, share in (("datacenter-tlc, p50", 0.5), ("datacenter-tlc, p99", 0.99)):
        lines[name] = [times[int(share * len(times))] for times in found]
    with figure(1, height=2.3) as (drawing, (axes,)):
        for (name, values), colour in zip(lines.items(), PALETTE, strict=False):
            times_ms = [value / 1000 for value in values]
            axes.plot(RATES_GB_S, times_ms, marker="o", markersize=3, color=colour, label=name)
        axes.set(xlabel="Writes beside (GB/s)", ylabel="Restore of 8 MiB (ms)", ylim=(0, None))
        legend(axes)
        save(drawing, ROOT / "docs" / "how-to" / "my-simulator.svg")
    print("| writes beside, GB/s | " + " | ".join(f"{name}, us" for name in lines) + " |")
    print("|---" * (len(lines) + 1) + "|")
    for number, rate in enumerate(RATES_GB_S):
        print(f"| {rate:g} | " + " | ".join(f"{values[number]:,.0f}" for values in lines.values()) + " |")


if __name__ == "__main__":
    main()
