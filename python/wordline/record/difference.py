"""Finds the differences between two documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Compared", "Difference", "compared", "numbers"]

# Fields that say when and by what a result was made, and how its length was found; they are not results.
WALL = "wall_"
MADE_BY = ("wordline", "config_hash", "schema_version", "until")


@dataclass(frozen=True, slots=True)
class Difference:
    """A number that differs between two results; None if one of them does not have it.

    Attributes:
        path: Its dotted path in the document.
        first: Its value in the first result.
        second: Its value in the second result.
    """

    path: str
    first: float | None
    second: float | None


@dataclass(frozen=True, slots=True)
class Compared:
    """The result of comparing all numbers of two results.

    Attributes:
        count: Numbers that at least one of them has.
        differences: The numbers that differ, in the order of the documents.
    """

    count: int
    differences: list[Difference]

    @property
    def is_same(self) -> bool:
        """Returns True if every number is the same."""
        return not self.differences


def compared(first: Mapping[str, Any], second: Mapping[str, Any]) -> Compared:
    """Compares every number of two documents, except those of wall time."""
    ours, theirs = dict(numbers(first)), dict(numbers(second))
    paths = dict.fromkeys([*ours, *theirs])
    differences = [
        Difference(path, ours.get(path), theirs.get(path)) for path in paths if ours.get(path) != theirs.get(path)
    ]
    return Compared(len(paths), differences)


def numbers(document: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yields every measured number of a run, by its dotted path; items of lists have their index as a name."""
    for key, value in document.items():
        if not key.startswith(WALL) and key not in MADE_BY:
            yield from _numbers(key, value)


def _numbers(path: str, value: object) -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _numbers(f"{path}.{key}", each)
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from _numbers(f"{path}.{place}", each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value
