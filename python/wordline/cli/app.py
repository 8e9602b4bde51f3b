"""The commands under one name. Each is a small file that imports what it needs when it is called."""

from __future__ import annotations

from typing import Annotated

import typer

from .characterize import characterize
from .compare import compare
from .explain_group import group as explain_group
from .ldpc import ldpc
from .presets import presets
from .reproduce import reproduce
from .run import run
from .sweep import sweep
from .trace_convert import convert
from .trace_gen import gen
from .trace_stat import stat
from .workloads import workloads

HELP = "Wordline simulates SSDs whose NAND behaves like NAND."
SETTINGS = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    help=HELP, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, context_settings=SETTINGS
)
trace = typer.Typer(help="Measure, convert and generate traces.", no_args_is_help=True, context_settings=SETTINGS)


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__
        from .talk import data

        data(f"wordline {__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Wordline simulates SSDs whose NAND behaves like NAND."""


for command in (run, compare, sweep, reproduce, presets, workloads, ldpc, characterize):
    app.command()(command)
for trace_command in (stat, convert, gen):
    trace.command()(trace_command)
app.add_typer(explain_group(SETTINGS), name="explain")
app.add_typer(trace, name="trace")
