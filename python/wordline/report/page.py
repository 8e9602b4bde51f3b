"""The HTML of a report: tables written out, charts as data with the scripts that draw them."""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from .. import _core, extras
from ..output.compare_table import SHOWN, value_text
from ..output.numbers import count, dig, measure
from .charts import charts
from .entry import Entry, Section

__all__ = ["available", "page", "write"]

ASSETS = Path(__file__).with_name("assets")


def available() -> bool:
    """Whether the library that draws the charts is installed."""
    return extras.is_there("report")


def write(
    path: Path, title: str, entries: Sequence[Entry], sections: Sequence[Section] = (), notes: Sequence[str] = ()
) -> None:
    """Writes a report; the file appears when it is whole.

    Args:
        path: The file.
        title: Its heading.
        entries: The runs that it shows.
        sections: Tables beside the runs, such as claims of papers.
        notes: What a reader should know, a sentence each.

    Raises:
        MissingExtraError: The library that draws the charts is not installed (`available`).
        OSError: The file cannot be written.
    """
    from ..output.atomic import file

    text = page(title, entries, sections, notes)
    file(path, lambda work: work.write_text(text, encoding="utf-8", newline="\n"))


def page(title: str, entries: Sequence[Entry], sections: Sequence[Section] = (), notes: Sequence[str] = ()) -> str:
    """The text of a report; see `write`."""
    drawn = charts(entries)
    said = [*notes, *dict.fromkeys(warning for entry in entries for warning in entry.result.warnings)]
    shown = [
        _section("summary", "Summary", _summary(entries) + _notes(said)),
        *(_section(each.name, each.title, _own(each)) for each in sections),
        *(_section(chart["id"], chart["title"], _chart(chart["id"], chart["title"], chart["note"])) for chart in drawn),
        _section("configuration", "Configurations", _differences(entries) + _configurations(entries)),
    ]
    links = [("summary", "Summary"), *((each.name, each.title) for each in sections)]
    links += [*((chart["id"], chart["title"]) for chart in drawn), ("configuration", "Configurations")]
    # A name such as `<!--<script>` must neither end nor extend the script element that holds the data.
    data = json.dumps(drawn, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    template = (ASSETS / "page.html").read_text(encoding="utf-8")
    script = (ASSETS / "page.js").read_text(encoding="utf-8")
    parts = {
        "policy": _policy(f"\n{script}\n", _plotly()),
        "heading": escape(title),
        "title": escape(title),
        "style": (ASSETS / "page.css").read_text(encoding="utf-8"),
        "version": escape(_core.__version__),
        "links": "".join(f'<li><a href="#{name}">{escape(text)}</a></li>' for name, text in links),
        "sections": "\n".join(shown),
        "data": data,
        "library": _library(),
        "script": script,
    }
    # In one pass: a part that holds a placeholder's text keeps it.
    return re.sub("|".join(f"<!--{name}-->" for name in parts), lambda found: parts[found[0][4:-3]], template)


def _policy(*scripts: str) -> str:
    """A Content-Security-Policy: the page runs these scripts alone, and loads nothing from outside."""
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii") for script in scripts)
    allowed = " ".join(f"'sha256-{each}'" for each in hashes)
    # Plotly sets styles, and draws the picture that a user saves from a blob.
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _plotly() -> str:
    """Plotly's script (MIT licence)."""
    script: str = extras.plotly_offline.get_plotlyjs()
    return script


@functools.cache
def _library() -> str:
    """Plotly's script, compressed: the browser unpacks it."""
    return base64.b64encode(gzip.compress(_plotly().encode(), 9, mtime=0)).decode("ascii")


def _section(name: str, title: str, content: str) -> str:
    heading = f'<h2 id="{name}-title">{escape(title)}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-title">{heading}{content}</section>'


def _table(caption: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    lines = [
        f'<th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in others)}'
        for first, *others in rows
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    # Wide tables scroll, also by keyboard.
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _summary(entries: Sequence[Entry]) -> str:
    if not entries:
        return "<p>No simulation: everything was computed.</p>"
    rows = []
    for entry in entries:
        document = entry.result.document
        numbers = [measure(_number(entry, path)) for _, path in SHOWN]
        requests = f"{count(dig(document, 'requests', 'all'))}{' synthetic' if entry.result.synthetic else ''}"
        rows.append([entry.label, str(document["workload"]["name"]), requests, *numbers, str(document["seed"])])
    names = ["run", "workload", "requests", *(label for label, _ in SHOWN), "seed"]
    return _table("Main numbers of each run; times in us", names, rows)


def _number(entry: Entry, path: tuple[str, ...]) -> float | None:
    document = entry.result.document
    if path[0] == "response_us" and not dig(document, "requests", path[1]):
        return None
    value: float | None = dig(document, *path)
    return value


def _notes(notes: Sequence[str]) -> str:
    return f"<h3>Notes</h3><ul>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul>" if notes else ""


def _own(section: Section) -> str:
    table = _table(section.caption, section.columns, section.rows)
    closing = f"<p>{escape(section.closing)}</p>" if section.closing else ""
    return f"<p>{escape(section.summary)}</p>{table}{_notes(section.notes)}{closing}"


def _chart(name: str, title: str, note: str) -> str:
    return (
        f'<figure data-chart="{name}"><figcaption>{escape(note)}</figcaption>'
        f'<div class="chart" role="img" aria-label="{escape(title)}. {escape(note)} The data are in the table below.">'
        "</div>"
        '<div class="controls"></div></figure>'
    )


def _differences(entries: Sequence[Entry]) -> str:
    if len(entries) < 2:
        return ""
    resolved = [{key: value_text(entry.result.config[key]) for key in entry.result.config} for entry in entries]
    keys = [key for key in resolved[0] if len({each.get(key) for each in resolved}) > 1]
    if not keys:
        return "<p>All runs have the same configuration.</p>"
    rows = [[entry.label, *(each.get(key, "") for key in keys)] for entry, each in zip(entries, resolved, strict=True)]
    return _table("Keys in which the configurations differ", ["run", *keys], rows)


def _configurations(entries: Sequence[Entry]) -> str:
    blocks = []
    for number, entry in enumerate(entries):
        name = f"config-{number}"
        blocks.append(
            f"<details{' open' if len(entries) == 1 else ''}><summary>{escape(entry.label)}</summary>"
            f'<button type="button" data-copy="{name}">Copy</button>'
            f'<pre id="{name}" tabindex="0">{escape(entry.result.config.to_toml())}</pre></details>'
        )
    return "<h3>Resolved</h3>" + "".join(blocks) if blocks else ""
