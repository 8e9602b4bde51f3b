"""`wordline explain`: every key of a configuration, who set it, and the source of its number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import complete, talk
from . import options as opt
from .errors import BadInputError, nearest

if TYPE_CHECKING:
    from rich.console import Console

    from ..config import Config, Origin

DEFAULT = "default"
# Layers with this name hold the defaults.
BASE = "presets/base/"


def explain(
    ssd: opt.Explained = None,
    sets: opt.Sets = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            "-k",
            metavar="KEY",
            help="Only this key, or this section. Repeatable.",
            autocompletion=complete.keys,
        ),
    ] = None,
    changed: Annotated[bool, typer.Option("--changed", help="Only keys that differ from their default.")] = False,
    json: opt.Json = False,
) -> None:
    """Show a resolved configuration: each key, its value, who set it, and the source of its number.

    The word `config` may be left out.
    """
    from .source import configuration

    config = configuration(ssd, sets or [])
    origins = config.origins()
    entries = [entry(config, name, origins[name]) for name in chosen(config.keys(), key or [])]
    if changed:
        entries = [e for e in entries if e["set_by"] != DEFAULT]
    if json:
        from ..output.json_document import text

        talk.data(text({"config_hash": config.hash, "keys": entries}))
        return
    if not key:
        note_error(ssd)
    talk.show(lambda console: draw(entries, console))
    note_value(ssd)


def note_error(ssd: str | None) -> None:
    """Says how far a preset is from the drive that it was fitted to, and what it lacks, where its head has that."""
    from ..config import presets

    text = next((each.text for each in presets() if each.name == ssd), "")
    for line in text.splitlines():
        if line.startswith(("# Error of the fit", "# Lacks:")):
            talk.note(line.removeprefix("# "))


def note_value(ssd: str | None) -> None:
    """Says so if the name of the SSD is also a value of a key."""
    from ..config import parameters
    from ..explain.keys import choices_of

    keys = [key for key, row in parameters().items() if ssd in choices_of(row["domain"])] if ssd else []
    if keys:
        talk.note(f"`{ssd}` is also a value of {', '.join(keys)}: `wordline explain key {ssd}`")


def chosen(known: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Returns the requested keys, by their own name or their section's; without a request, all keys.

    Raises:
        BadInputError: A name is neither a key nor a section.
    """
    sections = {name.partition(".")[0] for name in known}
    for name in wanted:
        if name not in known and name not in sections:
            near = nearest(name, known) or nearest(name, [k.rpartition(".")[2] for k in known])
            near = next((k for k in known if k == near or k.endswith(f".{near}")), None)
            suggestion = f"did you mean `{near}`? " if near else ""
            raise BadInputError(f"unknown key `{name}`", f"{suggestion}`wordline explain` lists them all")
    return [k for k in known if not wanted or k in wanted or k.partition(".")[0] in wanted]


def entry(config: Config, key: str, origin: Origin) -> dict[str, Any]:
    """Returns one key in the form of `--json`."""
    from ..config import parameters

    row = parameters()[key]
    documentation = row["comment"]
    default = origin.layer.startswith(BASE)
    return {
        "key": key,
        "value": config[key],
        "set_by": DEFAULT if default else str(origin),
        "layer": origin.layer,
        "line": origin.line,
        "comment": origin.comment or documentation,
        "documentation": documentation,
        "default": row["default"],
        "takes": row["values"],
        "unit": row["unit"],
        "help": row["help"],
        "source": row["source"],
    }


def draw(entries: Sequence[dict[str, Any]], console: Console) -> None:
    """Prints a table of keys; for a single key, also its meaning."""
    from rich.text import Text

    from ..output.compare_table import setting_text
    from ..output.console import grid

    table = grid("key", "value", "set by", "source and meaning", right=False)
    table.columns[0].no_wrap = True
    for e in entries:
        changed = e["set_by"] != DEFAULT
        table.add_row(
            Text(e["key"], style="bold" if changed else ""),
            Text(setting_text(e["key"], e["value"])),
            Text(e["set_by"], style="cyan" if changed else "dim"),
            Text(e["comment"]),
        )
    console.print(table)
    if len(entries) == 1 and entries[0]["documentation"] != entries[0]["comment"]:
        console.print(Text(f"\n{entries[0]['key']}: {entries[0]['documentation']}"))
