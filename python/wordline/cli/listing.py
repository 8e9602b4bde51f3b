"""Lists of names with one line about each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ..explain.words import bare
from . import talk
from .errors import BadInputError

Row = TypeVar("Row")


def show(items: Sequence[tuple[str, ...]], as_json: bool, what: str, more: Sequence[str] = ()) -> None:
    """Prints names and their descriptions as a table, or as a JSON list of objects with `name` and `summary`.

    Args:
        items: Names with their descriptions.
        as_json: Whether it is JSON.
        what: What the names are names of.
        more: Further columns; their names are those of the objects' members too.
    """
    if as_json:
        from ..output.json_document import text

        talk.data(text([dict(zip(("name", "summary", *more), item, strict=True)) for item in items]))
        return
    from rich.text import Text

    from ..output.console import grid

    table = grid(what, "what it is", *more, right=False)
    table.columns[0].no_wrap = True
    for name, *texts in items:
        table.add_row(Text(name, style="bold"), *map(Text, texts))
    talk.show(lambda console: console.print(table))


def having(text: str | None, rows: Sequence[Row], texts: Sequence[str], command: str, more: str = "") -> Sequence[Row]:
    """Returns the rows with a text in them, whatever its case.

    Args:
        text: The text; None: all rows.
        rows: The rows.
        texts: What is searched, a text for each row.
        command: The command that lists all.
        more: What to do where nothing is there.

    Raises:
        BadInputError: None has it.
    """
    if text is None:
        return rows
    there = [row for row, words in zip(rows, texts, strict=True) if text.lower() in words.lower()]
    if not there and (wanted := bare(text)):
        # As people write names: `980pro`, `PM 883`.
        there = [row for row, words in zip(rows, texts, strict=True) if wanted in bare(words)]
    if not there:
        # `Samsung 990`: nothing has both words, some have one.
        near = [word for word in text.split() if any(word.lower() in words.lower() for words in texts)]
        some = f"`wordline {command} {near[0]}` lists what has `{near[0]}`; " if near else ""
        raise BadInputError(f"nothing has `{text}` in it", f"{some}`wordline {command}` lists all{more}")
    return there
