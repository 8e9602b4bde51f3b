"""The JSON Schema (2020-12) of `result.json`, made from the form of a result, `crates/wordline-run/src/result`."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from .. import _core

__all__ = ["UNIT", "Number", "is_number", "named", "numbers", "numbers_called", "result_schema"]

UNIT = "x-unit"
PREFIX = "#/$defs/"


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a result, or a list of numbers.

    Attributes:
        path: Its dotted path, with `*` for each item of a list or mapping.
        unit: Its unit.
        text: What it is.
        is_measured: False for what says what was run, when, and how certain the numbers are.
    """

    path: str
    unit: str
    text: str
    is_measured: bool


@functools.cache
def result_schema() -> dict[str, Any]:
    """Returns the schema. `x-unit` is the unit of a number, or of all numbers of an object."""
    schema: dict[str, Any] = json.loads(_core.result_schema())
    return schema


def numbers() -> Iterator[Number]:
    """Yields every number of a result."""
    for name, field in result_schema()["properties"].items():
        for path, unit, text in _numbers(name, field, "", ()):
            yield Number(path, unit, text, field.get("x-measured", True))


def numbers_called(name: str) -> list[Number]:
    """Returns the numbers with a dotted path; if there are none, those with this last part of their path."""
    known = list(numbers())
    return [each for each in known if fnmatchcase(name, each.path)] or [
        each for each in known if each.path.rpartition(".")[2] == name
    ]


def named(field: dict[str, Any]) -> str | None:
    """Returns the name of the definition that a field's schema refers to, if any."""
    for each in (field, *field.get("anyOf", ())):
        if "$ref" in each:
            return str(each["$ref"]).removeprefix(PREFIX)
    return None


def is_number(field: dict[str, Any]) -> bool:
    """Returns True for the schema of a number, of a number or null, or of a list of them."""
    kinds = field.get("type", ())
    return (
        bool({"number", "integer"} & {*([kinds] if isinstance(kinds, str) else kinds)})
        or ("items" in field and is_number(field["items"]))
        or any(is_number(each) for each in field.get("prefixItems", ()))
    )


def _numbers(path: str, field: dict[str, Any], unit: str, above: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    name = named(field)
    whole = field if name is None else {**result_schema()["$defs"][name], **field}
    unit = whole.get(UNIT, unit)
    if is_number(whole):
        yield path, unit, whole.get("description", "")
        return
    # Intervals lie in intervals.
    if name is not None and name in above:
        return
    inside = dict(whole.get("properties", {}))
    for place in ("items", "additionalProperties"):
        if isinstance(whole.get(place), dict):
            # A number of a table without names of its own is what the table is of.
            inside["*"] = {"description": whole.get("description", ""), **whole[place]}
    for below, each in inside.items():
        yield from _numbers(f"{path}.{below}", each, unit, above if name is None else (*above, name))
