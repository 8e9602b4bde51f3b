"""Fig. 9 to 11 and 13 to 20, the sweep of write streams, and the tables behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ...output.plot import style
from ..drawing import lines
from ..figure import Figure, Sheet
from .claims import claims
from .traces import (
    DEPTH,
    READINGS,
    REWRITE,
    STREAMS,
    TRACES,
    WRITE,
    Axis,
    Compared,
    Trace,
    along,
    choices,
    traces,
    usual,
)

__all__ = ["EXTRA", "FIGURES", "MEAN", "REWRITES", "draw_bars"]

R = TypeVar("R", bound=Compared)
# A quantity: its field, and the label of an axis.
Quantity = tuple[Callable[[Compared], float], str]
MEAN: Quantity = (lambda row: row.normalized_mean, "normalized mean response")
DEVIATION: Quantity = (lambda row: row.normalized_std, "normalized std. deviation")
REWRITES: Quantity = (lambda row: row.rewrites, "rewritten / requested pages")
EXTRA: Quantity = (lambda row: row.extra_writes, "extra writes / requested pages")
HITS: Quantity = (lambda row: row.hit_rate, "hits / pages written")


def at_usual(name: str, quantity: Quantity) -> Figure[Trace]:
    """A bar for each workload at Section 5's settings; generated workloads are pale."""
    return Figure(
        name,
        (TRACES,),
        lambda results: usual(traces(results)),
        draw=lambda rows, sheet: draw_bars(
            rows, sheet, quantity, lambda row: row.name, [style.BLUE if row.real else style.SKY for row in rows]
        ),
    )


def over(name: str, axis: Axis, quantity: Quantity, start: str = "") -> Figure[Trace]:
    """A line over a setting for each workload whose name begins with `start`."""
    return Figure(
        name,
        (TRACES,),
        lambda results: [row for row in along(traces(results), axis) if row.load.startswith(start)],
        draw=lambda rows, sheet: draw_lines(rows, sheet, axis, quantity),
    )


def draw_bars(
    rows: Sequence[R], sheet: Sheet, quantity: Quantity, name: Callable[[R], str], colours: list[str]
) -> None:
    """Draws one bar per row."""
    (axes,) = sheet()
    value, words = quantity
    axes.bar([name(row) for row in rows], [value(row) for row in rows], color=colours)
    axes.tick_params(axis="x", rotation=60)
    axes.set_ylabel(words)


def draw_lines(rows: Sequence[Trace], sheet: Sheet, axis: Axis, quantity: Quantity) -> None:
    """Draws one line per workload; generated workloads are dashed."""
    (axes,) = sheet(height=2.6)
    value, words = quantity

    def look(name: str) -> dict[str, Any]:
        form = {"linestyle": "--"} if name.endswith("*") else {"linestyle": "-", "marker": "o", "markersize": 3}
        return {**form, "label": name}

    names = list(dict.fromkeys(row.name for row in rows))
    ordered = sorted(rows, key=lambda row: (names.index(row.name), axis.of(row)))
    lines(axes, ordered, lambda row: row.name, axis.of, value, look)
    axes.set_xscale("symlog", base=2)
    axes.set(xlabel=axis.label, ylabel=words)
    axes.legend(ncol=2)


FIGURES: tuple[Figure[Any], ...] = (
    Figure("traces", (TRACES,), traces, claims),
    Figure("choices", (READINGS,), choices),
    at_usual("fig09", DEVIATION),
    at_usual("fig10a", MEAN),
    at_usual("fig10b", REWRITES),
    at_usual("fig11", EXTRA),
    over("fig13", DEPTH, MEAN),
    over("fig14", DEPTH, EXTRA),
    over("fig15a", WRITE, MEAN, "financial"),
    over("fig15b", WRITE, EXTRA, "financial"),
    over("fig16", WRITE, MEAN),
    over("fig17", WRITE, EXTRA),
    over("fig18", REWRITE, HITS),
    over("fig19", REWRITE, MEAN),
    over("fig20", REWRITE, EXTRA),
    over("streams", STREAMS, MEAN),
)
