"""Which commands there are, and where each is defined; a module is imported when its command is wanted."""

from __future__ import annotations

from importlib import import_module

from .declared import Command

Place = tuple[str, str]
"""A module of this package, and a function in it."""

COMMANDS: dict[str, Place | dict[str, Place]] = {
    "run": ("run", "run"),
    "compare": ("compare", "compare"),
    "sweep": ("sweep", "sweep"),
    "reproduce": ("reproduce", "reproduce"),
    "presets": ("presets", "presets"),
    "workloads": ("workloads", "workloads"),
    "ldpc": ("ldpc", "ldpc"),
    "characterize": ("characterize", "characterize"),
    "explain": {
        "config": ("explain", "explain"),
        "coding": ("explain_coding", "coding"),
        "read": ("explain_read", "read"),
        "erase": ("explain_erase", "erase"),
    },
    "trace": {
        "stat": ("trace_stat", "stat"),
        "convert": ("trace_convert", "convert"),
        "gen": ("trace_gen", "gen"),
    },
}
"""In the order in which help shows them; a group has commands of its own."""


def load(place: Place) -> Command:
    """The function behind a command."""
    module, name = place
    command: Command = getattr(import_module(f".{module}", __package__), name)
    return command


def find(words: list[str]) -> tuple[Command | None, list[str]]:
    """The command that a command line begins with, if it names one, and the words behind the name."""
    place = COMMANDS.get(words[0]) if words else None
    names = 1
    if isinstance(place, dict):
        place = place.get(words[1]) if len(words) > 1 else None
        names = 2
    return (None if place is None else load(place)), words[names:]
