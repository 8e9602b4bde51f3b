"""Parses `--set key=value`; comma lists of `compare` are grids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..config import parse_value
from .errors import BadInputError

OPENING, CLOSING, QUOTES = "[{", "]}", "\"'"
EXAMPLE = "write it as section.key=value, for example --set ssd.channels=4"


class IfNotGiven(str):
    """A setting of an option that holds unless the configuration has been given its key."""

    __slots__ = ()


def split(text: str, option: str = "--set") -> tuple[str, str]:
    """Returns key and value of one assignment.

    Raises:
        BadInputError: There is no `=`, or nothing on one side of it.
    """
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise BadInputError(f"{option} {text}: there is no `=`", EXAMPLE.replace("--set", option))
    if not key or not value:
        raise BadInputError(
            f"{option} {text}: there is no {'value' if key else 'key'}", EXAMPLE.replace("--set", option)
        )
    return key, value


def alternatives(text: str) -> list[str]:
    """Returns the items of a comma list. Commas in brackets or quotes belong to a value."""
    items, depth, quote, start = [], 0, "", 0
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in QUOTES:
            quote = character
        elif character in OPENING:
            depth += 1
        elif character in CLOSING:
            depth -= 1
        elif character == "," and depth == 0:
            items.append(text[start:place].strip())
            start = place + 1
    return [*items, text[start:].strip()]


def grid(assignments: Sequence[str]) -> tuple[list[str], dict[str, list[Any]]]:
    """Returns the assignments with one value, and those with several as a grid, in the order given.

    Raises:
        BadInputError: An item is empty or repeated, or a key occurs twice.
    """
    single, lists, seen = [], dict[str, list[Any]](), set[str]()
    for text in assignments:
        key, value = split(text)
        if key in seen:
            raise BadInputError(f"--set {text}: `{key}` is set twice", f"write all its values in one list, {key}=a,b,c")
        seen.add(key)
        items = alternatives(value)
        if len(items) == 1:
            single.append(text)
            continue
        if "" in items:
            raise BadInputError(f"--set {text}: an item of the list is empty", "write the values as a,b,c")
        values = [parse_value(item) for item in items]
        if any(value in values[:place] for place, value in enumerate(values)):
            raise BadInputError(f"--set {text}: a value comes twice", "each point of the grid is run once")
        lists[key] = values
    return single, lists
