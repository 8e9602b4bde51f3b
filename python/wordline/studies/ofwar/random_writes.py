"""Fig. 12: the cost of rewrites without any gain, for random writes at fixed intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...output.plot import style
from .. import Measured, Point, Results
from ..claims import Measurement
from ..figure import Figure, Part
from .figures import MEAN, REWRITES, Quantity, draw_bars
from .traces import DEPTH, Compared, compared, settings

# Time between random writes, and their number. The paper has 10 billion of them.
WRITES = {"10ms": 10_000, "5ms": 10_000, "1ms": 20_000, "0_1ms": 200_000, "0_05ms": 400_000, "0_02ms": 1_000_000}
IDLE = ("10ms", "5ms", "1ms")


def points(quick: bool) -> Iterator[Point]:
    """Yields runs with fast writes and without."""
    for gap, count in WRITES.items():
        for policy in ("normal", "ofwar"):
            requests = count // 20 if quick else count
            yield Point("ofwar", settings(policy), f"ofwar/rw10b_{gap}", requests=requests, labels={"gap": gap})


RANDOM = Part("random", points)


@dataclass(frozen=True)
class Distance:
    """Time between writes."""

    gap: str

    @property
    def name(self) -> str:
        """The name in the figure."""
        return self.gap.replace("_", ".")


@dataclass(frozen=True)
class Writes(Compared, Distance):
    """Random writes at an interval."""


def writes(results: Results) -> list[Writes]:
    """Returns a row for each interval."""
    runs = RANDOM.of(results)
    both = {
        gap: [runs.one({"program.policy": policy}, gap=gap) for policy in ("ofwar", "normal")]
        for gap in runs.values_of("gap")
    }
    return [Writes(gap=gap, **compared(*outcomes)) for gap, outcomes in both.items()]


def claims(rows: Sequence[Writes]) -> Mapping[str, Measurement]:
    """The slowdown."""
    slow = {row: row.normalized_mean - 1.0 for row in rows}
    note = ", ".join(f"{row.name} {value:+.3f}" for row, value in slow.items())
    over = [row.name for row in rows if row.rewrite_queue_max >= DEPTH.usual]
    if over:
        note += (
            f"; at {' and '.join(over)} writes come faster than normal programs can take them, so that fast ones help "
            "until the rewrite queue is full: the less the longer the run"
        )
    return {
        "ofwar.fig12.idle": Measured(
            max(value for row, value in slow.items() if row.gap in IDLE), synthetic=None, note=note
        ),
        "ofwar.fig12.busy": Measured(
            max(value for row, value in slow.items() if row.gap not in IDLE), synthetic=None, note=note
        ),
    }


def figure(name: str, quantity: Quantity) -> Figure[Writes]:
    """A bar for each interval."""
    return Figure(
        name,
        (RANDOM,),
        writes,
        draw=lambda rows, sheet: draw_bars(rows, sheet, quantity, lambda row: row.name, [style.SKY] * len(rows)),
    )


FIGURES: tuple[Figure[Any], ...] = (
    figure("fig12a", MEAN),
    figure("fig12b", REWRITES),
    Figure("random", (RANDOM,), writes, claims),
)
