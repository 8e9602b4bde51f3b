"""What a notebook shows of configurations and results: small HTML tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from .certainty import cell, legend
from .compare_table import Point, columns_of, legend_of, setting_text
from .losses import power, refused
from .numbers import count, dig
from .table import LATENCIES, OPS

__all__ = ["of_points", "of_run", "table"]

ROWS_MAX = 60
"""More rows are cut off; the tables of a result have all."""


def table(caption: str, names: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """A table with a caption above and notes below."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    shown = rows[:ROWS_MAX]
    body = "".join(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in shown)
    left = [f"{len(rows) - len(shown)} more rows"] if len(rows) > len(shown) else []
    below = "<br>".join(escape(note) for note in [*left, *notes])
    return (
        f"<div><p><b>{escape(caption)}</b></p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<p><small>{below}</small></p></div>"
    )


def of_run(document: Mapping[str, Any]) -> str:
    """Requests, rates and response times of a run, with intervals and marks."""
    rows = [
        ["requests", *(count(dig(document, "requests", op)) for op in OPS)],
        ["IOPS", *(cell(document, "iops", op) for op in OPS)],
        ["MB/s", *(cell(document, "bandwidth_mb_s", op) for op in OPS)],
        *([f"{label} us", *(cell(document, "response_us", op, key) for op in OPS)] for label, key in LATENCIES),
        ["write amplification", cell(document, "write_amplification"), "", ""],
    ]
    made_up = " (synthetic)" if document["workload"]["synthetic"] else ""
    marks = legend(document, [(op, key) for op in OPS for _, key in LATENCIES])
    told = [text for _, text in (*refused(document), *power(document))]
    return table(
        f"{document['workload']['name']}{made_up}",
        ["", *OPS],
        rows,
        [*told, *marks, *(f"warning: {text}" for text in document["warnings"])],
    )


def of_points(points: Sequence[Point]) -> str:
    """A row for each point: what was set, then the main numbers with their changes against the first."""
    columns = columns_of(points)
    keys = list(dict.fromkeys(key for settings, _ in points for key in settings))
    rows = [
        [
            *(setting_text(key, settings.get(key, "")) for key in keys),
            *(" ".join(filter(None, cells[number])) for cells in columns.values()),
        ]
        for number, (settings, _) in enumerate(points)
    ]
    warnings = dict.fromkeys(text for _, document in points for text in document["warnings"])
    return table(
        f"{len(points)} run{'' if len(points) == 1 else 's'}",
        [*keys, *columns],
        rows,
        [*legend_of(points, columns), *(f"warning: {text}" for text in warnings)],
    )
