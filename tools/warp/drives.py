"""The presets of both drives as narrow parts of themselves, and what one stream of random writes does to them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import wordline as wl

ROOT = Path(__file__).resolve().parents[2]
BLOCK = 4096
PASSES = 3
# By the pass: points at which the counters are read.
STEPS = 50
FIRST_PASS = {"A": 2, "B": 5}
WRITE = 1


@dataclass(frozen=True)
class Real:
    """A measured drive: its letter in WARP, its preset, its name in the data, its maker's name."""

    letter: str
    preset: str
    data: str
    name: str


DRIVES = (
    Real("A", "samsung-pm9d3a-7680gb", "samsung-pm9d3a-7.68tb", "Samsung PM9D3a 7.68 TB"),
    Real("B", "fadu-3840gb", "fadu-fdp-3.84tb", "FADU 3.84 TB"),
)


def narrow(real: Real, dies: int = 2, seed: int = 1) -> wl.Config:
    """Returns a part of the drive: all of its superblocks, each on fewer dies and of fewer wordlines."""
    path = ROOT / "presets" / "ssd" / f"{real.preset}.toml"
    return wl.config(path).set_all(
        {
            "ssd.scale": "1/64",
            "ssd.channels": dies,
            "ssd.chips_per_channel": 1,
            "seed": seed,
            "precondition.fill": 0.0,
        }
    )


def one_stream(config: wl.Config, seed: int = 1) -> np.ndarray:
    """Writes each block once a pass, in a new order each time; returns media bytes over capacity at each step."""
    blocks = config.host_bytes // BLOCK
    generator = np.random.default_rng(seed)
    media = [0.0]
    with wl.open(config) as drive:
        for _ in range(PASSES):
            order = generator.permutation(blocks)
            for part in np.array_split(order, STEPS):
                operations = np.zeros(len(part), dtype=[("operation", "u1"), ("offset", "u8"), ("length", "u8")])
                operations["operation"] = WRITE
                operations["offset"] = part.astype("u8") * BLOCK
                operations["length"] = BLOCK
                drive.submit(drive.now_ns, operations)
                drive.advance()
                media.append(drive.result().document["written_bytes"]["media"] / (blocks * BLOCK))
    return np.array(media)


def tenths(media: np.ndarray) -> list[float]:
    """Returns the write amplification of each tenth of the last pass."""
    last = media[-STEPS - 1 :]
    return [float(each) for each in np.diff(last[:: STEPS // 10]) * 10]


def measured(real: Real, series: Path) -> tuple[list[float], float]:
    """Returns what was measured in each tenth of the steady passes, and over all their bytes."""
    found: list[list[float]] = [[] for _ in range(10)]
    media = host = last = 0.0
    with series.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["drive"] != real.data:
                continue
            at, amplification = float(row["drive_writes"]), float(row["waf"])
            if last >= FIRST_PASS[real.letter]:
                # A sample ends within 0.03 of a pass of the end of its tenth.
                found[(round(at * 10) - 1) % 10].append(amplification)
                media, host = media + (at - last) * amplification, host + (at - last)
            last = at
    return [sum(each) / len(each) for each in found], media / host
