"""Errors that the command line itself finds in its input."""

from __future__ import annotations

from collections.abc import Iterable


class BadInputError(Exception):
    """A mistake in a command: what is wrong, and how to fix it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ClosedPipeError(Exception):
    """The reader of standard output is gone."""


def unknown(what: str, name: str, known: Iterable[str], where: str) -> BadInputError:
    """Returns an error for an unknown name, with the nearest known one and the command that lists them all."""
    near = nearest(name, known)
    suggestion = f"did you mean `{near}`? " if near else ""
    return BadInputError(f"unknown {what} `{name}`", f"{suggestion}{where}")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Returns the known name most similar to `name`, if any; the part after a `/` may be used alone."""
    import difflib

    names = list(known)
    lower = name.lower()
    for candidate in names:
        if candidate.lower() in (lower, lower + ".toml") or candidate.rpartition("/")[2].lower() == lower:
            return candidate
    close = difflib.get_close_matches(lower, names, n=1, cutoff=0.6)
    if close:
        return close[0]
    tails = {candidate.rpartition("/")[2]: candidate for candidate in reversed(names)}
    close = difflib.get_close_matches(lower.rpartition("/")[2], list(tails), n=1, cutoff=0.6)
    return tails[close[0]] if close else None
