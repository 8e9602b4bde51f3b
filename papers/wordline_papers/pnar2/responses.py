"""Twelve workloads on seven SSDs over the conditions of Fig. 14 and 15."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from statistics import fmean

from wordline.output.plot.style import BLUE, GREEN, ORANGE, SKY
from wordline.sweeps.outcome import Outcome
from wordline.workload import Trace

from .. import Columns, Figure, Measured, Measurement, Point, Results, Row, Sheet, grouped, part
from ..at_hand import overwrite_shape, source_of, whose
from ..drawing import bars, legend_above, panels_by
from ..figure import columns
from .workloads import (
    OWN_RATES,
    TABLE_2,
    Setup,
    Size,
    Traced,
    die_time_us,
    inter_arrival_us,
    settings,
    size_of,
    warmup_of,
)

# Names in the figures, and the policies.
NORR, BASELINE = "NoRR", "Baseline"
FIG_14 = {BASELINE: "baseline", "PR2": "pr2", "AR2": "ar2", "PnAR2": "pnar2"}
FIG_15 = {"PSO": "pso", "PSO+PnAR2": "pso+pnar2"}
Condition = tuple[int, float]
# P/E cycles and months of the grid; the text names (2K, 6) as the worst.
CONDITIONS = tuple((pec, months) for pec in (0, 1000, 2000) for months in (3.0, 6.0))
QUICK_CONDITIONS = ((0, 3.0), (2000, 6.0))
WORST = QUICK_CONDITIONS[-1]
# Eq. 2 and section 7.1: the mean page, unloaded.
LONE_READ_US = 127.0
# Pairs in which the first must not have the longer response time, at any point of the grid.
ORDER = (
    (NORR, "PnAR2"),
    ("PnAR2", "PR2"),
    ("PnAR2", "AR2"),
    ("PR2", BASELINE),
    ("AR2", BASELINE),
    (NORR, "PSO+PnAR2"),
    ("PSO+PnAR2", "PSO"),
    ("PSO", BASELINE),
)
WRITES = "writes end in DRAM and hardly ever wait for room there, so only reads are retried"
READ_DOMINANT = {traced.name for traced in TABLE_2 if traced.is_read_dominant}


def runs(
    workloads: Iterable[Traced],
    conditions: Sequence[Condition],
    policies: Mapping[str, str],
    size: Size,
    setup: Setup = OWN_RATES,
) -> Iterator[Point]:
    """Yields workloads, conditions and SSDs. NoRR's SSD does not depend on the condition: one run per workload."""
    for traced in workloads:
        given, source = settings(traced, size, setup), source_of(traced.look_alike)
        requests = size.requests + warmup_of(traced, size, setup)
        if isinstance(source, Trace):
            # Its own times, or as much faster as the look-alike's.
            given["host.time_scale"] = inter_arrival_us(traced, setup) / inter_arrival_us(traced)
            if setup.is_steady:
                given["precondition.shape"] = overwrite_shape(source, requests)
        ssds = [(NORR, "ideal", (0, 0.0)), *((name, policies[name], at) for at in conditions for name in policies)]
        for system, policy, (pec, months) in ssds:
            keys = {"read.retry": policy, "reliability.pec": pec, "reliability.retention_months": months, **given}
            labels = {"trace": traced.name, "system": system, "rate": setup.rate, "host_us": setup.host_us}
            yield Point("pnar2", keys, source, requests=requests, labels=labels)


def whole_grid(quick: bool, setup: Setup = OWN_RATES) -> Iterator[Point]:
    """Yields the whole grid."""
    return runs(TABLE_2, QUICK_CONDITIONS if quick else CONDITIONS, {**FIG_14, **FIG_15}, size_of(quick), setup)


@part("grid")
def grid(quick: bool) -> Iterator[Point]:
    """Yields the whole grid at the workloads' own rates."""
    return whole_grid(quick)


