"""Makes the figures of docs/how-to/files-to-handles.md and neighbours.md, and prints their tables.

python tools/placement_pages.py
"""
# ruff: noqa: INP001, S101

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import wordline as wl
from wordline.applications import Application, rocksdb
from wordline.applications.part import Part
from wordline.output.plot.style import PALETTE, figure, legend, save
from wordline.placement_log import run_on_zones
from wordline.placements import placed
from wordline.workload import Flow, Workload

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "how-to"
# The handle of the write-ahead log, and of levels 0 to 3.
GROUPS = {
    "one for all": (1, 1, 1, 1, 1),
    "log and level 0; levels": (1, 1, 2, 2, 2),
    "all but the last; the last": (1, 1, 1, 1, 2),
    "one each": (1, 2, 3, 4, 5),
}
# A file of 1 MiB fills a unit of each of the two halves of the drive: it leaves empty ones behind. Others share units.
FILES = {"640 KiB": 640 << 10, "1 MiB": 1 << 20}
FDP = ("fdp-ii", "fdp-pi")
Pattern = Literal["random", "sequential", "zipf"]
KINDS: dict[str, Pattern] = {"in order": "sequential", "at random": "random", "by Zipf": "zipf"}
NOBODY = "nobody"
MINE_SHARE = 0.3
REQUEST_BYTES = 131_072
# Superblocks of a reclaim unit, and the MiB of one of the drive: two planes of a die, 64 pages of 4 KiB each.
UNITS = (1, 2, 4, 8)
UNIT_MIB = 0.5
# Above this the square is too dark for black figures.
DARK = 3.5


def drive(handles: int) -> wl.Config:
    """Returns the small drive of the examples."""
    return wl.config(ROOT / "examples" / "cachelib-drive.toml").set_all({"fdp.handles": handles, "host.mode": "open"})


def waf(result: wl.Result) -> float:
    """Returns the write amplification of a run."""
    return float(result.document["write_amplification"] or 0.0)


def by_groups(file_bytes: int) -> dict[str, list[float]]:
    """Returns the write amplification of a database by the handles of its files, without any, and on a log."""
    config = drive(5)
    base = rocksdb(fanout=4.0, file_bytes=file_bytes, drive_writes=2.0)
    rows: dict[str, list[float]] = {}
    for name, handles in GROUPS.items():
        parts = tuple(replace(part, handle=handle) for part, handle in zip(base.parts, handles, strict=True))
        rows[name] = [waf(wl.run(placed(config, way), replace(base, parts=parts))) for way in FDP]
    rows["no handles"] = [waf(wl.run(placed(config, "plain"), base))] * 2
    rows["log over zones"] = [run_on_zones(config, base).write_amplification or 0.0] * 2
    return rows


def files() -> None:
    """Draws and prints what a database writes by the handles of its files."""
    tables = {name: by_groups(size) for name, size in FILES.items()}
    with figure(2, height=1.7, width=4.6) as (drawing, panels):
        for axes, (size, rows) in zip(panels, tables.items(), strict=True):
            for number, way in enumerate(FDP):
                at = [place + 0.2 * (2 * number - 1) for place in range(len(GROUPS))]
                axes.bar(at, [rows[name][number] for name in GROUPS], 0.38, color=PALETTE[number], label=way)
            axes.axhline(rows["no handles"][0], color="black", linewidth=0.8, linestyle="--", label="no handles")
            axes.axhline(rows["log over zones"][0], color=PALETTE[2], linewidth=0.8, label="log over zones")
            axes.set_xticks(range(len(GROUPS)), [name.replace("; ", ";\n") for name in GROUPS])
            axes.set(ylabel=f"WAF, files of {size}", ylim=(0.0, None))
        legend(panels[0])
        save(drawing, PAGES / "files-to-handles.svg")
    print(
        "| handles | "
        + " | ".join(f"files of {size}: {way}" for size in FILES for way in FDP)
        + " |\n"
        + "|---" * 5
        + "|"
    )
    for name in (*GROUPS, "no handles", "log over zones"):
        cells = [f"{value:.2f}" for rows in tables.values() for value in rows[name]]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def beside(mine: Pattern, other: Pattern | None, way: str, unit: int = 1) -> tuple[float, float]:
    """Returns what the drive writes for each byte of mine, and the p99 of my reads in us, beside a neighbour.

    A reclaim unit has so many superblocks.
    """
    config = drive(2).set("fdp.unit_superblocks", unit)
    parts = [Part("mine", 0.45, MINE_SHARE if other else 1.0, REQUEST_BYTES if mine == "sequential" else 4096, mine, 1)]
    if other is not None:
        block = REQUEST_BYTES if other == "sequential" else 4096
        parts.append(Part("neighbour", 0.45, 1 - MINE_SHARE, block, other, 2))
    rate = 3.0 if other else 3.0 * MINE_SHARE
    load = Application(tuple(parts), 2.0 if other else 2.0 * MINE_SHARE, rate)
    flows = load.flows(config)
    reads = {"read_ratio": 1.0, "inter_arrival_us": 8_000, "arrival": "exponential", "requests": 20_000, "seed": 9}
    flows.append(Flow("my reads", Workload(settings=tuple(reads.items())), sectors=flows[0].sectors, mode="open"))
    document = wl.run(placed(config, way), flows).document
    placement = document["placement"]
    assert placement is not None
    p99 = document["flows"]["my reads"]["response_us"]["read"]["p99"]
    host = document["written_bytes"]["by_cause"]["host"]
    handle = placement["handles"][0]
    # What is mixed has no owner: of it each has as much as it wrote.
    own = handle["written_bytes"]
    mixed = placement["mixed"]["gc"] * own["host"] / host
    return (own["media"] + mixed) / own["host"], p99


