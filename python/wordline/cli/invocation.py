"""The command line as typed, for the records of its runs."""

from __future__ import annotations

from collections.abc import Sequence

_words: list[str] = []


def note(words: Sequence[str]) -> None:
    """Stores the words of this call."""
    _words[:] = words


def command() -> list[str]:
    """Returns the whole command; empty if Python called a command's function."""
    return ["wordline", *_words] if _words else []