class Norr(Row):
    """What NoRR does with a workload: mean response times, us, write amplification, blocks collected, work of dies."""

    read_us: float
    write_us: float
    write_amplification: float
    gc_blocks: int
    utilisation: float


class Place(Row):
    """A workload in a condition: mean response times of each SSD, us, then as fractions of Baseline's."""

    workload: str
    pec: int
    retention_months: float
    times: Mapping[str, float]
    over: Mapping[str, float]
    norr: Norr
    real: Mapping[str, str] = field(default_factory=dict)

    @property
    def condition(self) -> Condition:
        """P/E cycles and months."""
        return self.pec, self.retention_months

    def us(self, system: str) -> float:
        """Returns the mean response time of an SSD, us."""
        return self.times[f"{system}_us"]


def places(results: Results) -> list[Place]:
    """Returns the grid."""
    return places_of(grid.of(results))


def places_of(outcomes: Results) -> list[Place]:
    """Returns every workload in every condition of some runs."""
    rows = []
    for traced in TABLE_2:
        own = outcomes.where(trace=traced.name)
        norr = own.where(system=NORR)
        conditions = grouped(
            own, lambda o: (o.coordinates["reliability.pec"], o.coordinates["reliability.retention_months"])
        )
        for at, runs in sorted(conditions.items()):
            us = {o.coordinates["system"]: float(o["response_us.all.mean"]) for o in (*norr, *runs)}
            if BASELINE in us:
                over = {system: time / us[BASELINE] for system, time in us.items()}
                times = {f"{system}_us": time for system, time in us.items()}
                rows.append(Place(traced.name, *at, times, over, norr_of(norr[0]), whose(norr[0])))
    return rows


def norr_of(outcome: Outcome) -> Norr:
    """Returns what a run of NoRR did."""
    read_us, write_us = (float(outcome[f"response_us.{kind}.mean"]) for kind in ("read", "write"))
    return Norr(
        read_us, write_us, float(outcome["write_amplification"]), int(outcome["gc.jobs"]),
        float(outcome["die_utilisation.mean"]),
    )  # fmt: skip


def workloads(results: Results) -> list[Columns]:
    """Returns Table 2 as it is run, with the look-alikes' rates, and what NoRR does with it."""
    by = {row.workload: row for row in places(results)}
    return [
        Columns({
            "workload": of_table.name, "look_alike": of_table.look_alike, "read_ratio": of_table.read_ratio,
            "cold_ratio": of_table.cold_ratio, "die_time_us": die_time_us(of_table),
            "inter_arrival_us": inter_arrival_us(of_table), "norr_us": by[of_table.name].us(NORR),
            **{f"norr_{name}": value for name, value in columns(by[of_table.name].norr).items()},
            **by[of_table.name].real,
        })
        for of_table in TABLE_2
    ]  # fmt: skip


def violations(rows: Sequence[Place]) -> list[Columns]:
    """Returns the places where an order of two SSDs does not hold."""
    return [
        Columns({
            "workload": row.workload, "pec": row.pec, "retention_months": row.retention_months,
            "expected_faster": fast, "expected_slower": slow,
        })
        for row in rows
        for fast, slow in ORDER
        if row.us(fast) > row.us(slow)
    ]  # fmt: skip


def reductions(rows: Iterable[Place], system: str, against: str) -> list[float]:
    """Returns the fractions by which response times are shorter than another SSD's."""
    return [1.0 - row.us(system) / row.us(against) for row in rows]


def multiples(rows: Iterable[Place], system: str) -> list[float]:
    """Returns response times as multiples of NoRR's."""
    return [row.us(system) / row.us(NORR) for row in rows]


def of_means(rows: Sequence[Place], system: str, against: str) -> float:
    """Returns the ratio of the means of two SSDs' response times over Baseline's.

    The paper's three numbers are of this kind: 28.9 % saved, 2.37 times NoRR, and 41 % of the gap closed, which is
    0.289 / (1 - 0.711 / 2.37). Means of ratios would not agree.
    """
    return fmean(row.over[system] for row in rows) / fmean(row.over[against] for row in rows)


