"""Beside the gains: the activity of the SSD, the parts of AERO's gain, other retry policies, and fast pages."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wordline.output.plot.style import BLUE, GREEN, ORANGE, PURPLE, legend

from .. import Figure, Results, Row, Sheet, grouped
from ..drawing import lines, panels_by
from . import effects
from .effects import Effect
from .gains import COLLAPSED, corner, marked, marks
from .plan import ALL, MEASURES, MIDDLE_PEC, NONE, by_seed, fresh_pages, name_of, other_retries, same_wear, whole_grid

# Up to so many cycles the retries of worn chips were measured (PR2/AR2, section 4); the model goes on from there.
MEASURED_PEC = 2_000
WRITTEN_NOW, OLD = "just written", "up to a month old"
# The activity of the SSD, by the name of a column.
COUNTS = {
    "write_amplification": "write_amplification",
    "erases": "counters.ftl.erases",
    "fast_writes": "counters.ftl.fast_writes",
    "rewrites": "counters.ftl.rewrites",
    "ar2_fallbacks": "counters.controller.fallbacks",
    "lost_requests": "requests.lost",
    "uncorrectable_pages": "counters.controller.uncorrectable_pages",
    "lost_pages": "counters.ftl.lost_pages",
}


class Combination(Row):
    """A combination: its response times, us, retry senses per read, and SSD activity; means over seeds."""

    workload: str
    pec: int
    combination: str
    times: Mapping[str, float]
    retry_senses_per_read: float
    counts: Mapping[str, float]
    marks: str


class Fresh(Row):
    """Reads of pages that were just written."""

    pec: int
    combination: str
    retry_senses_per_read: float
    times: Mapping[str, float]
    uncorrectable_pages: float


class Saved(Row):
    """The factor by which something is faster than another, by its place in the grid."""

    at: Mapping[str, Any]
    effect: Effect


class Steps(Row):
    """Retry senses per page read."""

    pages: str
    pec: int
    combination: str
    retry_senses_per_read: float


def mean(runs: Results, path: str) -> float:
    """Returns the mean over seeds of a number of the results."""
    return runs.mean(lambda outcome: float(outcome[path] or 0.0))


def senses(runs: Results) -> float:
    """Returns the retry senses per page read."""
    taken, reads = (mean(runs, f"counters.controller.{name}") for name in ("retry_senses", "reads"))
    return taken / max(reads, 1.0)


def times_of(runs: Results) -> dict[str, float]:
    """Returns response times by their columns, us."""
    return {f"{measure}_us": mean(runs, path) for measure, path in MEASURES.items()}


@functools.lru_cache(maxsize=1)
def combinations(results: Results) -> list[Combination]:
    """Returns every combination in every workload at every age."""
    return [
        Combination(
            load,
            pec,
            subset,
            times_of(runs),
            senses(runs),
            {name: mean(runs, path) for name, path in COUNTS.items()},
            marked(marks(results)[load, pec], tuple(name for name in ALL if name in subset.split("+"))),
        )
        for (load, pec, subset), runs in whole_grid.by(results, "load", "pec", "subset").items()
    ]


def fresh(results: Results) -> list[Fresh]:
    """Returns the cost of reading pages that were just written, by program speed and wear."""
    return [
        Fresh(pec, subset, senses(runs), times_of(runs), mean(runs, COUNTS["uncorrectable_pages"]))
        for (pec, subset), runs in fresh_pages.by(results, "pec", "subset").items()
    ]


def against(runs: Results, others: Results, measure: str) -> Effect:
    """Returns the factor by which some runs take less time than others, seed by seed."""
    slow, fast = ([float(outcome[MEASURES[measure]]) for outcome in by_seed(outcomes)] for outcomes in (others, runs))
    return effects.ratio(list(zip(slow, fast, strict=True)))


def wears(results: Results) -> list[Saved]:
    """Returns AERO's gain by `shorter erases` with the same wear, and what its `gentler wear` adds to them."""
    grid, rows = whole_grid.by(results, "load", "pec", "subset"), []
    for (load, pec, name), same in same_wear.by(results, "load", "pec", "subset").items():
        without = name_of(tuple(part for part in name.split("+") if part != "erase"))
        plain, ours = grid[load, pec, without], grid[load, pec, name]
        for measure in MEASURES:
            at = {"workload": load, "pec": pec, "combination": name, "measure": measure}
            rows.append(Saved({**at, "which": "shorter erases"}, against(same, plain, measure)))
            rows.append(Saved({**at, "which": "gentler wear"}, against(ours, same, measure)))
    return rows


