"""`wordline diff`: the differences between two saved runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as opt
from . import talk
from .paths import READS

if TYPE_CHECKING:
    from rich.console import Console

    from wordline.record.changes import Diff

SHOWN_FIRST = ("iops", "bandwidth_mb_s", "response_us", "write_amplification")
"""Numbers that are shown without --all."""
RUN = "DIR[:N]"


def diff(
    first: Annotated[
        str, typer.Argument(metavar=RUN, help="A folder that --out wrote, or the Nth row of its table."), READS
    ],
    second: Annotated[str, typer.Argument(metavar=RUN, help="The other."), READS],
    every: Annotated[
        bool, typer.Option("--all", help="Show every number that differs, not only the main ones.")
    ] = False,
    json: opt.Json = False,
) -> None:
    """Show what differs between two runs: keys, who set them, and numbers with their intervals."""
    from ..record.changes import diff as differences

    differing = differences(first, second)
    if json:
        from ..output.json_document import text

        talk.data(text(document(differing)))
        return
    talk.show(lambda console: draw(differing, every, console))


def document(differing: Diff) -> dict[str, Any]:
    """Returns the JSON document."""
    return {
        "workloads": list(differing.workloads),
        "keys": [
            {"key": k.key, "first": k.first, "second": k.second, "set_by": list(k.set_by)} for k in differing.keys
        ],
        "numbers_compared": differing.count,
        "numbers": {
            path: {
                "first": each.first,
                "second": each.second,
                **each.to_dict(),
                "separated": each.is_separated,
                "few_samples": [differing.is_few(run, path) for run in (0, 1)],
            }
            for path, each in differing.numbers.items()
        },
    }


def draw(differing: Diff, every: bool, console: Console) -> None:
    """Prints keys, then numbers."""
    from rich.text import Text

    from ..output.certainty import FEW, FEW_MEANS, short
    from ..output.compare_table import setting_text
    from ..output.console import grid
    from ..output.numbers import NOTHING, change, measure

    for number, name in enumerate(differing.workloads, 1):
        console.print(Text(f"workload {number}: {name}"))
    if differing.keys:
        table = grid("key", "first", "second", "set by", right=False)
        for each in differing.keys:
            set_by = " | ".join(dict.fromkeys(each.set_by))
            table.add_row(
                *(
                    Text(cell)
                    for cell in (
                        each.key,
                        setting_text(each.key, each.first),
                        setting_text(each.key, each.second),
                        set_by,
                    )
                )
            )
        console.print(table)
        console.print()
    shown = {
        path: each
        for path, each in differing.numbers.items()
        if every
        or differing.are_few_numbers
        or (path.partition(".")[0] in SHOWN_FIRST and not all(differing.is_unknown(run, path) for run in (0, 1)))
    }
    if shown:
        table = grid("number", "first", "second", "change", "± 95 %", "")
        for path, number_change in shown.items():
            half = number_change.half_width
            values = number_change.first, number_change.second
            cells = (
                NOTHING
                if differing.is_unknown(run, path)
                else measure(value) + (FEW if differing.is_few(run, path) else "")
                for run, value in enumerate(values)
            )
            if any(differing.is_unknown(run, path) for run in (0, 1)):
                table.add_row(path, *cells, NOTHING, NOTHING, "")
                continue
            is_told = number_change.method is None or number_change.verdict == "separated"
            verdict = "" if is_told else number_change.verdict
            told = change(number_change.second, number_change.first)
            table.add_row(path, *cells, told, NOTHING if half is None else short(half), verdict)
        console.print(table)
        if any(differing.is_few(run, path) for run in (0, 1) for path in shown):
            console.print(Text(FEW_MEANS, style="dim"))
    hidden = len(differing.numbers) - len(shown)
    more = f", {hidden} of them not shown: --all" if hidden else ""
    summary = (
        f"{len(differing.numbers)} of {differing.count} numbers differ{more}"
        if differing.numbers
        else "every number is the same"
    )
    console.print(Text(summary, style="dim"))
