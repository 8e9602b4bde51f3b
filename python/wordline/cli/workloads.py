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
    """List the synthetic workloads: fio-like shapes, look-alikes of published traces, and applications.

    With the name of an application, such as app/cachelib: its keys, for `-w app/cachelib:KEY=VALUE,KEY=VALUE`.
    """
    from ..applications.named import APPLICATIONS, keys_of, summary_of
    from ..workload import workloads as known
    from .listing import having, show

    if text is not None and text in APPLICATIONS:
        keys = [(key.name, key.help, key.default) for key in keys_of(text)]
        show(keys, json, f"key of {text}", ("default",))
        return
    rows = [(each.name, each.source) for each in known()] + [(name, summary_of(name)) for name in APPLICATIONS]
    show(having(text, rows, [" ".join(row) for row in rows], "workloads"), json, "workload")
