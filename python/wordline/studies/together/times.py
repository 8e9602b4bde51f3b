"""Response times of the grid, by combination and seed, and what is said of them in tables."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import Outcome, Results
from . import effects
from .effects import Effect
from .plan import ALL, NONE, Subset, name_of, subsets

__all__ = [
    "MEASURES",
    "Cell",
    "cells",
    "counts_rows",
    "fresh_rows",
    "gain_rows",
    "pair_rows",
    "retry_rows",
    "wear_rows",
]

# Response times, by their path in a result.
MEASURES = {
    "all": "response_us.all.mean",
    "read": "response_us.read.mean",
    "read p99": "response_us.read.p99",
    "write": "response_us.write.mean",
}
Row = dict[str, Any]


class Cell:
    """One workload at one age.

    Attributes:
        load: The workload.
        pec: P/E cycles.
    """

    def __init__(self, load: str, pec: int, outcomes: Results) -> None:
        self.load = load
        self.pec = pec
        self._by_subset = {subset: by_seed(outcomes.where(subset=name_of(subset))) for subset in subsets()}

    def times(self, measure: str) -> Mapping[Subset, Sequence[float]]:
        """A response time of each combination, by seed, us."""
        return {subset: [float(o[MEASURES[measure]]) for o in runs] for subset, runs in self._by_subset.items()}

    def mean(self, subset: Subset, path: str) -> float:
        """Mean over seeds of a number of the results."""
        return statistics.fmean(float(o[path] or 0.0) for o in self._by_subset[subset])

    def ratio(self, subset: Subset, above: str, below: str) -> float:
        """Two counters, divided."""
        return self.mean(subset, above) / max(self.mean(subset, below), 1.0)

    def steps(self, subset: Subset) -> float:
        """Retry senses that a page read takes."""
        return self.ratio(subset, "counters.controller.retry_senses", "counters.controller.reads")


def by_seed(outcomes: Results) -> list[Outcome]:
    """Outcomes in the order of their seeds."""
    return sorted(outcomes, key=lambda outcome: int(outcome.coordinates["seed"]))


def cells(results: Results) -> Iterator[Cell]:
    """Every workload at every age."""
    grid = results.where(part="grid")
    for load in grid.values_of("load"):
        for pec in grid.values_of("pec"):
            yield Cell(load, pec, grid.where(load=load, pec=pec))


def said(effect: Effect) -> Row:
    """An effect as columns: a factor, its interval, and whether that leaves out 1."""
    return {"factor": effect.factor, "low": effect.low, "high": effect.high, "sure": effect.is_sure}


def gain_rows(results: Results) -> list[Row]:
    """What each technique saves alone and as the last one, what all save, and what is missing to the product."""
    rows = []
    for cell in cells(results):
        for measure in MEASURES:
            times = cell.times(measure)
            found = {("alone", name): effects.alone(times, name) for name in ALL}
            found |= {("last", name): effects.last(times, name) for name in ALL}
            found |= {("all", "all"): effects.together(times), ("beyond", "all"): effects.unexplained(times)}
            place = {"workload": cell.load, "pec": cell.pec, "measure": measure}
            rows += [{**place, "which": which, "technique": name, **said(e)} for (which, name), e in found.items()]
    return rows


def pair_rows(results: Results) -> list[Row]:
    """By what factor two techniques save more than the product of both, with nothing else on and with the others on."""
    rows = []
    for cell in cells(results):
        for measure in MEASURES:
            times = cell.times(measure)
            for pair in effects.pairs():
                others = tuple(name for name in ALL if name not in pair)
                for which, on in (("none", NONE), ("on", others)):
                    effect = effects.interaction(times, pair, on)
                    place = {"workload": cell.load, "pec": cell.pec, "measure": measure, "others": which}
                    rows.append({**place, "pair": " x ".join(pair), **said(effect)})
    return rows


def counts_rows(results: Results) -> list[Row]:
    """Every combination: its times, and what the SSD did."""
    return [
        {
            "workload": cell.load,
            "pec": cell.pec,
            "combination": name_of(subset),
            **{f"{measure}_us": cell.mean(subset, path) for measure, path in MEASURES.items()},
            "retry_senses_per_read": cell.steps(subset),
            "write_amplification": cell.mean(subset, "write_amplification"),
            "erases": cell.mean(subset, "counters.ftl.erases"),
            "fast_writes": cell.mean(subset, "counters.ftl.fast_writes"),
            "rewrites": cell.mean(subset, "counters.ftl.rewrites"),
            "ar2_fallbacks": cell.mean(subset, "counters.controller.fallbacks"),
            "uncorrectable_pages": cell.mean(subset, "counters.controller.uncorrectable_pages"),
            "lost_pages": cell.mean(subset, "counters.ftl.lost_pages"),
        }
        for cell in cells(results)
        for subset in subsets()
    ]


def against(runs: Results, others: Results, measure: str) -> Effect:
    """By what factor some runs take less time than others, seed by seed."""
    pairs = zip(by_seed(others), by_seed(runs), strict=True)
    return effects.ratio([(float(a[MEASURES[measure]]), float(b[MEASURES[measure]])) for a, b in pairs])


def wear_rows(results: Results) -> list[Row]:
    """AERO's gain taken apart: shorter erases on the same wear, and what its gentler life adds to them."""
    rows = []
    grid, side = results.where(part="grid"), results.where(part="same wear")
    for load in side.values_of("load"):
        for pec in side.values_of("pec"):
            for name in side.values_of("subset"):
                without = "+".join(part for part in name.split("+") if part != "erase") or "none"
                place = {"load": load, "pec": pec}
                plain, ours = grid.where(place, subset=without), grid.where(place, subset=name)
                same = side.where(place, subset=name)
                for measure in MEASURES:
                    row = {"workload": load, "pec": pec, "combination": name, "measure": measure}
                    rows.append({**row, "which": "shorter erases", **said(against(same, plain, measure))})
                    rows.append({**row, "which": "gentler wear", **said(against(ours, same, measure))})
    return rows


