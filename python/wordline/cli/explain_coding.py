"""`wordline explain coding`: the states of a cell, and the effect of invalid pages on them."""

from __future__ import annotations

import json as json_module
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..config import parse_value
from . import options as opt
from . import talk
from .assignment import split

if TYPE_CHECKING:
    from ..config import Config

CELLS = {2: "slc", 4: "mlc", 8: "tlc", 16: "qlc"}


def coding(
    ssd: opt.SSD = None,
    sets: opt.Sets = None,
    invalid: Annotated[
        str | None,
        typer.Option("--invalid", "-i", metavar="PAGES", help="Pages that are invalid, such as lsb,csb; or none."),
    ] = None,
    json: opt.Json = False,
    plot: opt.Figure = None,
) -> None:
    """Draw a coding: its states, where each page is read, and how invalid pages merge states (IDA).

    Without --invalid the senses of every set of invalid pages are listed.
    """
    from .source import configuration

    config = configuration(ssd, with_cell(ssd, sets or []))
    pages = [name for name in (invalid or "").split(",") if name.strip() not in ("", "none")]
    document = merged(config, pages)
    if plot is not None:
        from ..output.plot.coding import draw
        from ..output.plot.figure_data import data_path

        draw(plot, document)
        talk.note(f"figure in {plot}, its data in {data_path(plot)}")
    if json:
        from ..output.json_document import text

        talk.data(text(document))
        return
    from ..output.coding_drawing import show

    everything = None if invalid is not None else all_sets(config, document)
    talk.show(lambda console: show(document, everything, console))


def merged(config: Config, invalid: Sequence[str]) -> dict[str, Any]:
    """Returns the coding with these pages invalid, in the form of `--json`.

    Raises:
        WrongValueError: The coding does not have a page.
    """
    document: dict[str, Any] = json_module.loads(config.core.coding(list(invalid)))
    return document


def all_sets(config: Config, document: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the coding with each set of invalid pages that leaves one valid, small sets first."""
    names = [page["page"] for page in document["pages"]]
    return [merged(config, each) for count in range(len(names)) for each in combinations(names, count)]


def with_cell(ssd: str | None, sets: Sequence[str]) -> list[str]:
    """Returns the settings, plus the cell of a coding if neither the cell nor an SSD is named."""
    given = dict(split(text) for text in sets)
    scheme = parse_value(given.get("coding.scheme", "auto"))
    if ssd is not None or "coding.cell" in given or scheme == "auto":
        return list(sets)
    cell = CELLS.get(len(scheme)) if isinstance(scheme, list) else str(scheme).partition("-")[0]
    return [*sets, f"coding.cell={cell}"] if cell in CELLS.values() else list(sets)
