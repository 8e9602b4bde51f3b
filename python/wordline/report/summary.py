"""The main numbers of a report: one run with its reads and writes, or a row for each of many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ..output.certainty import cell, legend, rows_of_flows
from ..output.compare_table import SIGNS_MEAN, columns_of, legend_of
from ..output.losses import LOSSES, power, refused
from ..output.numbers import NOTHING, count, dig
from ..output.table import LATENCIES, OPS, of_writes, verdicts
from ..output.view import FIRST, View
from ..policies import policies
from .entry import Entry
from .html import table, wide
from .runs import Runs, last

__all__ = ["summary"]

FIRST_RUN = "run 1"
COLUMNS_MAX = 10
"""In a table of more columns the intervals stand below their numbers, so that it fits a page."""


def summary(runs: Runs, view: View) -> str:
    """What all runs share, then their numbers; of several runs those of the view."""
    if len(runs.entries) == 1:
        return _shared(runs) + _one(runs.entries[0])
    return _shared(runs) + _many(runs, view)


def _shared(runs: Runs) -> str:
    if not runs.shared:
        return ""
    settings = ", ".join(f"<code>{escape(key)}={escape(text)}</code>" for key, text in runs.shared.items())
    return f"<p>{'The same in all runs' if len(runs.entries) > 1 else 'Set'}: {settings}.</p>"


def _one(entry: Entry) -> str:
    document = entry.result.document
    rows = [
        ["requests", *(count(dig(document, "requests", op)) for op in OPS)],
        ["IOPS", *(cell(document, "iops", op) for op in OPS)],
        ["MB/s", *(cell(document, "bandwidth_mb_s", op) for op in OPS)],
        *([f"{label} us", *(cell(document, "response_us", op, key) for op in OPS)] for label, key in LATENCIES),
    ]
    marks = list(legend(document, [(op, key) for op in OPS for _, key in LATENCIES]))
    ftl = entry.result.counters["ftl"]
    lines = [*refused(document), *power(document)]
    lines += [("write amplification", cell(document, "write_amplification") + of_writes(document))]
    lines += [("pages moved", count(ftl["moved"])), ("blocks erased", count(ftl["erases"]))]
    lines += [(label or "", text) for label, text in verdicts(document)]
    told = "".join(f"<dt>{escape(label)}</dt><dd>{escape(text)}</dd>" for label, text in lines)
    parts = [table("Main numbers", ["", *OPS], rows, "plain"), _marks(marks), f"<dl>{told}</dl>"]
    return "".join([*parts, _flows(document), _policies(document)])


def _policies(document: Mapping[str, Any]) -> str:
    """What policies count of their own, where some do."""
    meanings = {(info.name, name): text.rstrip(".") for info in policies() for name, text in info.counters}
    rows = [
        [policy, meanings.get((policy, name), name), count(value)]
        for policy, counts in (dig(document, "counters", "policy") or {}).items()
        if any(counts.values())
        for name, value in counts.items()
    ]
    return table("What policies counted", ["policy", "what", "count"], rows) if rows else ""


def _flows(document: Mapping[str, Any]) -> str:
    """A row for each flow, where there are several, and for the reads and writes of one that has both."""
    rows = [
        [
            name,
            count(dig(each, "requests", op)),
            *(cell(each, rate, op) for rate in ("iops", "bandwidth_mb_s")),
            *(cell(each, "response_us", op, key) for _, key in LATENCIES),
        ]
        for name, op, each in rows_of_flows(document)
    ]
    heads = ["flow", "requests", "IOPS", "MB/s", *(f"{label} us" for label, _ in LATENCIES)]
    return table("Flows, each over its own time", heads, rows) if rows else ""


def _many(runs: Runs, view: View) -> str:
    points = [(dict(entry.settings), entry.result.document) for entry in runs.entries]
    columns = columns_of(points, view)
    paths = dict(view.columns)
    extra = [] if _is_told(runs) else ["workload"]
    head = [_head("run", "run"), *(_head(key, last(key), "key") for key in [*runs.keys, *extra])]
    head += [_head(label, label) for label in columns]
    sides = {label: max(len(text.partition(" ±")[2]) for text, _ in cells) for label, cells in columns.items()}
    rows = []
    for number, entry in enumerate(runs.entries):
        cells = [f'<th scope="row" data-value="{number}">{number + 1}</th>']
        told = [*runs.values[number].items(), *((name, str(entry.result.workload["name"])) for name in extra)]
        cells += [f'<td class="key" data-label="{escape(last(key))}">{escape(text)}</td>' for key, text in told]
        for label, texts in columns.items():
            value, (text, change) = _number(points[number][1], label, paths), texts[number]
            known = "" if value is None or text == NOTHING else f' data-value="{value:.6g}"'
            small = f"<small>{escape(change)}</small>" if change else ""
            mark = ' class="lost"' if label in LOSSES and value else ""
            cells.append(f'<td{mark} data-label="{escape(label)}"{known}>{_spaced(text, sides[label])}{small}</td>')
        rows.append(f'<tr data-run="{number}">{"".join(cells)}</tr>')
    beside = view.beside if view.firsts else FIRST_RUN
    caption = f"A row for each run; times in us. Small figures are changes against {beside}"
    body = f"<thead><tr>{''.join(head)}</tr></thead><tbody>{''.join(rows)}</tbody>"
    marks = [
        line.replace(FIRST, FIRST_RUN) if line in SIGNS_MEAN.values() else line
        for line in legend_of(points, columns, view)
    ]
    kind = "runs" if len(head) <= COLUMNS_MAX else "runs dense"
    return '<form id="choices"></form>' + wide(caption, body, kind) + _marks(marks)


def _number(document: Mapping[str, Any], label: str, paths: Mapping[str, tuple[str, ...]]) -> float | None:
    """What a column is sorted by."""
    return LOSSES[label](document) if label in LOSSES else dig(document, *paths[label])


def _head(name: str, text: str, kind: str = "") -> str:
    more = f' class="{kind}"' if kind else ""
    more += f' title="{escape(name)}"' if name != text else ""
    return f'<th scope="col" data-name="{escape(name)}"{more}>{_broken(escape(text))}</th>'


def _broken(name: str) -> str:
    """A name that may go on in a second line after each underscore."""
    return name.replace("_", "_<wbr>")


def _spaced(text: str, width: int) -> str:
    """The interval apart from its number, in a place of its column's width, so that numbers stand below each other."""
    value, sign, side = text.partition(" ±")
    if not width:
        return escape(value)
    half_width = f"±{escape(side)}" if sign else ""
    return f'{escape(value)}<span class="pm" style="min-width:{width + 1.5}ch">{half_width}</span>'


def _is_told(runs: Runs) -> bool:
    """Whether each run's workload is in the first line, or among what tells the run from the others."""
    names = [str(entry.result.workload["name"]) for entry in runs.entries]
    told = (
        any(text != NOTHING and text in name for text in values.values())
        for name, values in zip(names, runs.values, strict=True)
    )
    return len(set(names)) == 1 or all(told)


def _marks(lines: Sequence[str]) -> str:
    return f'<p class="marks">{"<br>".join(escape(line) for line in lines)}</p>' if lines else ""
