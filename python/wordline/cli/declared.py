"""How a command says what it takes: each parameter is `Annotated` with one of these.

`plain` reads command lines by them, and `app` hands them to typer. They are not typer's own, since a run that needs no
help is to begin without it.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from types import NoneType, UnionType
from typing import Any, NamedTuple, get_args

Command = Callable[..., object]


class Argument:
    """What is known by its place.

    Attributes:
        metavar: What stands for it in help.
        help: What it is.
    """

    def __init__(self, *, metavar: str, help: str) -> None:  # noqa: A002 - the word that help has for it
        self.metavar = metavar
        self.help = help


class Option:
    """What is known by its name.

    Attributes:
        names: `--long` and, if it has one, `-s`.
        metavar: What stands for its value in help; a switch has none.
        help: What it does.
        low: Smallest value of a number.
        high: Largest value of a number.
        panel: The panel of help that shows it, if not the common one.
    """

    def __init__(
        self,
        *names: str,
        help: str,  # noqa: A002 - the word that help has for it
        metavar: str | None = None,
        low: float | None = None,
        high: float | None = None,
        panel: str | None = None,
    ) -> None:
        self.names = names
        self.metavar = metavar
        self.help = help
        self.low = low
        self.high = high
        self.panel = panel


class Parameter(NamedTuple):
    """What a command takes.

    Attributes:
        name: The name of the function's parameter.
        type_: Its type where it is given: `X` for `X | None`.
        required: Whether it must be given.
        declared: How it is given.
    """

    name: str
    type_: Any
    required: bool
    declared: Argument | Option


def parameters(command: Command) -> list[Parameter]:
    """What a command takes, in order."""
    found = []
    for each in signature(command, eval_str=True).parameters.values():
        type_, declared = get_args(each.annotation)
        found.append(Parameter(each.name, _given(type_), each.default is each.empty, declared))
    return found


def _given(type_: Any) -> Any:  # noqa: ANN401 - a type
    return next(each for each in get_args(type_) if each is not NoneType) if isinstance(type_, UnionType) else type_
