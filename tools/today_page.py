"""Measures what each property of a drive of today changes, and writes docs/validation/today.md.

python3 tools/today_page.py            # some minutes of processor time
python3 tools/today_page.py --figure   # only draws docs/validation/today.svg from the page

One chip and one number of dies throughout: `datacenter-tlc` with eight planes, as in tools/scale_page.py. The first row
has what MQSim's SSD has, and each further row changes one thing.
"""
# ruff: noqa: INP001

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import stamp
from embed_fonts import embed
from scale_page import DRIVE, row

import wordline as wl
from wordline.output.plot.style import BLUE, figure, save

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation" / "today.md"
FIGURE = PAGE.with_suffix(".svg")

# Larger numbers are shown without decimals.
COUNTED = 100
SCALE = "1/16"
REQUESTS = 400_000
AGED: dict[str, Any] = {
    "precondition.fill": 1.0,
    "precondition.overwrite": "steady",
    "precondition.shape": "workload",
    "host.warmup_requests": REQUESTS // 10,
}


@dataclass(frozen=True)
class Step:
    """One property: what the page calls it, its keys, and what it costs or gives."""

    name: str
    keys: dict[str, Any]
    why: str


# What MQSim's SSD has, with the chip of the preset.
MQSIM: dict[str, Any] = {
    "ftl.unit_bytes": 0,
    "ftl.group": "block",
    "gc.pacing": "off",
    "program.unit": "page",
    "journal.mode": "off",
}
STEPS = (
    Step(
        "as in MQSim",
        MQSIM,
        "A page of 16 KiB is the unit of mapping. A plane is filled and collected by itself, and GC moves a whole "
        "victim while the host's writes wait.",
    ),
    Step(
        "units of 4 KiB",
        {"ftl.unit_bytes": 4096},
        "A 4-KiB write reads nothing and shares its page with three others. The table has four times as many entries.",
    ),
    Step(
        "groups over the planes of a die",
        {"ftl.group": "planes"},
        "Planes program the same page at the same time, and are collected together.",
    ),
    Step(
        "GC in step with the host",
        {"gc.pacing": "in-step"},
        "Writes wait for a few moved pages each, not for a whole victim. More blocks stay free, which costs "
        "some writes.",
    ),
    Step(
        "programs of whole wordlines",
        {"program.unit": "wordline"},
        "All pages of a wordline, in all planes of the die, are programmed at once, in three times the time of a "
        "page. The write buffer holds them until then.",
    ),
    Step(
        "a journal of the mapping table",
        {"journal.mode": "on"},
        "Changes of the table are written to flash, and the table itself, piece by piece. "
        "What is open for them, and what of them is live, comes out of the spare blocks, of which a part of a drive "
        "has few ([what a loss of power takes](../how-to/power-loss.md)).",
    ),
    Step(
        "superblocks",
        {"ftl.group": "superblock"},
        "A block of each plane of all dies is opened, collected and erased together. A victim is four times as large, "
        "and all dies are filled in turn. All of them stop for its erase, which weighs more in blocks of 1/16. "
        "Parity (`ftl.parity`) needs that; eight planes have no spare blocks for it: "
        "a page in eight would be an eighth of the flash.",
    ),
)

HEAD = """\
# How a drive of today differs from MQSim's, and what each costs

<!-- Made by tools/today_page.py: change that, then run it. -->

MQSim's SSD is that of 2018. Drives of today have the same parts, with other rules. Here they are changed one after the
other: each row has all that the rows above it have. Chip and dies are the same throughout: {capacity} of
`datacenter-tlc` on eight planes, at 1/16 of their size ([scale](scale.md)).

Random writes are of 4 KiB, 32 at a time, at the equilibrium of their workload (`--steady`). *WA* is write
amplification in bytes: what the flash programs for each byte of the host. *Padding* is the part of it that is padding.
Sequential writes are of 128 KiB on an empty drive.

![Write amplification and IOPS, as one property after the other is added](today.svg)

| | random writes: WA | padding | IOPS | p50 ms | p99.9 ms | sequential writes MB/s |
|---|---|---|---|---|---|---|
"""
WHY = """
## What each does

"""
FOOT = """
A controller whose commands take time (`controller.command_ns`) is the ceiling of random reads of a whole drive, which
eight planes do not reach: [the datacenter presets against their limits](drives.md). `wordline explain datacenter-tlc
--key KEY` says what a preset has, and where from. [What a small write costs](../how-to/mapping-unit.md)
has the rules of small units, [superblocks and parity](../how-to/superblocks.md) those of groups.
"""


def measured(keys: dict[str, Any], workload: str, requests: int) -> wl.Result:
    """A run on the drive with these keys."""
    config = wl.preset("datacenter-tlc").set_all({**DRIVE, "ssd.scale": SCALE, **keys})
    return wl.run(config, wl.workload(workload, requests=requests))


def of_step(name: str, keys: dict[str, Any]) -> tuple[str, wl.Result]:
    """A row of the table, and its run of random writes."""
    writes = measured({**keys, **AGED}, "fio/random-write", REQUESTS)
    fill = measured(keys, "fio/sequential-write", 20_000)
    document = writes.document
    latency, written = document["response_us"]["write"], document["written_bytes"]
    cells = (
        f"{document['write_amplification']:.2f}",
        f"{written['by_cause']['padding'] / written['host']:.2f}",
        f"{document['iops']['all']:,.0f}",
        f"{latency['p50'] / 1000:,.1f}",
        f"{latency['p999'] / 1000:,.1f}",
        f"{fill.document['bandwidth_mb_s']['all']:,.0f}",
    )
    return row(name, *cells), writes


def page() -> str:
    """The page, with numbers measured now."""
    keys: dict[str, Any] = {}
    rows = []
    for step in STEPS:
        keys |= step.keys
        text, writes = of_step(step.name, keys)
        rows.append(text)
        print(text, end="", flush=True)
    whys = [f"- **{step.name[0].upper()}{step.name[1:]}** ({listed(step.keys)}): {step.why}\n" for step in STEPS]
    head = HEAD.format(capacity=f"{writes.config.host_bytes / 1e9:.0f} GB")
    return head + "".join(rows) + WHY + "".join(whys) + FOOT


def draw(text: str) -> None:
    """Draws the table of the page: write amplification and IOPS, as one property after the other is added."""
    lines = [line.strip("| \n").split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]
    names = [f"+ {line[0]}" if number else line[0] for number, line in enumerate(lines)]
    places = range(len(lines))
    with figure(2, height=1.5, width=5.0) as (drawing, axes):
        for panel, column, name in zip(axes, (1, 3), ("write amplification", "IOPS"), strict=True):
            values = [float(line[column].replace(",", "")) for line in lines]
            panel.barh(places, values, color=BLUE, height=0.6)
            for place, value in zip(places, values, strict=True):
                label = f"{value:,.0f}" if value > COUNTED else f"{value:.1f}"
                panel.annotate(label, (value, place), (3, 0), textcoords="offset points", va="center")
            panel.set_yticks(places, names)
            panel.set(xlabel=name, xlim=(0, 1.15 * max(values)))
            panel.grid(visible=False, axis="y")
            panel.invert_yaxis()
        save(drawing, FIGURE)
    embed(FIGURE)


def listed(keys: dict[str, Any]) -> str:
    """Keys and their values."""
    return ", ".join(f"`{key} = {value}`" for key, value in keys.items())


if __name__ == "__main__":
    if "--figure" not in sys.argv[1:]:
        stamp.write(PAGE, page())
    draw(PAGE.read_text(encoding="utf-8"))
