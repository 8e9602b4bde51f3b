"""The HTML of a report: tables written out, charts as data with the scripts that draw them."""

from __future__ import annotations

import base64
import errno
import functools
import gzip
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from .. import _core, extras
from ..inputs import clash, inputs_of_run
from ..output.view import View
from .answer import answer
from .charts import Chart, charts
from .configurations import configurations, patches
from .entry import Entry, Section
from .html import listed, section, table
from .question import first_line
from .runs import Runs
from .summary import summary

__all__ = ["available", "write"]

ASSETS = Path(__file__).with_name("assets")
SCRIPTS = ("base.js", "view.js", "traces.js", "figures.js", "table.js", "page.js")
"""In the order in which they need each other."""
GROUPS = (
    ("latency", "Response times"),
    ("time", "Over time"),
    ("utilisation", "Channels and dies"),
    ("wear", "Write amplification and wear"),
)


def available() -> bool:
    """Whether the library that draws the charts is installed."""
    return extras.is_there("report")


def write(
    path: Path,
    title: str,
    entries: Sequence[Entry],
    sections: Sequence[Section] = (),
    notes: Sequence[str] = (),
    command: Sequence[str] = (),
    asked: str = "",
    view: View | None = None,
) -> None:
    """Writes a report; the file appears when it is whole.

    Args:
        path: The file.
        title: Its heading.
        entries: The runs that it shows; none for a report that has sections alone.
        sections: What stands beside the runs, such as claims of papers and their figures.
        notes: What a reader should know, a sentence each.
        command: The words of the command that made the runs.
        asked: What was asked, a sentence; by default it says what differs between the runs.
        view: Which numbers of several runs it shows, and what they may be; None: the main ones.

    Raises:
        MissingExtraError: There are runs, and the library that draws the charts is not installed (`available`).
        OSError: The file cannot be written, or is one that a run has read.
    """
    from ..output.atomic import file

    for each in entries:
        if (why := clash(path, inputs_of_run(each.result.config, each.result.document))) is not None:
            raise FileExistsError(errno.EEXIST, f"{why}; name another file", str(path))

    runs, drawn = Runs.of(entries), charts(entries) if entries else []
    listed_notes = [*notes, *dict.fromkeys(warning for entry in entries for warning in entry.result.warnings)]
    shown = view or View()
    parts = [(each.name, each.title, _own(each)) for each in sections]
    if entries:
        first = answer(runs, shown.bounds) + summary(runs, shown) + listed("Notes", listed_notes)
        parts.insert(0, ("summary", "Summary", first))
    elif listed_notes:
        parts.append(("notes", "Notes", listed("", listed_notes)))
    parts += [
        (name, heading, _charts(of_group))
        for name, heading in GROUPS
        if (of_group := [chart for chart in drawn if chart["group"] == name])
    ]
    if entries:
        parts.append(("configuration", "Configurations", configurations(runs)))
    drawings = {each.name: each.drawing.decode() for each in sections if each.drawing}
    text = _filled(title, first_line(runs, command, asked), parts, _data(runs, drawn, drawings))
    file(path, lambda work: work.write_text(text, encoding="utf-8", newline="\n"))


def _filled(title: str, line: str, parts: Sequence[tuple[str, str, str]], data: dict[str, Any]) -> str:
    """The template with its placeholders filled; a part has a name, a heading and its HTML."""
    script = "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS)
    has_charts = bool(data["charts"])
    holes = {
        "policy": _policy(f"\n{script}\n", *([_plotly()] if has_charts else [])),
        "heading": escape(title),
        "title": escape(title),
        "style": (ASSETS / "page.css").read_text(encoding="utf-8") + (ASSETS / "print.css").read_text(encoding="utf-8"),
        "line": line,
        "first": parts[0][0] if parts else "status",
        "version": escape(_core.__version__),
        "links": "".join(f'<li><a href="#{name}">{escape(text)}</a></li>' for name, text, _ in parts),
        "sections": "\n".join(section(*part) for part in parts),
        "data": _packed(json.dumps(data, separators=(",", ":"), allow_nan=False)),
        "library": _library() if has_charts else _packed(""),
        "script": script,
    }
    template = (ASSETS / "page.html").read_text(encoding="utf-8")
    # In one pass: a part that holds a placeholder's text keeps it.
    return re.sub("|".join(f"<!--{name}-->" for name in holes), lambda match: holes[match[0][4:-3]], template)


def _data(runs: Runs, drawn: Sequence[Chart], drawings: Mapping[str, str]) -> dict[str, Any]:
    """What the scripts know of the runs."""
    named = zip(runs.labels, runs.short_labels, runs.values, strict=True)
    described = [{"label": label, "short": short, "keys": values} for label, short, values in named]
    return {
        "runs": described,
        "keys": list(runs.keys),
        "view": runs.view,
        "charts": list(drawn),
        "drawings": drawings,
        "configurations": patches(runs),
    }


def _policy(*scripts: str) -> str:
    """A Content-Security-Policy: the page runs these scripts alone, and loads nothing from outside."""
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii") for script in scripts)
    allowed = " ".join(f"'sha256-{each}'" for each in hashes)
    # Plotly sets styles, and draws the picture that a user saves from a blob; so are studies' figures.
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
    return _packed(_plotly())


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode("ascii")


def _own(part: Section) -> str:
    drawing = ""
    if part.drawing:
        alternative = escape(f"{part.title}. {part.summary}")
        drawing = f'<img class="drawing" data-drawing="{escape(part.name)}" alt="{alternative}">'
    told = f"<p>{escape(part.summary)}</p>" if part.summary else ""
    rows = table(part.caption, part.columns, part.rows, part.kind, part.verdicts) if part.columns else ""
    closing = f"<p>{escape(part.closing)}</p>" if part.closing else ""
    return told + drawing + rows + listed("Notes", part.notes) + closing


def _charts(drawn: Sequence[Chart]) -> str:
    return f'<div class="charts">{"".join(map(_chart, drawn))}</div>'


def _chart(chart: Chart) -> str:
    title, note = escape(chart["title"]), escape(chart["note"])
    return (
        f'<figure data-chart="{chart["id"]}"><figcaption><h3>{title}</h3>{note}</figcaption>'
        f'<div class="chart" role="img" aria-label="{title}. {note} The data are in the table below."></div>'
        '<div class="legend"></div><div class="controls"></div></figure>'
    )
