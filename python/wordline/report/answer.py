"""The answer of a report: a sentence that says how certain it is, and a chart of the main number by run."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import escape
from typing import NamedTuple

from ..output.bounds import answer as of_bounds
from ..output.certainty import cell, time_unit
from ..output.numbers import change, dig, measure
from ..stats import interval_of
from ..stats.bounds import Bound
from ..stats.comparison import change as change_of
from ..stats.names import title_of
from .entry import Entry
from .runs import LABEL_MAX, Runs, last

__all__ = ["answer"]

GB = 1e9
SCALE_MAX = 65536
ROWS_MAX = 40
"""More runs are not drawn: the table has them all."""
ALIKE = 0.01
"""Rates that differ by less, as where the load is given, are not what a comparison is about."""
LABEL_PX, BAR_PX, ROW_PX, NUMBER_PX = 250, 380, 22, 150
CERTAIN = {
    "separated": "That is more than chance: the interval (95 %) of the change does not hold 0.",
    "not separated": "That may be chance: the interval (95 %) of the change holds 0.",
    "unknown": "How certain that is, is not known: a run is too short, or its numbers change meanwhile.",
}


class Main(NamedTuple):
    """The number that a report is about.

    Attributes:
        path: Its dotted path in a document.
        name: What it is.
        is_low_better: Whether less is better.
        is_time: Whether it is a time, in us.
    """

    path: str
    name: str
    is_low_better: bool
    is_time: bool


RATE = Main("iops.all", "rate (IOPS)", is_low_better=False, is_time=False)
CANDIDATES = (
    Main("response_us.read.p99", "p99 of reads", is_low_better=True, is_time=True),
    RATE,
    Main("response_us.write.p99", "p99 of writes", is_low_better=True, is_time=True),
    Main("response_us.all.mean", "mean response time", is_low_better=True, is_time=True),
)


def answer(runs: Runs, bounds: tuple[Bound, ...] = ()) -> str:
    """Returns the HTML: what came out best, by how much, and how certain that is; of one run, its numbers and drive.

    Where numbers have bounds, the first sentence says which run meets them.
    """
    if not runs.entries:
        return ""
    if len(runs.entries) == 1:
        return f'<p class="answer">{escape(_alone(runs.entries[0]))}</p>'
    verdict = _verdict(runs, bounds)
    main = _main(runs, bounds)
    if main is None:
        return verdict
    values = [_value(runs, number, main) for number in range(len(runs.entries))]
    return f'{verdict}<p class="answer">{_sentence(runs, main, values)}</p>{_chart(runs, main, values)}'


def _verdict(runs: Runs, bounds: tuple[Bound, ...]) -> str:
    """Returns which run is the first that meets all bounds; nothing where there are none."""
    if not bounds:
        return ""
    points = [(entry.settings, entry.result.document) for entry in runs.entries]
    return f'<p class="answer">{escape(of_bounds(points, bounds))}.</p>'


def _alone(entry: Entry) -> str:
    """Returns rate, tails and the size of the drive in a sentence."""
    document, config = entry.result.document, entry.result.config
    parts = [f"{cell(document, 'iops', 'all')} IOPS"]
    for op in ("read", "write"):
        if dig(document, "requests", op):
            parts.append(f"p99 of {op}s {cell(document, 'response_us', op, 'p99')} us")
    drive = f"a drive of {config.host_bytes / GB:,.1f} GB for the host"
    if 0 < (scale := float(config["ssd.scale"])) < 1:
        drive += f", which is {Fraction(scale).limit_denominator(SCALE_MAX)} of the whole one (ssd.scale)"
    return f"{'; '.join(parts)}; on {drive}."


def _main(runs: Runs, bounds: tuple[Bound, ...]) -> Main | None:
    for main in (*map(_bounded, bounds), *CANDIDATES):
        values = [_value(runs, number, main) for number in range(len(runs.entries))]
        known = [value for value in values if value]
        if len(known) < len(values) or (main is RATE and max(known) - min(known) < ALIKE * max(known)):
            continue
        return main
    return None


def _bounded(bound: Bound) -> Main:
    """A number that has a bound, as what a report is about."""
    name = (title_of(bound.path) or bound.name).removesuffix(" us")
    return Main(bound.path, name, is_low_better=bound.is_most, is_time=bound.path.startswith("response_us."))


def _value(runs: Runs, number: int, main: Main) -> float | None:
    document = runs.entries[number].result.document
    path = main.path.split(".")
    value = dig(document, *path)
    # A percentile that no request lies beyond, and a time that is not modelled, are no numbers.
    return value if isinstance(value, int | float) and cell(document, *path)[:1].isdigit() else None


def _sentence(runs: Runs, main: Main, values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    best = values.index(min(known) if main.is_low_better else max(known))
    first = values[0]
    documents = [entry.result.document for entry in runs.entries]
    measured = change_of(documents[0], documents[best], main.path)
    texts = _texts(main, values)
    what = f"the {'lowest' if main.is_low_better else 'highest'} {main.name}"
    if max(known) == min(known) or measured is None or first is None:
        return f"All runs have the same {escape(main.name)}, {escape(texts[0])}."
    label, base = (f"<b>{escape(runs.labels[number])}</b>" for number in (best, 0))
    if best == 0:
        worst = values.index(max(known) if main.is_low_better else min(known))
        other = change_of(documents[0], documents[worst], main.path)
        by = change(values[worst], first)
        verdict = CERTAIN[other.verdict] if other is not None else ""
        end = f"<b>{escape(runs.labels[worst])}</b> is furthest from it, at {escape(texts[worst])} ({escape(by)})."
        return f"{label} has {escape(what)}, {escape(texts[0])}; {end} {verdict}"
    by = change(values[best], first)
    return (
        f"{label} has {escape(what)}, {escape(texts[best])}: {escape(by)} against {base}, {escape(texts[0])}. "
        f"{CERTAIN[measured.verdict]}"
    )


def _texts(main: Main, values: Sequence[float | None]) -> list[str]:
    unit, scale = time_unit(values) if main.is_time else ("", 1.0)
    return ["-" if value is None else f"{measure(value * scale)} {unit}".rstrip() for value in values]


def _chart(runs: Runs, main: Main, values: Sequence[float | None]) -> str:
    """Bars by run, with intervals, as an SVG that needs no script."""
    if len(values) > ROWS_MAX:
        return ""
    documents = [entry.result.document for entry in runs.entries]
    intervals = [interval_of(document, main.path) for document in documents]
    ends = [each.high for each in intervals if each is not None and each.high is not None]
    largest = max([*(value for value in values if value is not None), *ends])
    texts = _texts(main, values)
    labels = runs.short_labels
    rows = []
    for number, (value, interval) in enumerate(zip(values, intervals, strict=True)):
        top = number * ROW_PX
        middle = top + ROW_PX / 2
        length = 0.0 if value is None else value / largest * BAR_PX
        label = labels[number]
        short = label if len(label) <= LABEL_MAX else f"{label[: LABEL_MAX // 2 - 1]}…{label[-LABEL_MAX // 2 :]}"
        rows.append(f'<text x="{LABEL_PX - 8}" y="{middle + 4}" text-anchor="end">{escape(short)}</text>')
        rows.append(f'<rect x="{LABEL_PX}" y="{top + 4}" width="{length:.1f}" height="{ROW_PX - 8}" rx="2"/>')
        end = length
        if interval is not None and interval.low is not None and interval.high is not None:
            low, high = (LABEL_PX + each / largest * BAR_PX for each in (interval.low, interval.high))
            rows.append(f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}"/>')
            end = max(end, high - LABEL_PX)
        rows.append(f'<text x="{LABEL_PX + end + 8:.1f}" y="{middle + 4}">{escape(texts[number])}</text>')
    width, height = LABEL_PX + BAR_PX + NUMBER_PX, len(values) * ROW_PX
    unit = "; lines are intervals (95 %)" if any(each is not None for each in intervals) else ""
    by = "run" if labels == runs.labels else ", ".join(map(last, runs.keys))
    caption = f"{main.name[:1].upper()}{main.name[1:]} by {by}{unit}"
    return (
        f'<figure class="answer"><figcaption>{escape(caption)}</figcaption><svg viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{escape(caption)}. The table below has the numbers.">{"".join(rows)}</svg></figure>'
    )
