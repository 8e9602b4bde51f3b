"""What WARP shows, one function a figure: isolation, shared handles, a noisy handle, seeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordline.output.plot.style import PALETTE, figure, legend, save

from . import memo
from .drives import DRIVES, Real
from .memo import Ran
from .streams import JUMPS, WAYS, run

SHARES = {"A": (10, 90), "B": (10, 90)}
JUMPED = {"A": tuple(JUMPS), "B": ("uniform",)}
SEEDS = range(1, 4)
# Superblocks of a reclaim unit.
UNITS = (1, 2, 4, 8)
# Of drive A, which has 1019: units of eight divide them.
SPLIT = 1016
# How three streams are kept apart.
OWN = ("plain", "fdp-ii", "fdp-pi")
STREAMS = {1: "log", 3: "jumper", 2: "buckets"}


@dataclass
class Shown:
    """Rows of a table, and what the longest run took."""

    lines: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def run(self, real: Real, load: str, kind: str | int, way: str, **settings: Any) -> Ran:  # noqa: ANN401
        """Runs a load, or takes what it gave before."""
        ran = memo.kept(f"{real.letter} {load} {kind} {way} {settings}", lambda: run(real, load, kind, way, **settings))
        self.seconds = max(self.seconds, ran.seconds)
        return ran

    def table(self, *head: str) -> str:
        """Returns the rows as a table, and what they took."""
        top = f"| {' | '.join(head)} |\n{'|---' * len(head)}|\n"
        cost = f"\nA run took at most {self.seconds:.0f} s of processor time.\n" if self.seconds >= 1 else ""
        return top + "".join(self.lines) + cost

    def add(self, *cells: object) -> None:
        """Adds a row."""
        self.lines.append(f"| {' | '.join(str(each) for each in cells)} |\n")


def ways_of(kind: str) -> tuple[str, ...]:
    """Returns how the data of a load are kept apart: two streams also by one handle for both."""
    return OWN if kind in JUMPS else WAYS


def isolation(path: Path) -> tuple[Shown, Shown]:
    """Runs all loads of two and three streams, each kept apart in each way, and draws them."""
    two, three = Shown(), Shown()
    points: dict[tuple[str, str], list[float]] = {}
    for real in DRIVES:
        for share in SHARES[real.letter]:
            values = [two.run(real, "two", share, way).amplification for way in WAYS]
            points[real.letter, f"{share} %"] = values
            two.add(real.letter, f"{share} %", *(f"{each:.2f}" for each in values))
        for jumps in JUMPED[real.letter]:
            values = [three.run(real, "three", jumps, way).amplification for way in OWN]
            points[real.letter, jumps] = values
            three.add(real.letter, jumps, *(f"{each:.2f}" for each in values))
    with figure(2, height=1.9, width=5.0) as (drawing, panels):
        for axes, real in zip(panels, DRIVES, strict=True):
            kinds_of = [kind for letter, kind in points if letter == real.letter]
            for number, way in enumerate(WAYS):
                shown = [(at, ways_of(kind)) for at, kind in enumerate(kinds_of) if way in ways_of(kind)]
                at = [place + 0.2 * (number - 1.5) for place, _ in shown]
                heights = [points[real.letter, kinds_of[place]][ways.index(way)] for place, ways in shown]
                axes.bar(at, heights, 0.18, color=PALETTE[number], label=way)
            axes.set_xticks(range(len(kinds_of)), kinds_of)
            axes.set_ylabel(f"Write amplification, {real.letter}")
        legend(panels[0])
        panels[-1].set_xlabel("Two streams: share of the random one. Three: the jumper")
        save(drawing, path)
    return two, three


def by_handle(ran: Ran) -> Iterator[tuple[str, float, float]]:
    """Returns each stream with the GC bytes that it bore and caused, over those of the host."""
    for handle, borne, caused in ran.handles:
        name = "mixed" if handle == 0 else STREAMS.get(handle)
        if name is not None:
            yield name, borne, caused


def noisy(path: Path) -> Shown:
    """Says who causes and who bears what GC moves, of three streams on drive A."""
    shown = Shown()
    with figure(2, height=1.7) as (drawing, panels):
        for axes, way in zip(panels, ("fdp-ii", "fdp-pi"), strict=True):
            rows = list(by_handle(shown.run(DRIVES[0], "three", "uniform", way)))
            for name, borne, caused in rows:
                shown.add(way, name, f"{borne:.2f}", f"{caused:.2f}")
            for number, label in ((1, "borne"), (2, "caused")):
                at = [place + 0.2 * (2 * number - 3) for place in range(len(rows))]
                axes.bar(at, [float(row[number]) for row in rows], 0.36, color=PALETTE[number - 1], label=label)
            axes.set_xticks(range(len(rows)), [row[0] for row in rows])
            axes.set_ylabel(f"GC bytes, {way}")
        legend(panels[0])
        save(drawing, path)
    return shown


def seeds(path: Path) -> Shown:
    """Runs three streams with several seeds on drive A, and draws each run."""
    shown = Shown()
    with figure(1, height=2.0) as (drawing, (axes,)):
        places = [(DRIVES[0], way) for way in ("plain", "fdp-ii")]
        for at, (real, way) in enumerate(places):
            values = [shown.run(real, "three", "uniform", way, seed=seed).amplification for seed in SEEDS]
            axes.plot([at] * len(values), values, "o", markersize=3, color=PALETTE[0])
            mean = sum(values) / len(values)
            shown.add(real.letter, way, f"{mean:.3f}", f"{min(values):.3f}", f"{max(values):.3f}")
        axes.set_xticks(range(len(places)), [f"{real.letter}\n{way}" for real, way in places])
        axes.set_ylabel("Write amplification")
        save(drawing, path)
    return shown


def units(path: Path) -> Shown:
    """Runs three streams on drive A with larger and larger reclaim units, and draws them."""
    shown = Shown()
    with figure(1, height=2.0) as (drawing, (axes,)):
        for number, way in enumerate(("fdp-ii", "fdp-pi")):
            values = [
                shown.run(
                    DRIVES[0], "three", "uniform", way, **{"fdp.unit_superblocks": unit, "ssd.blocks_per_plane": SPLIT}
                ).amplification
                for unit in UNITS
            ]
            axes.plot(UNITS, values, marker="o", markersize=3, color=PALETTE[number], label=way)
            shown.add(way, *(f"{each:.2f}" for each in values))
        axes.set_xscale("log", base=2)
        axes.set_xticks(UNITS, [str(unit) for unit in UNITS])
        axes.set(xlabel="Superblocks of a reclaim unit", ylabel="Write amplification", ylim=(1.0, None))
        legend(axes)
        save(drawing, path)
    return shown
