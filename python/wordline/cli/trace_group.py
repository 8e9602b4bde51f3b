"""`wordline trace`: measures, converts and generates traces."""

from __future__ import annotations

from typing import Any

import typer

from .grouped import spread
from .trace_convert import convert
from .trace_gen import gen
from .trace_stat import stat


def group(settings: dict[str, Any]) -> typer.Typer:
    """Returns the command `trace` with what it can do."""
    app = typer.Typer(no_args_is_help=True, context_settings=settings)
    for command in (stat, convert, gen):
        app.command()(spread(command))
    return app
