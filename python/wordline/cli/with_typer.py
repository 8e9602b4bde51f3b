"""The command line as typer knows it: for help, for mistakes, and for all that `plain` does not read."""

from __future__ import annotations

import functools
from inspect import signature
from typing import Annotated, Any, get_args

import typer
from typer.core import TyperGroup

from .commands import COMMANDS, Place, load
from .declared import Argument, Command, Option

HELP = "Wordline simulates SSDs whose NAND behaves like NAND."
SETTINGS = {"help_option_names": ["-h", "--help"]}
# What `explain` shows when its first word names no topic.
DEFAULT = "config"


class ExplainGroup(TyperGroup):
    """A group whose default command need not be named: `explain PRESET` is `explain config PRESET`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - Typer's own, whatever it is based on
        """Puts the default command's name before anything that is no command's."""
        if not args or args[0] not in self.commands:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


GROUPS: dict[str, dict[str, Any]] = {
    "explain": {"cls": ExplainGroup, "help": "Show where numbers come from, and how things work."},
    "trace": {"no_args_is_help": True, "help": "Measure, convert and generate traces."},
}
"""What typer is to know of a group of commands."""


def build(called: str | None = None) -> typer.Typer:
    """The command line. If it is known which command is called, the others are there for the list in help only."""
    app = typer.Typer(
        help=HELP, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, context_settings=SETTINGS
    )
    app.callback()(_options)
    for name, place in COMMANDS.items():
        known = called is None or called == name
        if isinstance(place, dict):
            if known:
                app.add_typer(_group(name, place), name=name)
            else:
                app.command(name, help=GROUPS[name]["help"])(_not_called)
        elif known:
            app.command(name)(_in_typers_terms(load(place)))
        else:
            app.command(name, help=load(place).__doc__)(_not_called)
    return app


def _group(name: str, places: dict[str, Place]) -> typer.Typer:
    group = typer.Typer(context_settings=SETTINGS, **GROUPS[name])
    for command, place in places.items():
        group.command(command)(_in_typers_terms(load(place)))
    return group


def _not_called() -> None:
    """Stands for a command in the list of all."""


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__
        from .talk import data

        data(f"wordline {__version__}\n")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Wordline simulates SSDs whose NAND behaves like NAND."""


def _in_typers_terms(command: Command) -> Command:
    """A command whose parameters are declared as typer wants it."""

    @functools.wraps(command)
    def called(**values: Any) -> object:  # noqa: ANN401 - what the command takes
        return command(**values)

    own = signature(command, eval_str=True)
    translated = [
        each.replace(annotation=Annotated[get_args(each.annotation)[0], _info(get_args(each.annotation)[1])])
        for each in own.parameters.values()
    ]
    called.__annotations__ = {each.name: each.annotation for each in translated}
    called.__signature__ = own.replace(parameters=translated)  # type: ignore[attr-defined]
    return called


def _info(declared: Argument | Option) -> Any:  # noqa: ANN401 - typer's own
    if isinstance(declared, Argument):
        return typer.Argument(metavar=declared.metavar, help=declared.help)
    return typer.Option(
        *declared.names,
        metavar=declared.metavar,
        help=declared.help,
        min=declared.low,
        max=declared.high,
        rich_help_panel=declared.panel,
    )
