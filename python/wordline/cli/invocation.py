"""The command line as it was given, for the records of its runs."""

from __future__ import annotations

from collections.abc import Sequence

_words: list[str] = []


def note(words: Sequence[str]) -> None:
    """Keeps the words of this call."""
    _words[:] = words


def command() -> list[str]:
    """The whole command; empty where Python called a command's function."""
    return ["wordline", *_words] if _words else []
