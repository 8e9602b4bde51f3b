"""The saving of each technique alone and as the last one, of all, of pairs, and of every combination."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wordline import extras
from wordline.output.plot.style import BLUE, GREEN, ORANGE, PURPLE, VERMILION, legend

from .. import Figure, Results, Row, Sheet, grouped
from ..drawing import panels_by
from . import effects
from .effects import Effect
from .plan import (
    ALL,
    LOADS,
    MEASURES,
    MIDDLE_PEC,
    NAMES,
    NONE,
    Subset,
    by_seed,
    collapses,
    name_of,
    subsets,
    whole_grid,
)

Times = Mapping[str, Mapping[Subset, Sequence[float]]]


# Marks of a row: an SSD in it cannot keep up with the requests; a read of it lost its data, which counts nowhere.
COLLAPSED, LOST = "collapsed", "lost data"


class Gain(Row):
    """A saving of response time: `alone`, as the `last` one, by `all`, and `beyond` the product; `marks` as above."""

    workload: str
    pec: int
    measure: str
    which: str
    technique: str
    effect: Effect
    marks: str


@functools.lru_cache(maxsize=1)
def cells(results: Results) -> dict[tuple[str, int], Times]:
    """Returns response times, us, of each workload and age by their names, by combination and seed."""
    runs = whole_grid.by(results, "load", "pec", "subset")
    return {
        (load, pec): {
            name: {subset: [float(o[path]) for o in by_seed(runs[load, pec, name_of(subset)])] for subset in subsets()}
            for name, path in MEASURES.items()
        }
        for load, pec in dict.fromkeys(place[:2] for place in runs)
    }


Marks = Mapping[Subset, Sequence[str]]


@functools.lru_cache(maxsize=1)
def marks(results: Results) -> Mapping[tuple[str, int], Marks]:
    """Returns the marks of each combination at each workload and age."""
    by_place: dict[tuple[str, int], dict[Subset, list[str]]] = {}
    by_name = {name_of(subset): subset for subset in subsets()}
    for (load, pec, name), runs in whole_grid.by(results, "load", "pec", "subset").items():
        says = {
            COLLAPSED: any(collapses(load, float(o[MEASURES["all"]])) for o in runs),
            LOST: any(float(o["requests.lost"]) > 0.0 for o in runs),
        }
        by_place.setdefault((load, pec), {})[by_name[name]] = [mark for mark, is_so in says.items() if is_so]
    return by_place


def marked(of: Marks, *combinations: Subset) -> str:
    """Returns the marks of some combinations, each once."""
    return ", ".join(dict.fromkeys(mark for subset in combinations for mark in of[subset]))


@functools.lru_cache(maxsize=1)
def gains(results: Results) -> list[Gain]:
    """Returns a row for each workload, age, response time and kind of gain."""
    rows = []
    for place, times in cells(results).items():
        of = marks(results)[place]
        ones = [(name,) for name in ALL]
        for measure, its in times.items():
            found = {("alone", name): (effects.alone(its, name), marked(of, NONE, (name,))) for name in ALL}
            found |= {("last", name): (effects.last(its, name), marked(of, effects.without(name), ALL)) for name in ALL}
            found |= {
                ("all", "all"): (effects.together(its), marked(of, NONE, ALL)),
                ("beyond", "all"): (effects.unexplained(its), marked(of, NONE, ALL, *ones)),
            }
            rows += [Gain(*place, measure, which, name, *its) for (which, name), its in found.items()]
    return rows


def over_life(measure: str) -> Callable[[Results], list[Gain]]:
    """Returns the gains of one response time, except those of last techniques."""
    return lambda results: [row for row in gains(results) if row.measure == measure and row.which != "last"]


def in_middle_age(results: Results) -> list[Gain]:
    """Returns the gains of all requests, alone and last."""
    rows = (row for row in gains(results) if (row.pec, row.measure) == (MIDDLE_PEC, "all"))
    return [row for row in rows if row.which in ("alone", "last")]


def findings(rows: Sequence[Gain]) -> Iterator[str]:
    """Yields all four compared with the product of the four, at each age."""
    for load, of_load in grouped([row for row in rows if row.measure == "all"], lambda row: row.workload).items():
        for pec, here in grouped(of_load, lambda row: row.pec).items():
            by = {(row.which, row.technique): row for row in here}
            every, beyond = by["all", "all"], by["beyond", "all"]
            product = every.effect.factor / beyond.effect.factor
            text = (
                f"{load}, {pec} P/E cycles: all four answer requests {every.effect} times as fast{_said(every)}; the "
                f"product of what each brings alone is {product:.2f}{_said(beyond)}."
            )
            if pec == MIDDLE_PEC:
                for which in ("alone", "last"):
                    each = (f"{NAMES[name]} {by[which, name].effect.factor:.2f}" for name in NAMES)
                    text += f" {which.capitalize()}: {', '.join(each)}."
            yield text


def _said(row: Gain) -> str:
    return f" [{row.marks}]" if row.marks else ""


# Intervals of few seeds are wider than any figure, and one seed has none: intervals beyond this width are left out.
WIDEST = 4.0
COLOURS = dict(zip(ALL, (BLUE, ORANGE, GREEN, PURPLE), strict=True))


def ends(effects: Sequence[Effect]) -> list[list[float]] | None:
    """Returns the lengths of error bars, below and above; None if an interval is too wide to draw."""
    if any(each.high >= WIDEST * each.factor for each in effects):
        return None
    return [[each.factor - each.low for each in effects], [each.high - each.factor for each in effects]]


def interval(axes: Axes, x: Sequence[float], effects: Sequence[Effect], **look: Any) -> None:  # noqa: ANN401
    """Draws a line with intervals."""
    middle = [each.factor for each in effects]
    axes.errorbar(x, middle, yerr=ends(effects), ms=2.5, capsize=1.5, elinewidth=0.6, **look)


def corner(axes: Axes, text: str) -> None:
    """Writes the topic of a panel inside of it, because the legend is above it."""
    axes.text(0.02, 0.95, text, transform=axes.transAxes, va="top", fontstyle="italic")


def ticks(axes: Axes) -> None:
    """Sets plain numbers on a logarithmic axis."""
    axes.yaxis.set_major_locator(extras.ticker.LogLocator(base=2.0))
    axes.yaxis.set_major_formatter(extras.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(extras.ticker.NullFormatter())


def draw_over_life(rows: Sequence[Gain], sheet: Sheet) -> None:
    """Draws each technique alone, all together, and the product of the single savings."""
    panels = panels_by(sheet, rows, lambda row: row.workload, height=1.7)
    for axes, load, here in panels:
        by = {(row.which, row.technique, row.pec): row.effect for row in here}
        pecs = sorted({pec for _, _, pec in by})
        for name, colour in COLOURS.items():
            alone = [by["alone", name, pec] for pec in pecs]
            interval(axes, pecs, alone, color=colour, label=NAMES[name], marker="o")
        every = [by["all", "all", pec] for pec in pecs]
        interval(axes, pecs, every, color="black", label="all", marker="s")
        product = [cell.factor / by["beyond", "all", pec].factor for pec, cell in zip(pecs, every, strict=True)]
        axes.plot(pecs, product, color=VERMILION, linestyle="--", label="product of the four")
        axes.axhline(1.0, color="black", linewidth=0.6)
        axes.set_yscale("log")
        ticks(axes)
        axes.set_ylabel("times faster")
        corner(axes, load)
    panels[-1][0].set_xlabel("P/E cycles")
    legend(panels[0][0])


def draw_alone_and_last(rows: Sequence[Gain], sheet: Sheet) -> None:
    """Draws the saving of a technique with no other on, and with all others on."""
    panels = panels_by(sheet, rows, lambda row: row.workload, height=1.2)
    for axes, load, here in panels:
        by = {(row.technique, row.which): row.effect.factor for row in here}
        for number, (name, colour) in enumerate(COLOURS.items()):
            for which, offset, face in (("alone", -0.17, "white"), ("last", 0.17, colour)):
                look: dict[str, Any] = {"facecolor": face, "edgecolor": colour, "linewidth": 0.8}
                label = which if number == 0 else None
                axes.barh(number + offset, by[name, which] - 1.0, 0.3, left=1.0, label=label, **look)
        axes.axvline(1.0, color="black", linewidth=0.6)
        axes.set_yticks(range(len(ALL)), [NAMES[name] for name in ALL])
        axes.invert_yaxis()
        axes.set_ylabel(load)
    panels[-1][0].set_xlabel(f"times faster at {rows[0].pec} P/E cycles, mean of all requests")
    legend(panels[0][0])


class Pair(Row):
    """Two techniques with nothing else on (`none`), or with the others on."""

    workload: str
    pec: int
    measure: str
    others: str
    pair: str
    effect: Effect
    marks: str

    @property
    def names(self) -> list[str]:
        """The names of the two in their papers."""
        return [NAMES[name] for name in self.pair.split(" x ")]


@functools.lru_cache(maxsize=1)
def pairs(results: Results) -> list[Pair]:
    """Returns a row for each pair, workload, age and response time, both ways."""
    return [
        Pair(
            *place, measure, which, " x ".join(pair), effects.interaction(its, pair, on),
            marked(marks(results)[place], *effects.four(pair, on)),
        )
        for place, times in cells(results).items()
        for measure, its in times.items()
        for pair in effects.pairs()
        for which, on in (("none", NONE), ("on", tuple(name for name in ALL if name not in pair)))
    ]  # fmt: skip


def of_all_requests(rows: Sequence[Pair]) -> list[Pair]:
    """Returns the mean over all requests, with nothing else on."""
    return [row for row in rows if (row.measure, row.others) == ("all", "none")]


def shown(results: Results) -> list[Pair]:
    """Returns young, middle and old age."""
    rows = of_all_requests(pairs(results))
    ages = sorted({row.pec for row in rows})
    wanted = [ages[0], MIDDLE_PEC, ages[-1]] if len(ages) > 2 else ages
    return [row for row in rows if row.pec in wanted]


def findings_of_pairs(rows: Sequence[Pair]) -> Iterator[str]:
    """Yields how many pairs surely save less, or more, than the product, and the extremes; none for one seed.

    Where one of the SSDs cannot keep up, its time tells how long the run was.
    """
    every = of_all_requests(rows)
    here = [row for row in every if COLLAPSED not in row.marks]
    if any(row.effect.high == math.inf for row in here):
        return
    sure = [row for row in here if row.effect.sure]
    less, more = ([row for row in sure if (row.effect.factor < 1.0) == is_less] for is_less in (True, False))
    yield (
        f"Of {len(here)} pairs (six in each workload at each age) {len(less)} surely bring less than the product of "
        f"what each brings, and {len(more)} more. {len(every) - len(here)} more pairs are left out: an SSD of theirs "
        "cannot keep up with the requests."
    )
    for group, extreme, word in ((less, min, "least"), (more, max, "most")):
        if group:
            row = extreme(group, key=lambda each: each.effect.factor)
            place = f"{row.workload}, {row.pec} P/E cycles"
            yield f"Together {word}: {' and '.join(row.names)}, {place}: {row.effect} times the product."


def draw_pairs(rows: Sequence[Pair], sheet: Sheet) -> None:
    """Draws factors with their intervals, a panel for each age."""
    names = list(dict.fromkeys(" x ".join(row.names) for row in rows))
    panels = panels_by(sheet, rows, lambda row: row.pec, height=1.6)
    for axes, pec, of_age in panels:
        for shift, (load, colour) in enumerate(zip(LOADS, (BLUE, GREEN, VERMILION), strict=True)):
            here = [row.effect for row in of_age if row.workload == load]
            y = [number + 0.22 * (shift - 1) for number in range(len(here))]
            look: dict[str, Any] = {"fmt": "o", "ms": 2.5, "capsize": 1.5, "elinewidth": 0.7, "color": colour}
            axes.errorbar([each.factor for each in here], y, xerr=ends(here), label=load, **look)
        axes.axvline(1.0, color="black", linewidth=0.6)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_ylabel(f"{pec} P/E cycles")
    panels[-1][0].set_xlabel("saved together over the product of what each saves")
    legend(panels[0][0])


FIGURES = (
    Figure("gains", (whole_grid,), gains, findings=findings),
    Figure("life-all", (whole_grid,), over_life("all"), draw=draw_over_life),
    Figure("life-read", (whole_grid,), over_life("read"), draw=draw_over_life),
    Figure("alone-last", (whole_grid,), in_middle_age, draw=draw_alone_and_last),
    Figure("pairs", (whole_grid,), pairs, findings=findings_of_pairs),
    Figure("pairs", (whole_grid,), shown, draw=draw_pairs),
)


if TYPE_CHECKING:
    from matplotlib.axes import Axes
