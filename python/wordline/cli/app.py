"""All commands under one name. Each is a small file that imports its modules when it is called."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .characterize import characterize
from .cite import cite
from .compare import compare
from .completion import completion
from .diff import diff
from .doctor import doctor
from .examples import examples
from .explain_group import group as explain_group
from .ldpc import ldpc
from .presets import presets
from .pts import pts
from .reproduce import reproduce
from .rerun import rerun
from .run import run
from .schema_group import group as schema_group
from .serve import serve
from .sweep import sweep
from .trace_convert import convert
from .trace_gen import gen
from .trace_stat import stat
from .workloads import workloads

HELP = "Wordline simulates SSDs whose NAND behaves like NAND."
SETTINGS = {"help_option_names": ["-h", "--help"]}
EXPLAIN = "Show where numbers come from, and how things work."
TRACE = "Measure, convert and generate traces."
SCHEMA = "Print JSON Schemas of the files that Wordline reads and writes."
COMMANDS = (
    run,
    serve,
    compare,
    sweep,
    rerun,
    diff,
    pts,
    reproduce,
    presets,
    workloads,
    ldpc,
    characterize,
    cite,
    doctor,
    examples,
    completion,
)


def build(called: str | None = None) -> typer.Typer:
    """Builds the command line of all commands.

    Processing the parameters of all commands takes longer than a short simulation. So, if it is known which command is
    `called`, the others only appear in the list of the help.
    """
    app = typer.Typer(
        help=HELP, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, context_settings=SETTINGS
    )
    app.callback()(_options)
    for command in COMMANDS:
        name = command.__name__
        app.command(name, help=command.__doc__)(command if called in {None, name} else _not_called)
    groups = (("explain", explain_group, EXPLAIN), ("trace", _trace_group, TRACE), ("schema", schema_group, SCHEMA))
    for name, group, about in groups:
        if called in {None, name}:
            app.add_typer(group(SETTINGS), name=name, help=about)
        else:
            app.command(name, help=about)(_not_called)
    return app


def _not_called() -> None:
    """Replaces a command in the list of all."""


def _trace_group(settings: dict[str, Any]) -> typer.Typer:
    app = typer.Typer(no_args_is_help=True, context_settings=settings)
    for command in (stat, convert, gen):
        app.command()(command)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from .._core import __version__
        from .talk import data

        data(f"wordline {__version__}\n")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Wordline simulates SSDs whose NAND behaves like NAND."""


app = build()
