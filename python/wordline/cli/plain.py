"""Reads a command line that is complete and without mistakes, as most are.

Importing typer, and what it checks values with, takes longer than a short simulation. It is left to what needs it:
help, mistakes, and whatever is written in a less common way (`--name=value`, `-sKEY=VALUE`, values that begin with
`-`). Both go by the same declarations, and what is read here typer reads as the same.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any, get_args, get_origin

from .declared import Argument, Command, Option, parameters

# Longer numbers are for typer to judge.
DIGITS_MAX = 18


def read(command: Command, words: list[str]) -> dict[str, Any] | None:
    """The values that a command line gives a command's parameters; None where typer has to read it."""
    taken = parameters(command)
    options = {name: each for each in taken if isinstance(each.declared, Option) for name in each.declared.names}
    arguments = deque(each for each in taken if isinstance(each.declared, Argument))
    values: dict[str, Any] = {}
    left = deque(words)
    while left:
        each = options.get(left[0])
        if each is not None:
            left.popleft()
        elif arguments:
            each = arguments.popleft()
        else:
            return None
        types = _of_words(each.type_)
        found = [_value(type_, word, each.declared) for type_, word in zip(types, left, strict=False)]
        if None in found or len(found) < len(types):
            return None
        for _ in found:
            left.popleft()
        if get_origin(each.type_) is list:
            values.setdefault(each.name, []).extend(found)
        elif each.name in values:
            return None
        elif get_origin(each.type_) is tuple:
            values[each.name] = tuple(found)
        else:
            values[each.name] = found[0] if found else True
    return None if any(each.required and each.name not in values for each in taken) else values


def _of_words(type_: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a type
    """The types of the words that a value is made of, or that one item of a list is; a switch needs none."""
    if type_ is bool:
        return ()
    return get_args(type_) or (type_,)


def _value(type_: Any, word: str, declared: Argument | Option) -> str | Path | int | None:  # noqa: ANN401 - a type
    if word.startswith("-") or not word.isprintable():
        return None
    if type_ is str:
        return word
    if type_ is Path:
        return Path(word)
    if type_ is int and word.isascii() and word.isdigit() and len(word) <= DIGITS_MAX and isinstance(declared, Option):
        number = int(word)
        fits = (declared.low is None or declared.low <= number) and (declared.high is None or number <= declared.high)
        return number if fits else None
    return None