def fresh_rows(results: Results) -> list[Row]:
    """What it costs to read pages that were written a moment ago, by how fast, and on what wear."""
    rows = []
    fresh = results.where(part="fresh")
    for pec in fresh.values_of("pec"):
        for name in fresh.values_of("subset"):
            runs = fresh.where(pec=pec, subset=name)
            senses, reads = (runs.mean(f"counters.controller.{counter}") for counter in ("retry_senses", "reads"))
            row = {"pec": pec, "combination": name, "retry_senses_per_read": senses / reads}
            row |= {f"{measure}_us": runs.mean(path) for measure, path in MEASURES.items()}
            lost = runs.mean("counters.controller.uncorrectable_pages")
            rows.append({**row, "uncorrectable_pages": lost})
    return rows


def retry_rows(results: Results) -> list[Row]:
    """Every way to retry against the regular one, with nothing else on and with everything else on."""
    rows = []
    grid, side = results.where(part="grid"), results.where(part="retries")
    others = "+".join(name for name in ALL if name != "retry")
    for load in side.values_of("load"):
        for pec in side.values_of("pec"):
            place = {"load": load, "pec": pec}
            for which, off, on in (("none", name_of(NONE), "retry"), ("on", others, name_of(ALL))):
                runs = {"pnar2": grid.where(place, subset=on)}
                subset = name_of(NONE) if which == "none" else name_of(ALL)
                for policy in side.values_of("read.retry"):
                    runs[policy] = side.where({"read.retry": policy}, subset=subset, **place)
                base = grid.where(place, subset=off)
                for policy, ours in runs.items():
                    for measure in MEASURES:
                        row = {"workload": load, "pec": pec, "others": which, "retry": policy, "measure": measure}
                        rows.append({**row, **said(against(ours, base, measure))})
    return rows
