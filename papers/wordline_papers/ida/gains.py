"""How much IDA shortens reads, and raises throughput: Fig. 8 to 11, Table V, and other readings of the paper."""

from __future__ import annotations

import functools
import itertools
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from wordline.output.plot.style import BLUE, GREEN, ORANGE, VERMILION, legend

from .. import Figure, Measured, Measurement, Outcome, Part, Point, Results, Row, Sheet, grouped, part
from ..at_hand import source_of, whose
from ..drawing import bars_of
from . import closed_form, pace, points, setups

READ = "response_us.read.mean"
RETRIED_MIN = 0.01
# Enough work for every chip, because throughput is a property of a saturated device. The other depths show the effect.
QUEUE_DEPTH = 256
QUEUE_DEPTHS = (16, 64, QUEUE_DEPTH, 1024)
COLOURS = (BLUE, GREEN, ORANGE, VERMILION)


class Gain(Row):
    """A system's saving of a workload's mean read response, a fraction, with the load of the baseline's chips.

    `busiest_chip` is the load of the busiest chip of the two SSDs.
    """

    part: str
    value: float | None
    workload: str
    system: str
    gain: float
    baseline_read_us: float
    baseline_load: float
    baseline_load_with_programs: float
    busiest_chip: float
    retried_share: float = field(repr=False)
    real: Mapping[str, str] = field(default_factory=dict)


class Response(Row):
    """Mean read response, relative to the baseline."""

    workload: str
    system: str
    normalised_read_response: float


class GainAt(Row):
    """E20's saving at a value of a label."""

    at: Mapping[str, float]
    workload: str
    gain: float


def busiest(outcome: Outcome) -> float:
    """Returns the load of the chip that reads hold longest, if each has a link: from the data that crossed it."""
    links = [link["cor"] + link["uncor"] for link in outcome["channel_time.channels"]]
    return float(load(outcome) * max(links) / statistics.fmean(links))


def load(outcome: Outcome, counted: pace.Counted = "reads") -> float:
    """Returns the share of time that reads hold a chip, or a channel that chips share, while requests arrive."""
    at = outcome.coordinates
    arrivals_us = pace.arrivals_us(at, at["trace"], at["requests"])
    return pace.held(outcome.document, arrivals_us, at["schedule.unit"] == "chip", counted)


@functools.lru_cache(maxsize=1)
def gains(results: Results) -> list[Gain]:
    """Returns every gain."""
    return [row for part in points.LABELS for row in of_part(results, part)]


def of_part(results: Results, part: Part) -> list[Gain]:
    """Returns the gains of a part."""
    runs, rows = part.by(results, points.LABELS[part] or "", "system", "trace"), []
    values, ssds, names = (dict.fromkeys(column) for column in zip(*runs, strict=True))
    for value, system, name in itertools.product(values, ssds, names):
        if system != "baseline":
            ours, base = runs[value, system, name][0], runs[value, "baseline", name][0]
            loads = load(base), load(base, "all"), max(busiest(base), busiest(ours))
            gain, retried = 1.0 - ours[READ] / base[READ], base["read_retry.first_failure_share"]
            rows.append(Gain(part.name, value, name, system, gain, base[READ], *loads, retried, whose(base)))
    return rows


def mean(rows: Sequence[Gain], part: Part, system: str, value: float | None = None) -> float:
    """Returns the mean over the workloads."""
    here = (row for row in rows if (row.part, row.system) == (part.name, system))
    return statistics.fmean(row.gain for row in here if value is None or row.value == value)


