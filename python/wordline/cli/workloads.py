"""`wordline workloads`."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as opt


def workloads(
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", help="Only those with this text, such as zipf or msrc.", show_default=False),
    ] = None,
    json: opt.Json = False,
) -> None:
    """List the synthetic workloads: fio-like shapes and look-alikes of published traces."""
    from ..workload import workloads as known
    from .listing import having, show

    rows = [(each.name, each.source) for each in known()]
    show(having(text, rows, [" ".join(row) for row in rows], "workloads"), json, "workload")
