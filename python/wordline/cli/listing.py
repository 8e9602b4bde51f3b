"""Lists of names with one line about each."""

from __future__ import annotations

from collections.abc import Sequence

from . import talk


def show(items: Sequence[tuple[str, str]], as_json: bool, what: str) -> None:
    """Prints names and their descriptions as a table, or as a JSON list of objects with `name` and `summary`."""
    if as_json:
        from ..output.json_document import text

        talk.data(text([{"name": name, "summary": summary} for name, summary in items]))
        return
    from rich.text import Text

    from ..output.console import grid

    table = grid(what, "what it is", right=False)
    table.columns[0].no_wrap = True
    for name, summary in items:
        table.add_row(Text(name, style="bold"), Text(summary))
    talk.show(lambda console: console.print(table))
