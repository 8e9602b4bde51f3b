"""The JSON Schema of a sweep file, from its entries. What a key takes stands in the schema of a configuration."""

from __future__ import annotations

import inspect
import types
import typing
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..config import parameters
from ..config_schema import DIALECT, Schema, suffixed
from ..workload import trace, trace_formats
from .entries import ENTRIES, OWN, Entry

__all__ = ["sweep_schema"]

# The file with the schema of a configuration, beside the one with this schema.
CONFIG = "config.json"
KINDS: dict[type, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    float: {"type": "number", "exclusiveMinimum": 0},
    list: {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1},
}


def sweep_schema() -> Schema:
    """Returns the schema of a whole file.

    A key of the configuration may be written as in a configuration file (`gc.policy = …`), as one word in quotes
    (`"gc.policy"`), or by its last part if only one key has it. What it takes is said once, in `config.json`, which
    lies beside this file. A schema cannot express rules between entries (axes of a zip are equally long); Wordline
    checks them when it reads the file.
    """
    properties = {name: _entry(entry) for name, entry in ENTRIES.items()}
    return {
        "$schema": DIALECT,
        "title": "Wordline sweep",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "$defs": {
            "values": _keys(lambda reference: reference),
            "axes": _axes(),
        },
    }


def _entry(entry: Entry) -> Schema:
    match entry.name:
        case "set":
            schema: Schema = {"$ref": "#/$defs/values"}
        case "grid":
            schema = {"$ref": "#/$defs/axes"}
        case "zip":
            axes = {"$ref": "#/$defs/axes"}
            schema = {"anyOf": [axes, {"type": "array", "items": axes}]}
        case _:
            choices = [_kind(entry, kind) for kind in entry.types]
            schema = choices[0] if len(choices) == 1 else {"anyOf": choices}
    return {**schema, "description": entry.help}


def _kind(entry: Entry, kind: type) -> Schema:
    if kind is int:
        return {"type": "integer", "minimum": entry.least}
    if kind is str and entry.name == "requests":
        return suffixed("requests")[0]
    return _trace_options() if kind is Mapping else KINDS[kind]


def _trace_options() -> Schema:
    """Returns the arguments of `wordline.trace`: a table of them describes a trace file."""
    hints = typing.get_type_hints(trace)
    properties: Schema = {"path": {"type": "string", "description": "The file, beside this one."}}
    for name, parameter in inspect.signature(trace).parameters.items():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            properties[name] = _of_hint(hints[name])
    properties["format"] = {"enum": trace_formats()}
    return {"type": "object", "required": ["path"], "additionalProperties": False, "properties": properties}


def _of_hint(hint: Any) -> Schema:  # noqa: ANN401 - a type
    kinds = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    names = {str: "string", int: "integer", bool: "boolean"}
    return {"type": [names[kind] for kind in kinds if kind in names]}


def _axes() -> Schema:
    """Returns a table in which every key has a list of values; the other axes of a sweep have one, too."""
    axes = _keys(lambda reference: {"type": "array", "items": reference, "minItems": 1})
    for name in OWN:
        axes["properties"][name] = {"type": "array", "items": {"$ref": f"#/properties/{name}"}, "minItems": 1}
    return axes


def _keys(of: typing.Callable[[Schema], Schema]) -> Schema:
    """Returns a table of the configuration's keys, each in every valid spelling."""
    keys = list(parameters())
    last = Counter(key.rpartition(".")[2] for key in keys)
    sections = {key.rpartition(".")[0] for key in keys}
    properties: Schema = {}
    for key in keys:
        section, _, name = key.rpartition(".")
        schema = of({"$ref": f"{CONFIG}#/properties/" + (f"{section}/properties/{name}" if section else name)})
        properties[key] = schema
        if section:
            empty: Schema = {"type": "object", "additionalProperties": False, "properties": {}}
            properties.setdefault(section, empty)["properties"][name] = schema
        if last[name] == 1 and name not in sections and name not in OWN:
            properties[name] = schema
    return {"type": "object", "additionalProperties": False, "properties": properties}
