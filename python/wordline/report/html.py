"""Pieces of HTML that several parts of a report use."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["listed", "section", "table", "wide"]


def section(name: str, title: str, content: str) -> str:
    """A section with its heading."""
    heading = f'<h2 id="{name}-title">{escape(title)}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-title">{heading}{content}</section>'


def table(caption: str, names: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "") -> str:
    """A table of texts; a narrow screen shows each row as a card, where the heads stand beside the cells."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    lines = []
    for first, *others in rows:
        cells = "".join(
            f'<td data-label="{escape(name)}">{escape(cell)}</td>' for name, cell in zip(names[1:], others, strict=True)
        )
        lines.append(f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>')
    return wide(caption, f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>", kind)


def wide(caption: str, content: str, kind: str = "") -> str:
    """A table with its caption; where it is wider than the page it scrolls, also by keyboard."""
    named = f' class="{kind}"' if kind else ""
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f"<table{named}><caption>{escape(caption)}</caption>{content}</table></div>"
    )


def listed(title: str, sentences: Sequence[str]) -> str:
    """A list under a small heading; nothing where there is none."""
    items = "".join(f"<li>{escape(each)}</li>" for each in sentences)
    return f"<h3>{escape(title)}</h3><ul>{items}</ul>" if items else ""
