"""`wordline schema`: the formats of the files that Wordline reads and writes."""

from __future__ import annotations

from typing import Any

import typer

from .grouped import add
from .schema_config import config
from .schema_flows import flows
from .schema_result import result
from .schema_sweep import sweep


def group(settings: dict[str, Any]) -> typer.Typer:
    """Returns the command `schema` with its files."""
    app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, context_settings=settings)
    for command in (config, flows, result, sweep):
        add(app, command.__name__, command)
    app.callback()(_group)
    return app


def _group() -> None:
    """Print JSON Schemas, for editors and for programs that read Wordline's files."""
