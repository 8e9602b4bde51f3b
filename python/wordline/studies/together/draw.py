"""The figures: gains over life, what techniques are worth alone and last, interactions of pairs, and retry steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ... import extras
from .. import Results
from ..figures import figure
from . import times
from .effects import pairs
from .plan import ALL, LOADS, NAMES, NONE, name_of

__all__ = ["all_figures"]

Row = dict[str, Any]
FRESH, OLD = "just written", "up to a month old"
# Intervals of few seeds are wider than any figure, and one seed has none: those that reach beyond this are left out.
WIDEST = 4.0


def all_figures(results: Results, out: Path) -> None:
    """Everything."""
    gains = times.gain_rows(results)
    over_life(gains, out, "all")
    over_life(gains, out, "read")
    alone_and_last(gains, out)
    interactions(times.pair_rows(results), out)
    steps(results, out)


def colors() -> dict[str, str]:
    """One for each technique."""
    from ...output.plot.style import BLUE, GREEN, ORANGE, PURPLE

    return dict(zip(ALL, (BLUE, ORANGE, GREEN, PURPLE), strict=True))


def over_life(gains: list[Row], out: Path, measure: str) -> None:
    """Each technique alone, all together, and the product of what each saves alone."""
    from ...output.plot.style import VERMILION, legend

    rows = [row for row in gains if row["measure"] == measure and row["which"] in ("alone", "all", "beyond")]
    with figure(out, f"life-{measure}", rows, panels=len(LOADS), height=1.7) as panels:
        for axes, load in zip(panels, LOADS, strict=True):
            here = [row for row in rows if row["workload"] == load]
            pecs = sorted({row["pec"] for row in here})
            by = {(row["which"], row["technique"], row["pec"]): row for row in here}
            for name, color in colors().items():
                alone = [by["alone", name, pec] for pec in pecs]
                interval(axes, pecs, alone, color=color, label=NAMES[name], marker="o")
            every = [by["all", "all", pec] for pec in pecs]
            interval(axes, pecs, every, color="black", label="all", marker="s")
            product = [by["all", "all", pec]["factor"] / by["beyond", "all", pec]["factor"] for pec in pecs]
            axes.plot(pecs, product, color=VERMILION, linestyle="--", label="product of the four")
            axes.axhline(1.0, color="black", linewidth=0.6)
            axes.set_yscale("log")
            ticks(axes)
            axes.set_ylabel("times faster")
            corner(axes, load)
        panels[-1].set_xlabel("P/E cycles")
        legend(panels[0])


def interval(axes: Any, x: list[int], rows: list[Row], **look: Any) -> None:  # noqa: ANN401 - of matplotlib
    """A line with the rows' intervals."""
    middle = [row["factor"] for row in rows]
    ends = [[row["factor"] - row["low"] for row in rows], [row["high"] - row["factor"] for row in rows]]
    finite = all(row["high"] < WIDEST * row["factor"] for row in rows)
    axes.errorbar(x, middle, yerr=ends if finite else None, ms=2.5, capsize=1.5, elinewidth=0.6, **look)


def corner(axes: Any, text: str) -> None:  # noqa: ANN401 - of matplotlib
    """What a panel is about, inside of it: above it stands the legend."""
    axes.text(0.02, 0.95, text, transform=axes.transAxes, va="top", fontstyle="italic")