def neighbours() -> None:
    """Draws and prints the squares of tenants."""
    columns = [NOBODY, *KINDS]
    tables: dict[str, list[list[tuple[float, float]]]] = {
        way: [[beside(mine, KINDS.get(other), way) for other in columns] for mine in KINDS.values()] for way in FDP
    }
    with figure(2, height=2.0, width=4.2) as (drawing, panels):
        for axes, (way, rows) in zip(panels, tables.items(), strict=True):
            axes.imshow(
                [[amplification for amplification, _ in row] for row in rows], cmap="Blues", vmin=1, aspect="auto"
            )
            for line, row in enumerate(rows):
                for column, (amplification, p99) in enumerate(row):
                    axes.text(
                        column, line, f"{amplification:.2f}\n{p99 / 1000:.1f} ms", ha="center", va="center", size=6
                    )
            axes.set_xticks(range(len(columns)), columns)
            axes.set_yticks(range(len(KINDS)), list(KINDS))
            axes.grid(visible=False)
            axes.set_ylabel(f"I write\n({way})")
        panels[-1].set_xlabel("My neighbour writes")
        save(drawing, PAGES / "neighbours.svg")
    for way, rows in tables.items():
        print(f"\n| {way}: I write | {' | '.join(f'beside {other}' for other in columns)} |")
        print("|---" * (len(columns) + 1) + "|")
        for name, row in zip(KINDS, rows, strict=True):
            print(f"| {name} | {' | '.join(f'{each:.2f}, {p99 / 1000:.2f} ms' for each, p99 in row)} |")


def units() -> None:
    """Draws and prints the squares of tenants over the size of a reclaim unit."""
    pairs = [(mine, other) for mine in KINDS for other in KINDS]
    tables = {
        way: {pair: [beside(KINDS[pair[0]], KINDS[pair[1]], way, unit) for unit in UNITS] for pair in pairs}
        for way in FDP
    }
    mib = [UNIT_MIB * unit for unit in UNITS]
    with figure(3, height=1.5, width=4.6) as (drawing, panels):
        for axes, mine in zip(panels, KINDS, strict=True):
            for number, other in enumerate(KINDS):
                for way, line in zip(FDP, ("-", "--"), strict=True):
                    values = [amplification for amplification, _ in tables[way][mine, other]]
                    label = other if way == FDP[0] else None
                    axes.plot(mib, values, line, marker="o", markersize=2.5, color=PALETTE[number], label=label)
            axes.set_xscale("log", base=2)
            axes.set_xticks(mib, [f"{each:g}" for each in mib])
            axes.set(ylabel=f"WAF of mine,\n{mine}", ylim=(0.0, None))
        panels[-1].set_xlabel("Reclaim unit, MiB (colour: my neighbour; dashed: fdp-pi)")
        legend(panels[0])
        save(drawing, PAGES / "neighbours-units.svg")
    for way, rows in tables.items():
        print(f"\n| {way}: I write, beside | {' | '.join(f'{each:g} MiB' for each in mib)} |")
        print("|---" * (len(UNITS) + 1) + "|")
        for (mine, other), row in rows.items():
            cells = " | ".join(f"{each:.2f}, {p99 / 1000:.2f} ms" for each, p99 in row)
            print(f"| {mine}, beside {other} | {cells} |")


if __name__ == "__main__":
    files()
    neighbours()
    units()