def beside(what: Sequence[float]) -> str:
    """Returns the note on the mean of the ratios."""
    return f"mean of the ratios: {fmean(what):.3f}"


def gains_by_condition(rows: Sequence[Place], system: str) -> dict[Condition, float]:
    """Returns the mean fraction over the workloads by which response times are shorter than Baseline's."""
    return {
        at: fmean(reductions(own, system, BASELINE)) for at, own in grouped(rows, lambda row: row.condition).items()
    }


def in_worse_conditions(rows: Sequence[Place]) -> Measured:
    """Section 7.2: the gain rises from each condition to each with more cycles or more months, and less of neither."""
    gains = gains_by_condition(rows, "PnAR2")
    pairs = [
        (mild, harsh)
        for mild in gains
        for harsh in gains
        if mild != harsh and mild[0] <= harsh[0] and mild[1] <= harsh[1]
    ]
    flat = [(mild, harsh) for mild, harsh in pairs if gains[harsh] <= gains[mild]]
    each = ", ".join(f"{pec} cycles {months:g} months {gain:.3f}" for (pec, months), gain in sorted(gains.items()))
    return Measured(
        f"it rises in {len(pairs) - len(flat)} of {len(pairs)} pairs of conditions", holds=not flat, note=each
    )


def claims_of_fig_14(rows: Sequence[Place]) -> Mapping[str, Measurement]:
    """PR2 and AR2 compared with Baseline."""
    gains = {name: reductions(rows, name, BASELINE) for name in ("PR2", "AR2", "PnAR2")}
    means = {name: fmean(values) for name, values in gains.items()}
    composed = 1.0 - (1.0 - means["PR2"]) * (1.0 - means["AR2"])
    worst, stg_0 = [row for row in rows if row.condition == WORST], [row for row in rows if row.workload == "stg_0"]
    wrong = len(violations(rows))
    first = [row for row in rows if row.condition == rows[0].condition]
    norr_us, read_us = fmean(row.us(NORR) for row in first), fmean(row.norr.read_us for row in first)
    busy = [row.norr.utilisation for row in first]
    closed = [(row.us(BASELINE) - row.us("PnAR2")) / (row.us(BASELINE) - row.us(NORR)) for row in rows]
    idle = f"dies work {min(busy):.2%} to {max(busy):.1%} of the time without retries, so hardly a read waits"
    return {
        "pnar2.fig14.pr2.avg": Measured(means["PR2"], note=idle),
        "pnar2.fig14.pr2.max": max(gains["PR2"]),
        "pnar2.fig14.ar2.avg": means["AR2"],
        "pnar2.fig14.ar2.max": max(gains["AR2"]),
        "pnar2.fig14.pnar2.avg": Measured(means["PnAR2"], note=idle),
        "pnar2.fig14.pnar2.max": max(gains["PnAR2"]),
        "pnar2.fig14.pnar2.2k_6mo": fmean(reductions(worst, "PnAR2", BASELINE)),
        "pnar2.fig14.pnar2.stg_0": Measured(
            fmean(reductions((row for row in stg_0 if row in worst), "PnAR2", BASELINE)), note=WRITES
        ),
        "pnar2.fig14.pnar2.stg_0.avg": Measured(fmean(reductions(stg_0, "PnAR2", BASELINE)), note=WRITES),
        "pnar2.fig14.worse": in_worse_conditions(rows),
        "pnar2.fig14.synergy": Measured(
            f"{means['PnAR2']:.3f} against {composed:.3f}; {wrong} orders of two SSDs fail in the grid",
            holds=means["PnAR2"] >= composed and wrong == 0,
            note="with the sums: " + f"{means['PR2'] + means['AR2']:.3f}",
        ),
        "pnar2.fig14.gap_to_norr": Measured(
            of_means(rows, "PnAR2", NORR),
            note=f"{beside(multiples(rows, 'PnAR2'))}; NoRR answers in {norr_us:.0f} us on average, its reads in "
            f"{read_us:.0f} us, {read_us / LONE_READ_US:.1f} times a lone page's {LONE_READ_US:g} us; {idle}",
        ),
        "pnar2.fig14.gap_closed": Measured(
            (1.0 - of_means(rows, "PnAR2", BASELINE)) / (1.0 - of_means(rows, NORR, BASELINE)), note=beside(closed)
        ),
    }


