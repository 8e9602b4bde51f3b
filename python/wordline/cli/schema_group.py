"""`wordline schema`: the formats of the files that Wordline reads and writes."""

from __future__ import annotations

from typing import Any

import typer

from .schema_config import config
from .schema_result import result
from .schema_sweep import sweep


def group(settings: dict[str, Any]) -> typer.Typer:
    """Returns the command `schema` with its files."""
    app = typer.Typer(no_args_is_help=True, context_settings=settings)
    app.command()(config)
    app.command()(result)
    app.command()(sweep)
    app.callback()(_group)
    return app


def _group() -> None:
    """Print JSON Schemas, for editors and for programs that read Wordline's files."""