def claims(rows: Sequence[Gain]) -> Mapping[str, Measurement]:
    """Figures 8, 9 and 11, and Table V."""
    e = {name: mean(rows, points.FIG_8, name) for name in ("E0", "E20", "E50", "E80")}
    by = {(row.part, row.system, row.value, row.workload): row.gain for row in rows}
    fig_8, table_v, widest = points.FIG_8.name, points.TABLE_V.name, points.STEPS_US[-1]
    names = list(dict.fromkeys(row.workload for row in rows))
    falls = e["E0"] > e["E20"] > e["E50"] > e["E80"] > 0
    return {
        "ida.fig8.e0": Measured(e["E0"], note=loads(rows)),
        "ida.fig8.e20": e["E20"],
        "ida.fig8.e50": Measured(e["E50"], note="what breaks is lost to the gain in proportion; the paper loses less"),
        "ida.fig8.e80": e["E80"],
        "ida.fig8.order": Measured(" > ".join(f"{value:.3f}" for value in e.values()) + " > 0", holds=falls),
        "ida.fig8.most": statistics.median(by[fig_8, "E20", None, name] for name in names),
        **{f"ida.fig8.{name}": by.get((fig_8, "E0", None, name)) for name in ("proj_1", "usr_1")},
        "ida.fig9.dtr30": mean(rows, points.FIG_9, "E20", points.STEPS_US[0]),
        "ida.fig9.dtr70": mean(rows, points.FIG_9, "E20", widest),
        "ida.fig9.usr_1": by.get((points.FIG_9.name, "E20", widest, "usr_1")),
        "ida.fig11.late": late(rows),
        "ida.tableV.mlc": mean(rows, points.TABLE_V, "E20"),
        **{f"ida.tableV.{name}": by[table_v, "E20", None, name] for name in names},
    }


def late(rows: Sequence[Gain]) -> Measured:
    """Fig. 11: the P/E cycles at which at least one read in a hundred is retried, workloads whose chips keep up."""
    by_pec = grouped([row for row in rows if row.part == points.FIG_11.name], lambda row: row.value)
    fits = {
        pec: [row.gain for row in group if row.busiest_chip < 1.0]
        for pec, group in by_pec.items()
        if statistics.fmean(row.retried_share for row in group) >= RETRIED_MIN
    }
    means = {pec: statistics.fmean(gains) for pec, gains in fits.items() if gains}
    return Measured(
        statistics.fmean(means.values()) if means else None,
        note="mean of the P/E cycles, over workloads under which both SSDs keep up with the arrivals of Fig. 8: "
        + ", ".join(f"{pec:.0f} {gain:.3f} ({len(fits[pec])} of them)" for pec, gain in means.items()),
    )


def loads(rows: Sequence[Gain]) -> str:
    """Returns the loads of the workloads, and what they alone explain."""
    loads_e0 = [row.baseline_load for row in rows if (row.part, row.system) == (points.FIG_8.name, "E0")]
    alone = closed_form.cases(points.LOADS, [0.0], [])[0].gain
    return (
        f"reads hold the chips {min(loads_e0):.3f} to {max(loads_e0):.3f} of the time, "
        f"mean {statistics.fmean(loads_e0):.3f}; "
        f"one chip by itself with these loads, read at random (M/G/1): {alone:.3f}"
    )


def by_workload(part: Part, *systems: str) -> Figure[Response]:
    """Response times of some systems in a part."""

    def rows(results: Results) -> list[Response]:
        wanted = [row for row in gains(results) if row.part == part.name]
        return [
            Response(row.workload, row.system, 1.0 - row.gain)
            for system in systems
            for row in wanted
            if row.system == system
        ]

    return Figure(part.name, (part,), rows, draw=draw_bars)


def over(part: Part, x_label: str) -> Figure[GainAt]:
    """E20's saving as a function of a part's label."""

    def rows(results: Results) -> list[GainAt]:
        wanted = [row for row in gains(results) if (row.part, row.system) == (part.name, "E20")]
        wanted.sort(key=lambda row: row.value or 0.0)
        return [GainAt({str(points.LABELS[part]): row.value or 0.0}, row.workload, row.gain) for row in wanted]

    return Figure(part.name, (part,), rows, draw=lambda rows, sheet: draw_line(rows, sheet, x_label))


def draw_bars(rows: Sequence[Response], sheet: Sheet) -> None:
    """Draws normalised response time by workload."""
    (axes,) = sheet(width=7.2)
    names = dict.fromkeys(row.system for row in rows)
    looks = {name: (f"IDA-{name}", colour) for name, colour in zip(names, COLOURS, strict=False)}
    bars_of(axes, [(row.workload, row.system, row.normalised_read_response) for row in rows], looks)
    axes.axhline(1.0, color="black", linewidth=0.6)
    axes.set_ylabel("read response, baseline = 1")
    legend(axes)