def ticks(axes: Any) -> None:  # noqa: ANN401 - of matplotlib
    """Plain numbers on a logarithmic axis."""
    axes.yaxis.set_major_locator(extras.ticker.LogLocator(base=2.0))
    axes.yaxis.set_major_formatter(extras.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(extras.ticker.NullFormatter())


def alone_and_last(gains: list[Row], out: Path) -> None:
    """What a technique saves where no other is on, and where all others are."""
    from ...output.plot.style import legend

    pec = middle_age(gains)
    rows = [row for row in gains if row["pec"] == pec and row["measure"] == "all" and row["which"] in ("alone", "last")]
    with figure(out, "alone-last", rows, panels=len(LOADS), height=1.2) as panels:
        for axes, load in zip(panels, LOADS, strict=True):
            for number, name in enumerate(ALL):
                for which, offset, face in (("alone", -0.17, "white"), ("last", 0.17, None)):
                    found = next(r for r in rows if (r["workload"], r["technique"], r["which"]) == (load, name, which))
                    color = colors()[name]
                    axes.barh(number + offset, found["factor"] - 1.0, 0.3, left=1.0, facecolor=face or color,
                              edgecolor=color, linewidth=0.8, label=which if number == 0 else None)  # fmt: skip
            axes.axvline(1.0, color="black", linewidth=0.6)
            axes.set_yticks(range(len(ALL)), [NAMES[name] for name in ALL])
            axes.invert_yaxis()
            axes.set_ylabel(load)
        panels[-1].set_xlabel(f"times faster at {pec} P/E cycles, mean of all requests")
        legend(panels[0])


def middle_age(rows: list[Row]) -> int:
    """The age in the middle of those that there are."""
    pecs = sorted({row["pec"] for row in rows})
    return int(pecs[len(pecs) // 2])


def interactions(found: list[Row], out: Path) -> None:
    """By what factor a pair saves more than the product, with intervals."""
    from ...output.plot.style import BLUE, GREEN, VERMILION, legend

    rows = [row for row in found if row["measure"] == "all" and row["others"] == "none"]
    ages = sorted({row["pec"] for row in rows})
    shown = [ages[0], middle_age(rows), ages[-1]] if len(ages) > 2 else ages
    rows = [row for row in rows if row["pec"] in shown]
    names = [" x ".join(pair) for pair in pairs()]
    with figure(out, "pairs", rows, panels=len(shown), height=1.6) as panels:
        for axes, pec in zip(panels, shown, strict=True):
            for shift, (load, color) in enumerate(zip(LOADS, (BLUE, GREEN, VERMILION), strict=True)):
                here = {r["pair"]: r for r in rows if (r["workload"], r["pec"]) == (load, pec)}
                points = [here[name] for name in names]
                y = [number + 0.22 * (shift - 1) for number in range(len(names))]
                middle = [point["factor"] for point in points]
                ends = [[p["factor"] - p["low"] for p in points], [p["high"] - p["factor"] for p in points]]
                finite = all(point["high"] < WIDEST * point["factor"] for point in points)
                axes.errorbar(middle, y, xerr=ends if finite else None, fmt="o", ms=2.5, capsize=1.5, elinewidth=0.7,
                              color=color, label=load)  # fmt: skip
            axes.axvline(1.0, color="black", linewidth=0.6)
            axes.set_yticks(range(len(names)), [" x ".join(NAMES[name] for name in pair) for pair in pairs()])
            axes.invert_yaxis()
            axes.set_ylabel(f"{pec} P/E cycles")
        panels[-1].set_xlabel("saved together over the product of what each saves")
        legend(panels[0])


def steps(results: Results, out: Path) -> None:
    """Retry steps over life, of data up to a month old and of pages that were written a moment ago."""
    from ...output.plot.style import BLUE, GREEN, ORANGE, PURPLE, legend

    shown: dict[str, tuple[str, dict[str, Any]]] = {
        name_of(subset): (label, {"color": color, "linestyle": style})
        for subset, label, color, style in (
            (NONE, "none", BLUE, "-"),
            (("program",), "OFWAR", GREEN, ":"),
            (("erase",), "AERO", PURPLE, "--"),
            (("program", "erase"), "OFWAR and AERO", ORANGE, "-."),
        )
    }
    old: list[Row] = [
        {"pages": OLD, "pec": cell.pec, "combination": name_of(subset), "retry_senses_per_read": cell.steps(subset)}
        for cell in times.cells(results)
        for subset in (NONE, ("erase",))
        if cell.load == "read-heavy"
    ]
    fresh = [{"pages": FRESH, **row} for row in times.fresh_rows(results)]
    wanted = ("pages", "pec", "combination", "retry_senses_per_read")
    rows = [{key: row[key] for key in wanted} for row in (*fresh, *old)]
    with figure(out, "steps", rows, panels=2, height=1.7) as panels:
        for axes, pages in zip(panels, (FRESH, OLD), strict=True):
            for name, (label, look) in shown.items():
                here = [row for row in rows if (row["pages"], row["combination"]) == (pages, name)]
                if here:
                    axes.plot([r["pec"] for r in here], [r["retry_senses_per_read"] for r in here], label=label, **look)
            axes.set_ylabel("retry senses a read")
            corner(axes, pages)
        panels[-1].set_xlabel("P/E cycles")
        legend(panels[0])
