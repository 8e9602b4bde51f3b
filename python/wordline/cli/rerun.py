"""`wordline rerun`: repeats a record's runs and compares every number."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as opt
from . import talk
from .paths import READS

if TYPE_CHECKING:
    from ..record import Repeated

SHOWN_MAX = 20
SAME, DIFFERENT = 0, 1


def rerun(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that --out wrote."), READS],
    trace: Annotated[
        Path | None,
        typer.Option("--trace", "-t", metavar="FILE", help="Where the trace is now, if it has moved."),
        READS,
    ] = None,
    jobs: opt.Jobs = None,
    json: opt.Json = False,
) -> None:
    """Repeat the runs of a folder and compare every number with the saved one.

    Exit code 1: a number differs.
    """
    from .._core import __version__
    from ..record import Record
    from ..record import rerun as repeat
    from .progress import of_points, of_run

    record = Record.read(folder)
    made_by = record.versions["wordline"]
    if made_by != __version__:
        talk.note(f"the record is of wordline {made_by}, this is {__version__}")
    warnings: list[str] = []
    if record.kind == "kv":
        with of_run() as bar:
            repeated = repeat(folder, trace=trace, kv_progress=bar)
    else:
        with of_points("repeating") as progress:
            repeated = repeat(folder, trace=trace, jobs=jobs, progress=progress, warn=warnings.append)
    for warning in warnings:
        talk.warning(warning)
    if json:
        from ..output.json_document import text

        talk.data(text(document(repeated)))
    else:
        say(repeated)
    raise typer.Exit(SAME if all(each.compared.is_same for each in repeated) else DIFFERENT)


def document(repeated: list[Repeated]) -> dict[str, Any]:
    """Returns the JSON document: the differences of each run."""
    return {
        "runs": [
            {
                "set": dict(each.settings),
                "numbers": each.compared.count,
                "same": each.compared.is_same,
                "differences": [
                    {"path": one.path, "record": one.first, "now": one.second} for one in each.compared.differences
                ],
            }
            for each in repeated
        ]
    }


def say(repeated: list[Repeated]) -> None:
    """Prints that every number is the same, or the numbers that differ."""
    from ..output.compare_table import value_text
    from ..output.console import grid

    total = sum(each.compared.count for each in repeated)
    differ = [each for each in repeated if not each.compared.is_same]
    if not differ:
        runs = f" of {len(repeated)} runs" if len(repeated) > 1 else ""
        talk.data(f"every number is the same: {total:,}{runs}\n")
        return
    for each in differ:
        where = ", ".join(f"{key}={value_text(value)}" for key, value in each.settings.items())
        differences = each.compared.differences
        talk.data(f"{where + ': ' if where else ''}{len(differences):,} of {each.compared.count:,} numbers differ\n")
        table = grid("number", "record", "now")
        for one in differences[:SHOWN_MAX]:
            table.add_row(one.path, *("-" if value is None else f"{value:.10g}" for value in (one.first, one.second)))
        talk.show(lambda console, table=table: console.print(table))  # type: ignore[misc]
        if len(differences) > SHOWN_MAX:
            talk.data(f"and {len(differences) - SHOWN_MAX:,} more: --json has all\n")
