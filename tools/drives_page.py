"""Measures how near the datacenter presets come to their limits and ratings, and writes docs/validation/drives.md.

python3 tools/drives_page.py            # some minutes of processor time
"""
# ruff: noqa: INP001

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import drives_tails
import stamp

import wordline as wl
from wordline import _core
from wordline.limits import limits, lowest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation" / "drives.md"

# Where a drive is filled or aged, a part of it is: all dies and channels, with smaller blocks.
SCALE = "1/64"
DEPTHS = (1, 4, 16, 64, 256)
# Requests of a run: enough for its mean. Writes that saturate an aged drive are a tenth of it, so that all its groups
# take part.
REQUESTS, AGED_REQUESTS = 200_000, 1_500_000
SATURATED = {"random": 1024, "sequential": 256}


@dataclass(frozen=True)
class Load:
    """A load that data sheets rate: what it is called, its workload, and the drive's state."""

    name: str
    workload: str
    state: dict[str, Any]


STEADY = {
    "precondition.fill": 1.0,
    "precondition.overwrite": "steady",
    "precondition.shape": "workload",
    "ssd.scale": SCALE,
}
LOADS = (
    Load("random reads", "fio/random-read", {}),
    Load("sequential reads", "fio/sequential-read", {}),
    Load("sequential writes", "fio/sequential-write", {"ssd.scale": SCALE}),
    Load("random writes", "fio/random-write", STEADY),
)
# Ratings: IOPS of random loads, MB/s of sequential ones. Samsung's data sheet of the PM9A3, 3.84 TB.
RATINGS: dict[str, dict[str, float]] = {
    "datacenter-tlc": {
        "random reads": 1_000_000,
        "sequential reads": 6_800,
        "sequential writes": 4_000,
        "random writes": 180_000,
    },
    "datacenter-qlc": {},
}

HEAD = """\
# The datacenter presets against their limits and ratings

<!-- Made by tools/drives_page.py: change that, then run it. -->

What a drive can do at most follows from its parts, each for itself: `wordline explain limits PRESET` shows it. Below,
each load saturates the drive ({random} requests outstanding for random loads, {sequential} for sequential ones). Random
requests have 4 KiB, sequential ones 128 KiB. Reads are of data that a fill in order has put there. Writes are to a part
of the drive ([scale](scale.md): `ssd.scale = "{scale}"`, all dies and channels), random ones at the equilibrium of
their workload (`--steady`); their limit is for the write amplification it has.

"""
NOTES = """
- **Random reads**: the controller's time a command (`controller.command_ns`) is set to the rating, since nothing else
  in the model is as low. That row shows only that the limit is met. Planes of a die that are asked for the same
  page number are read together, which the limit leaves out.
- **Sequential reads**: the link's rate is the rating, too. Only the ratings of writes are evidence.
- **Sequential writes** of the model are those of all its dies at once, each a wordline in two planes: 1198.8 us for
  96 KiB, which is the 82 MB/s that ISSCC 2019 has for the chip. The drive is rated lower. What holds it back (power,
  parity, the map's pages) is not published. `nand.max_programs` limits the programs at a time, as power does: with 49
  for the 64 dies the limit is 4,018 MB/s. The preset has none, since that number would come from the rating alone.
- **Random writes** are somewhat above the rating. Parity, which such a drive writes too, is not in the preset, and
  how often it writes its mapping table is assumed (`journal.share`).
- `datacenter-qlc` names no drive: it has the times of a chip that was measured, and no rating stands beside it.
"""
LATENCY = """
## Depths

4-KiB requests at random, reads on the filled drive and writes on the aged part: IOPS, and response times in us.

| preset | depth | reads: IOPS | mean | p99 | writes: IOPS | mean | p99 |
|---|---|---|---|---|---|---|---|
"""


def run(preset: str, load: Load, depth: int, drives: _core.Drives | None = None) -> wl.Result:
    """A run of a load; `drives` keeps what it begins with."""
    config = wl.preset(preset).set_all({**load.state, "host.queue_depth": depth})
    requests = AGED_REQUESTS if load.state == STEADY and drives is None else REQUESTS
    config = config.set_all({"host.warmup_requests": requests // 4, "workload.requests": requests})
    return wl.run(config, wl.workload(load.workload, requests=requests), drives=drives)


def row(*cells: object) -> str:
    """A row of a table."""
    return f"| {' | '.join(map(str, cells))} |\n"


def saturated(preset: str, load: Load) -> str:
    """A row that compares a load's rate with its limit and its rating."""
    result = run(preset, load, SATURATED[load.name.split(maxsplit=1)[0]])
    amplification = result.document["write_amplification"] if load.name == "random writes" else 1.0
    limit = lowest(limits(wl.preset(preset), amplification), load.name)
    assert limit is not None  # noqa: S101 - dies always take time
    iops = result.document["iops"]["all"]
    is_random = load.name.startswith("random")
    reached, most = (
        (iops, limit.requests_per_s) if is_random else (iops * limit.bytes_per_request / 1e6, limit.mb_per_s)
    )
    unit = "IOPS" if is_random else "MB/s"
    rating = RATINGS[preset].get(load.name)
    note = f", WA {amplification:.2f}" if load.name == "random writes" else ""
    return row(
        f"`{preset}`",
        f"{load.name}{note}",
        f"{limit.part}: {most:,.0f} {unit}",
        f"{reached:,.0f}",
        f"{reached / most - 1:+.1%}".replace("%", " %"),
        f"{rating:,.0f}" if rating else "-",
        f"{reached / rating - 1:+.1%}".replace("%", " %") if rating else "-",
    )


def depths(preset: str) -> str:
    """Rows of the second table."""
    kept = [(LOADS[0], "read", _core.Drives()), (LOADS[-1], "write", _core.Drives())]
    rows = []
    for depth in DEPTHS:
        cells: list[str] = []
        for load, kind, drives in kept:
            document = run(preset, load, depth, drives).document
            latency = document["response_us"][kind]
            cells += [f"{document['iops']['all']:,.0f}", f"{latency['mean']:,.0f}", f"{latency['p99']:,.0f}"]
        rows.append(row(f"`{preset}`", depth, *cells))
    return "".join(rows)


def page() -> str:
    """The page, with numbers measured now."""
    text = HEAD.format(scale=SCALE, **SATURATED)
    text += row("preset", "load", "limit", "simulated", "off the limit", "rated", "off the rating")
    text += "|---|---|---|---|---|---|---|\n"
    for preset in RATINGS:
        for load in LOADS:
            text += saturated(preset, load)
            print(text.splitlines()[-1])
    text += NOTES + LATENCY
    for preset in RATINGS:
        text += depths(preset)
    return text + drives_tails.section(list(RATINGS), STEADY)


if __name__ == "__main__":
    stamp.write(PAGE, page())
