"""Pieces of HTML that several parts of a report use."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["listed", "section", "table", "wide"]

MARKS = {True: ' class="holds"', False: ' class="fails"', None: ""}


def section(name: str, title: str, content: str) -> str:
    """A section with its heading."""
    heading = f'<h2 id="{name}-title">{escape(title)}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-title">{heading}{content}</section>'


def table(
    caption: str,
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    kind: str = "",
    verdicts: Sequence[bool | None] = (),
) -> str:
    """A table of texts; a narrow screen shows each row as a card, where the heads stand beside the cells.

    Verdicts say of each row whether what it tells holds; None says nothing.
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    lines = []
    for number, (first, *others) in enumerate(rows):
        cells = "".join(
            f'<td data-label="{escape(name)}">{escape(cell)}</td>' for name, cell in zip(names[1:], others, strict=True)
        )
        mark = MARKS[verdicts[number]] if verdicts else ""
        lines.append(f'<tr{mark}><th scope="row">{escape(first)}</th>{cells}</tr>')
    return wide(caption, f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>", kind)


def wide(caption: str, content: str, kind: str = "") -> str:
    """A table with its caption; where it is wider than the page it scrolls, also by keyboard."""
    named = f' class="{kind}"' if kind else ""
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f"<table{named}><caption>{escape(caption)}</caption>{content}</table></div>"
    )


def listed(title: str, sentences: Sequence[str]) -> str:
    """A list under a small heading, if there is one; nothing where there is no sentence."""
    items = "".join(f"<li>{escape(each)}</li>" for each in sentences)
    heading = f"<h3>{escape(title)}</h3>" if title else ""
    return f"{heading}<ul>{items}</ul>" if items else ""