def draw_line(rows: Sequence[GainAt], sheet: Sheet, x_label: str) -> None:
    """Draws the mean gain over a parameter, with every workload's."""
    (axes,) = sheet()
    places = {
        value: [row.gain for row in values]
        for (value,), values in grouped(rows, lambda row: (*row.at.values(),)).items()
    }
    dots = [(value, gain) for value, values in places.items() for gain in values]
    axes.plot(*zip(*dots, strict=True), ".", color=BLUE, ms=3, label="a workload")
    axes.plot(list(places), [sum(values) / len(values) for values in places.values()], color=VERMILION, label="mean")
    axes.set(xlabel=x_label, ylabel="read response saved, E20")
    legend(axes)


@part("fig10")
def fig_10(quick: bool) -> Iterator[Point]:
    """Yields closed loops of every workload at every queue depth, in the trace's order, reads first in the chips."""
    for depth, name in itertools.product(QUEUE_DEPTHS, points.names_of(quick)):
        rewritten = points.rewritten(name, setups.updated, points.requests_of(quick))
        settings = {**points.filled(name), **setups.scaled(name), **rewritten}
        closed = {**setups.CHIP_SERVERS, **settings, "host.mode": "closed", "host.queue_depth": depth}
        for system, keys in points.PAIR:
            labels = {"system": system, "trace": name, "queue_depth": depth}
            requests = points.requests_of(quick)
            source = source_of(setups.full(name))
            yield Point("ida", {**closed, **keys}, source, requests=requests, labels=labels)


class Throughput(Row):
    """Throughput of E20, relative to the baseline."""

    workload: str
    queue_depth: int
    normalised_throughput: float
    real: Mapping[str, str] = field(default_factory=dict)


def throughputs(results: Results) -> list[Throughput]:
    """Returns a row for each depth and workload."""
    path, rows = "bandwidth_mb_s.all", []
    for (depth, name), runs in fig_10.by(results, "queue_depth", "trace").items():
        ours, baseline = runs.one(system="E20"), runs.one(system="baseline")
        rows.append(Throughput(name, depth, ours[path] / baseline[path], whose(baseline)))
    return rows


def claims_of_throughput(rows: Sequence[Throughput]) -> Mapping[str, Measurement]:
    """At the study's queue depth."""
    by_depth = grouped(rows, lambda row: row.queue_depth)
    means = {
        depth: statistics.fmean(row.normalised_throughput - 1.0 for row in group) for depth, group in by_depth.items()
    }
    others = ", ".join(f"{depth}: {gain:.3f}" for depth, gain in means.items() if depth != QUEUE_DEPTH)
    note = (
        f"queue depth {QUEUE_DEPTH} ({others}); a saturated device gains what it saves of its work, and programs, "
        "which IDA does not shorten, are much of it"
    )
    least = min(by_depth[QUEUE_DEPTH], key=lambda row: row.normalised_throughput)
    gain = least.normalised_throughput - 1.0
    return {
        "ida.fig10.throughput": Measured(means[QUEUE_DEPTH], note=note),
        "ida.fig10.all": Measured(f"least {gain:.3f} ({least.workload})", holds=gain > 0.0),
    }


def draw_throughput(rows: Sequence[Throughput], sheet: Sheet) -> None:
    """Draws one queue depth; the rows have all of them."""
    (axes,) = sheet(width=7.2)
    here = [row for row in rows if row.queue_depth == QUEUE_DEPTH]
    axes.bar(range(len(here)), [row.normalised_throughput for row in here], 0.6, color=BLUE)
    axes.axhline(1.0, color="black", linewidth=0.6)
    axes.set_xticks(range(len(here)), [row.workload for row in here])
    axes.set_ylabel("throughput, baseline = 1")


FIGURES = (
    Figure("gains", tuple(points.LABELS), gains, claims),
    by_workload(points.FIG_8, "E0", "E20", "E50", "E80"),
    over(points.FIG_9, "difference between read times (us)"),
    by_workload(points.IN_RUNS, "E20"),
    over(points.FIG_11, "P/E cycles"),
    by_workload(points.TABLE_V, "E20"),
    by_workload(points.QLC, "E0", "E20"),
    Figure("fig10", (fig_10,), throughputs, claims_of_throughput, draw=draw_throughput),
    Figure("closed_form", (), lambda _: closed_form.cases(points.LOADS, points.ERROR_RATES, points.STEPS_US)),
)