def claims_of_fig_15(rows: Sequence[Place]) -> Mapping[str, Measurement]:
    """PSO, with and without PR2 and AR2."""
    reading = [row for row in rows if row.workload in READ_DOMINANT]
    writing = [row for row in rows if row.workload not in READ_DOMINANT]
    pso, both = (multiples(reading, system) for system in FIG_15)
    of_reads, of_writes = (reductions(group, "PSO+PnAR2", "PSO") for group in (reading, writing))
    steps = "PSO takes at least three steps for each aged page, on this device and in section 3.1"
    return {
        "pnar2.fig15.pso_over_norr.avg": Measured(of_means(reading, "PSO", NORR), note=f"{beside(pso)}; {steps}"),
        "pnar2.fig15.pso_over_norr.max": max(pso),
        "pnar2.fig15.read_dominant.avg": Measured(
            1.0 - of_means(reading, "PSO+PnAR2", "PSO"), note=f"{beside(of_reads)}; {steps}"
        ),
        "pnar2.fig15.read_dominant.max": max(of_reads),
        "pnar2.fig15.write_dominant.avg": Measured(
            1.0 - of_means(writing, "PSO+PnAR2", "PSO"), note=f"{beside(of_writes)}; {WRITES}"
        ),
        "pnar2.fig15.write_dominant.max": max(of_writes),
        "pnar2.fig15.psopnar2_over_norr": Measured(
            of_means(reading, "PSO+PnAR2", NORR), note=f"{beside(both)}; {steps}"
        ),
    }


def draw(rows: Sequence[Place], sheet: Sheet, systems: Sequence[str]) -> None:
    """Draws response times over Baseline's: a panel per condition, a group per workload, then the mean."""
    panels = panels_by(sheet, rows, lambda row: row.condition, height=1.15, width=7.2)
    for axes, at, here in panels:
        over = {name: [row.over[name] for row in here] for name in systems}
        series = {name: [*values, fmean(values)] for name, values in over.items()}
        colours = [*("#999999", SKY, ORANGE, BLUE)[: len(systems) - 1], GREEN]
        bars(axes, [*(row.workload for row in here), "mean"], series, colours, linewidth=0)
        axes.axvline(len(here) - 0.5, color="black", linewidth=0.6)
        axes.set(xlim=(-0.5, len(here) + 0.5), ylim=(0.0, 1.05), ylabel="response /\nBaseline")
        axes.set_title(f"{at[0] // 1000}K P/E cycles, {at[1]:g} months", loc="left")
        axes.grid(visible=False, axis="x")
    legend_above(panels[0][0], len(systems))


FIGURES = (
    Figure("fig14", (grid,), places, claims_of_fig_14, draw=lambda rows, sheet: draw(rows, sheet, [*FIG_14, NORR])),
    Figure(
        "fig15",
        (grid,),
        places,
        claims_of_fig_15,
        draw=lambda rows, sheet: draw(rows, sheet, [BASELINE, *FIG_15, NORR]),
    ),
    Figure("grid", (grid,), places),
    Figure("workloads", (grid,), workloads),
    Figure("order_violations", (grid,), lambda results: violations(places(results)) or [Columns({"workload": "none"})]),
)