def retries(results: Results) -> list[Saved]:
    """Returns each retry policy over the regular one, with nothing else on (`none`) or with everything else on."""
    grid, others = (
        whole_grid.by(results, "load", "pec", "subset"),
        other_retries.by(results, "load", "pec", "subset", "read.retry"),
    )
    none, all_, rest = (
        name_of(techniques) for techniques in (NONE, ALL, tuple(name for name in ALL if name != "retry"))
    )
    rows = []
    for load, pec in dict.fromkeys(place[:2] for place in others):
        for which, off, on, subset in (("none", none, "retry", none), ("on", rest, all_, all_)):
            policies = {place[3]: runs for place, runs in others.items() if place[:3] == (load, pec, subset)}
            for policy, ours in {"pnar2": grid[load, pec, on], **policies}.items():
                for name in MEASURES:
                    at = {"workload": load, "pec": pec, "others": which, "retry": policy, "measure": name}
                    rows.append(Saved(at, against(ours, grid[load, pec, off], name)))
    return rows


def steps(results: Results) -> list[Steps]:
    """Returns rows for pages that were just written, then for data up to a month old."""
    old = [
        Steps(OLD, row.pec, row.combination, row.retry_senses_per_read)
        for row in combinations(results)
        if row.workload == "read-heavy" and row.combination in (name_of(NONE), "erase")
    ]
    return [Steps(WRITTEN_NOW, row.pec, row.combination, row.retry_senses_per_read) for row in fresh(results)] + old


def findings_of_wear(rows: Sequence[Saved]) -> Iterator[str]:
    """Yields AERO's gain as a bracket: with the wear of ISPE, and with that of its own life."""
    wanted = {"combination": "erase", "measure": "all"}.items()
    here = [row for row in rows if row.at.items() >= wanted]
    for (load, pec), group in grouped(here, lambda row: (row.at["workload"], row.at["pec"])).items():
        by = {row.at["which"]: row.effect for row in group}
        own = by["shorter erases"].factor * by["gentler wear"].factor
        assumed = f", assumed beyond {MEASURED_PEC} P/E cycles" if pec > MEASURED_PEC else ""
        yield (
            f"AERO's gain, {load}, {pec} P/E cycles: between {by['shorter erases']}, by shorter erases on blocks with "
            f"the same wear, and {own:.2f}, with the wear of its own life{assumed}."
        )


def findings_of_fresh(rows: Sequence[Fresh]) -> Iterator[str]:
    """Yields the cost of reading fast pages."""
    by_name = {row.combination: row.retry_senses_per_read for row in rows if row.pec == MIDDLE_PEC}
    yield (
        f"A page that was just written takes {by_name['none']:.1f} retry senses a read at {MIDDLE_PEC} P/E cycles, "
        f"written fast {by_name['program']:.1f}; on blocks that AERO erased {by_name['erase']:.1f} and "
        f"{by_name['program+erase']:.1f}."
    )


def findings_of_combinations(rows: Sequence[Combination]) -> Iterator[str]:
    """Yields the number of pages that no retry could read."""
    lost = dict.fromkeys(sorted({row.pec for row in rows}), 0.0)
    for row in rows:
        lost[row.pec] += row.counts["uncorrectable_pages"] + row.counts["lost_pages"]
    counts = ", ".join(f"{count:.0f} at {pec}" for pec, count in lost.items())
    yield (
        f"Pages that no retry could read, over all combinations and workloads of a seed: {counts} P/E cycles. The time "
        "of such reads counts nowhere."
    )
    down = [f"{row.combination} ({row.workload}, {row.pec})" for row in rows if COLLAPSED in row.marks]
    if down:
        yield f"SSDs that cannot keep up with the requests, by workload and P/E cycles: {', '.join(down)}."


def draw_steps(rows: Sequence[Steps], sheet: Sheet) -> None:
    """Draws retry steps over life."""
    looks: dict[str, dict[str, Any]] = {
        "none": {"label": "none", "color": BLUE, "linestyle": "-"},
        "program": {"label": "OFWAR", "color": GREEN, "linestyle": ":"},
        "erase": {"label": "AERO", "color": PURPLE, "linestyle": "--"},
        "program+erase": {"label": "OFWAR and AERO", "color": ORANGE, "linestyle": "-."},
    }
    panels = panels_by(sheet, rows, lambda row: row.pages, height=1.7)
    for axes, pages, here in panels:
        lines(axes, [(row.combination, row.pec, row.retry_senses_per_read) for row in here], looks.__getitem__)
        axes.set_ylabel("retry senses a read")
        corner(axes, pages)
    panels[-1][0].set_xlabel("P/E cycles")
    legend(panels[0][0])


FIGURES = (
    Figure("wear", (whole_grid, same_wear), wears, findings=findings_of_wear),
    Figure("fresh", (fresh_pages,), fresh, findings=findings_of_fresh),
    Figure("combinations", (whole_grid,), combinations, findings=findings_of_combinations),
    Figure("retries", (whole_grid, other_retries), retries),
    Figure("steps", (whole_grid, fresh_pages), steps, draw=draw_steps),
)
