"""All commands under one name. Each is a small file, imported when it is called, and imports its modules then."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from .grouped import add

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

EPILOG = (
    "Which command answers my question: docs/questions.md. What a word means: wordline explain WORD. "
    "A first run: wordline run datacenter-tlc -w fio/random-mix -n 100k."
)
HELP = "Wordline simulates SSDs whose NAND behaves like NAND."
SETTINGS = {"help_option_names": ["-h", "--help"]}
EXPLAIN = "Show where numbers come from, and how things work: `explain PRESET`, `explain KEY`, or a topic."
TRACE = "Measure, convert and generate traces."
NVME = "Show what nvme-cli would read from the drive of a saved run."
SCHEMA = "Print JSON Schemas of the files that Wordline reads and writes."
# Each is a module with a function of its name; `import` is a word of Python.
MODULES = {"import": "import_file"}
# All commands of the package.
COMMANDS = (
    "run",
    "serve",
    "compare",
    "fit",
    "sweep",
    "rerun",
    "diff",
    "pts",
    "lifetime",
    "kv",
    "log",
    "table",
    "import",
    "presets",
    "workloads",
    "ldpc",
    "characterize",
    "cite",
    "doctor",
    "examples",
    "completion",
)
GROUPS = {"explain": EXPLAIN, "nvme": NVME, "trace": TRACE, "schema": SCHEMA}
# Packages add commands: an entry point of this group is a command's name and its function.
ADDED = "wordline.commands"
# Those of our own packages, each with the extra that installs its package.
OURS = {"reproduce": "papers"}


def build(called: str | None = None) -> typer.Typer:
    """Builds the command line of all commands.

    Importing all commands and processing their parameters takes longer than a short simulation. So, if it is known
    which command is `called`, there is only that one, and none for `""`. Packages that add commands are only looked for
    if it is none of ours, or if all commands are listed.
    """
    app = typer.Typer(
        help=HELP,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        # Frames around the help would take as long as all the rest of a start.
        rich_markup_mode=None,
        context_settings=SETTINGS,
        epilog=EPILOG,
    )
    app.callback()(_options)
    is_ours = called in COMMANDS or called in GROUPS or called == ""
    added = {} if is_ours else _added(called)
    is_known = is_ours or called in added
    for name in COMMANDS:
        if name == called or not is_known:
            module = MODULES.get(name, name)
            add(app, name, getattr(import_module(f".{module}", __package__), module))
    for name, about in GROUPS.items():
        if name == called or not is_known:
            group = import_module(f".{name}_group", __package__).group
            app.add_typer(group(SETTINGS), name=name, help=about, short_help=about)
    for name, entry in added.items():
        if name == called or not is_known:
            add(app, name, entry.load())
    return app


def _added(called: str | None) -> dict[str, EntryPoint]:
    """Returns the commands of other packages by name.

    Raises:
        MissingExtraError: The called command is of a package of ours that is not installed.
    """
    from importlib.metadata import entry_points

    from ..extras import can_import, need

    if called in OURS:
        need(called, OURS[called])
    entries = entry_points(group=ADDED)
    return {entry.name: entry for entry in entries if can_import(entry.module.partition(".")[0])}


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
