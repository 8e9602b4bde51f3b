"""`wordline explain`: a configuration, or one topic about the SSD."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from .explain import explain
from .explain_coding import coding
from .explain_erase import erase
from .explain_key import key
from .explain_limits import limits
from .explain_read import read
from .explain_waits import waits
from .grouped import add

# The defaults, if the first word of `explain` is not a topic: an SSD has a configuration, another word is a key.
DEFAULT, KEY = "config", "key"
HELP = ("-h", "--help")


class ExplainGroup(TyperGroup):
    """A group with defaults: `explain PRESET` is `explain config PRESET`, and `explain KEY` is `explain key KEY`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - Typer's own, whatever it is based on
        """Adds the default command's name if the first argument is not a command."""
        if not args or args[0] not in (*self.commands, *HELP):
            args = [DEFAULT if not args or args[0].startswith("-") or is_ssd(args[0]) else KEY, *args]
        return super().parse_args(ctx, args)


def is_ssd(word: str) -> bool:
    """Returns whether a word names a preset, a configuration file, or a folder of a result."""
    from ..config import presets
    from ..explain.answered import answer_named
    from ..explain.keys import find

    if word.endswith((".toml", ".json")) or any(each.name == word for each in presets()) or Path(word).exists():
        return True
    # `out/run` is a folder that is not there, `P/E cycles` a term.
    return "/" in word and not find(word) and answer_named(word) is None


def group(settings: dict[str, Any]) -> typer.Typer:
    """Returns the command `explain` with its topics."""
    app = typer.Typer(cls=ExplainGroup, rich_markup_mode=None, context_settings=settings)
    add(app, DEFAULT, explain)
    for command in (key, coding, read, erase, limits, waits):
        add(app, command.__name__, command)
    return app
