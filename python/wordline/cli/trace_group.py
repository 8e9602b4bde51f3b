"""`wordline trace`: measures, converts and generates traces."""

from __future__ import annotations

from typing import Any

import typer

from .grouped import add
from .trace_convert import convert
from .trace_gen import gen
from .trace_stat import stat


def group(settings: dict[str, Any]) -> typer.Typer:
    """Returns the command `trace` with what it can do."""
    app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, context_settings=settings)
    for command in (stat, convert, gen):
        add(app, command.__name__, command)
    return app
