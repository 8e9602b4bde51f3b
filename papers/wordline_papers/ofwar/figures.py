"""Fig. 9 to 20, the sweep of write streams, and the tables behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from wordline.output.plot import style

from .. import Figure, Measured, Measurement, Point, Results, Sheet, grouped, part
from ..drawing import legend_above, lines
from . import traces
from .claims import claims
from .traces import DEPTH, REWRITE, STREAMS, WRITE, Axis, Compared, Other, Trace, along, compared, replays

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
        (replays,),
        lambda results: traces.usual(traces.traces(results)),
        draw=lambda rows, sheet: draw_bars(
            rows, sheet, quantity, lambda row: row.name, [style.BLUE if row.real else style.SKY for row in rows]
        ),
    )


def over(name: str, axis: Axis, quantity: Quantity, start: str = "") -> Figure[Trace]:
    """A line over a setting for each workload whose name begins with `start`."""
    return Figure(
        name,
        (replays,),
        lambda results: [row for row in along(traces.traces(results), axis) if row.load.startswith(start)],
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

    ordered = [row for group in grouped(rows, lambda row: row.name).values() for row in sorted(group, key=axis.of)]
    lines(axes, [(row.name, axis.of(row), value(row)) for row in ordered], look)
    axes.set_xscale("symlog", base=2)
    axes.set_xticks(sorted({axis.of(row) for row in rows}), minor=False)
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set(xlabel=axis.label, ylabel=words)
    legend_above(axes, 4)


# Time between random writes, and their number. The paper has 10 billion of them.
WRITES = {"10ms": 10_000, "5ms": 10_000, "1ms": 20_000, "0_1ms": 200_000, "0_05ms": 400_000, "0_02ms": 1_000_000}
IDLE = ("10ms", "5ms", "1ms")


@part("random")
def random_writes(quick: bool) -> Iterator[Point]:
    """Yields runs with fast writes and without."""
    for gap, count in WRITES.items():
        for policy in ("normal", "ofwar"):
            requests = count // 20 if quick else count
            yield Point("ofwar", traces.settings(policy), f"ofwar/rw10b_{gap}", requests=requests, labels={"gap": gap})


def writes(results: Results) -> list[Other]:
    """Returns a row for each time between random writes."""
    runs = random_writes.of(results)
    both = {
        gap: [runs.one({"program.policy": policy}, gap=gap) for policy in ("ofwar", "normal")]
        for gap in runs.values_of("gap")
    }
    return [Other(at={"gap": gap}, **compared(*outcomes)) for gap, outcomes in both.items()]


def name_of(row: Other) -> str:
    """Returns the time between writes as the figure has it."""
    return str(row.at["gap"]).replace("_", ".")


def claims_of_writes(rows: Sequence[Other]) -> Mapping[str, Measurement]:
    """The slowdown."""
    slow = {name_of(row): row.normalized_mean - 1.0 for row in rows}
    note = ", ".join(f"{name} {value:+.3f}" for name, value in slow.items())
    over = [name_of(row) for row in rows if row.rewrite_queue_max >= DEPTH.usual]
    if over:
        note += (
            f"; at {' and '.join(over)} writes come faster than normal programs can take them, so that fast ones help "
            "until the rewrite queue is full: the less the longer the run"
        )
    idle, busy = ([value for name, value in slow.items() if (name in IDLE) == is_idle] for is_idle in (True, False))
    return {
        "ofwar.fig12.idle": Measured(max(idle), synthetic=None, note=note),
        "ofwar.fig12.busy": Measured(max(busy), synthetic=None, note=note),
    }


def at_intervals(name: str, quantity: Quantity) -> Figure[Other]:
    """A bar for each interval."""
    colours = [style.SKY] * len(WRITES)
    return Figure(
        name, (random_writes,), writes, draw=lambda rows, sheet: draw_bars(rows, sheet, quantity, name_of, colours)
    )


FIGURES = (
    Figure("traces", (replays,), traces.traces, claims),
    Figure("choices", (traces.readings,), traces.choices, is_view=True),
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
    at_intervals("fig12a", MEAN),
    at_intervals("fig12b", REWRITES),
    Figure("random", (random_writes,), writes, claims_of_writes),
)
