"""Options of a kind are one value for a command, and options of their own on the command line."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from wordline.cli.app import COMMANDS, MODULES
from wordline.cli.grouped import Options, spread

PARAMETERS_MAX = 14


class Size(Options):
    """A group."""

    width: Annotated[int, typer.Option("--width")] = 3
    name: Annotated[str | None, typer.Option("--name")] = None


class Box(Size):
    """A larger group."""

    height: Annotated[int, typer.Option("--height")] = 1


def test_the_fields_of_a_group_are_options() -> None:
    seen: list[tuple[int, int, str | None, bool]] = []

    def pack(*, deep: bool = False, box: Box) -> None:
        seen.append((box.width, box.height, box.name, deep))

    # The annotations of a function inside another are text that only it can read.
    pack.__annotations__ = {"deep": bool, "box": Box, "return": None}
    app = typer.Typer()
    app.command()(spread(pack))
    for arguments in ([], ["--height", "7", "--deep", "--name", "x"]):
        answer = CliRunner().invoke(app, arguments)
        assert answer.exit_code == 0, answer.output
    assert seen == [(3, 1, None, False), (3, 7, "x", True)]


def test_a_group_knows_what_was_given() -> None:
    assert Box().changed() == {"width": 3, "height": 1}
    assert Size(width=0, name="a").changed() == {"name": "a"}
    with pytest.raises(TypeError, match="depth"):
        Size(depth=1)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_takes_many_parameters(name: str) -> None:
    module = MODULES.get(name, name)
    command = getattr(import_module(f"wordline.cli.{module}"), module)
    assert len(inspect.signature(command).parameters) <= PARAMETERS_MAX
