"""The factor by which two techniques save more than the product of both."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .. import Results
from ..figure import Figure, Sheet
from . import effects
from .drawing import ends
from .effects import Effect
from .gains import cells
from .plan import ALL, GRID, LOADS, MIDDLE_PEC, NAMES, NONE


@dataclass(frozen=True)
class Pair:
    """Two techniques with nothing else on (`none`), or with the others on."""

    workload: str
    pec: int
    measure: str
    others: str
    pair: str
    effect: Effect

    @property
    def names(self) -> list[str]:
        """The names of the two in their papers."""
        return [NAMES[name] for name in self.pair.split(" x ")]


@functools.lru_cache(maxsize=1)
def pairs(results: Results) -> list[Pair]:
    """Returns a row for each pair, workload, age and response time, both ways."""
    return [
        Pair(load, pec, measure, which, " x ".join(pair), effects.interaction(its, pair, on))
        for (load, pec), times in cells(results).items()
        for measure, its in times.items()
        for pair in effects.pairs()
        for which, on in (("none", NONE), ("on", tuple(name for name in ALL if name not in pair)))
    ]


def of_all_requests(rows: Sequence[Pair]) -> list[Pair]:
    """Returns the mean over all requests, with nothing else on."""
    return [row for row in rows if (row.measure, row.others) == ("all", "none")]


def shown(results: Results) -> list[Pair]:
    """Returns young, middle and old age."""
    rows = of_all_requests(pairs(results))
    ages = sorted({row.pec for row in rows})
    wanted = [ages[0], MIDDLE_PEC, ages[-1]] if len(ages) > 2 else ages
    return [row for row in rows if row.pec in wanted]


def findings(rows: Sequence[Pair]) -> Iterator[str]:
    """Yields how many pairs surely save less, or more, than the product, and the extremes; none for one seed."""
    here = of_all_requests(rows)
    if any(row.effect.high == math.inf for row in here):
        return
    sure = [row for row in here if row.effect.sure]
    less, more = ([row for row in sure if (row.effect.factor < 1.0) == is_less] for is_less in (True, False))
    yield (
        f"Of {len(here)} pairs (six in each workload at each age) {len(less)} surely bring less than the product of "
        f"what each brings, and {len(more)} more."
    )
    for found, extreme, word in ((less, min, "least"), (more, max, "most")):
        if found:
            row = extreme(found, key=lambda each: each.effect.factor)
            place = f"{row.workload}, {row.pec} P/E cycles"
            yield f"Together {word}: {' and '.join(row.names)}, {place}: {row.effect} times the product."


def draw(rows: Sequence[Pair], sheet: Sheet) -> None:
    """Draws factors with their intervals, a panel for each age."""
    from ...output.plot.style import BLUE, GREEN, VERMILION, legend

    ages = list(dict.fromkeys(row.pec for row in rows))
    names = list(dict.fromkeys(" x ".join(row.names) for row in rows))
    panels = sheet(len(ages), height=1.6)
    for axes, pec in zip(panels, ages, strict=True):
        for shift, (load, colour) in enumerate(zip(LOADS, (BLUE, GREEN, VERMILION), strict=True)):
            here = [row.effect for row in rows if (row.workload, row.pec) == (load, pec)]
            y = [number + 0.22 * (shift - 1) for number in range(len(here))]
            look: dict[str, Any] = {"fmt": "o", "ms": 2.5, "capsize": 1.5, "elinewidth": 0.7, "color": colour}
            axes.errorbar([each.factor for each in here], y, xerr=ends(here), label=load, **look)
        axes.axvline(1.0, color="black", linewidth=0.6)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_ylabel(f"{pec} P/E cycles")
    panels[-1].set_xlabel("saved together over the product of what each saves")
    legend(panels[0])


FIGURES: tuple[Figure[Any], ...] = (
    Figure("pairs", (GRID,), pairs, findings=findings),
    Figure("pairs", (GRID,), shown, draw=draw),
)
