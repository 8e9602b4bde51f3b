"""What the command line itself finds wrong with what it was given."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BadInputError(Exception):
    """A mistake in a command: what it is, and how to mend it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ClosedPipeError(Exception):
    """Whoever read standard output has gone away."""


def unknown(what: str, name: str, known: Iterable[str], where: str) -> BadInputError:
    """An unknown name, with the nearest known one and the command that lists them all."""
    near = nearest(name, known)
    suggestion = f"did you mean `{near}`? " if near else ""
    return BadInputError(f"unknown {what} `{name}`", f"{suggestion}{where}")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like `name`, if one does; the part behind a `/` may stand alone."""
    names = list(known)
    lower = name.lower()
    for candidate in names:
        if candidate.lower() in (lower, lower + ".toml") or candidate.rpartition("/")[2].lower() == lower:
            return candidate
    found = difflib.get_close_matches(lower, names, n=1, cutoff=0.6)
    if found:
        return found[0]
    tails = {candidate.rpartition("/")[2]: candidate for candidate in reversed(names)}
    found = difflib.get_close_matches(lower.rpartition("/")[2], list(tails), n=1, cutoff=0.6)
    return tails[found[0]] if found else None
