"""`wordline explain`: a configuration, or one topic about the SSD."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from .explain import explain
from .explain_coding import coding
from .explain_erase import erase
from .explain_limits import limits
from .explain_read import read
from .grouped import add

# The default, if the first word of `explain` is not a topic.
DEFAULT = "config"


class ExplainGroup(TyperGroup):
    """A group with a default command: `explain PRESET` is `explain config PRESET`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - Typer's own, whatever it is based on
        """Adds the default command's name if the first argument is not a command."""
        if not args or args[0] not in self.commands:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


def group(settings: dict[str, Any]) -> typer.Typer:
    """Returns the command `explain` with its topics."""
    app = typer.Typer(cls=ExplainGroup, rich_markup_mode=None, context_settings=settings)
    add(app, DEFAULT, explain)
    for command in (coding, read, erase, limits):
        add(app, command.__name__, command)
    return app
