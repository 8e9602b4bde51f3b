"""The JSON Schema of a configuration file, from the declarations of its keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from . import _core
from .config import parameters

__all__ = ["DIALECT", "Schema", "of_domain", "of_key", "schema", "workload_schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def schema() -> Schema:
    """Returns the schema of a whole configuration file, including `preset = "name"`.

    Properties that JSON Schema does not have stand beside a key's rules as `x-unit`, `x-source` and `x-when`. A schema
    cannot express rules between keys (a geometry that must fit); Wordline checks them when it reads the file.
    """
    properties: Schema = {"preset": {"type": "string", "description": "The preset over which the file lies."}}
    for key, row in parameters().items():
        section, _, name = key.rpartition(".")
        if section:
            group = properties.setdefault(section, {"type": "object", "additionalProperties": False, "properties": {}})
            group["properties"][name] = of_key(row)
        else:
            properties[name] = of_key(row)
    return {
        "$schema": DIALECT,
        "title": "Wordline configuration",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }


def workload_schema() -> Schema:
    """Returns the schema of a named workload (`presets/workloads`): its keys, its source, and its published values."""
    published = {"type": "object", "required": ["paper", "table"], "description": "What a source states of it."}
    return {
        "$schema": DIALECT,
        "title": "Wordline workload",
        "type": "object",
        "additionalProperties": False,
        "required": ["source", "workload"],
        "properties": {
            "source": {"type": "string", "description": "Where the numbers come from."},
            "published": {"type": "array", "items": published},
            "workload": schema()["properties"]["workload"],
        },
    }


def of_key(row: Mapping[str, Any]) -> Schema:
    """Returns the schema of one key."""
    notes = {
        "x-unit": row["unit"],
        "x-source": row["source"],
        "x-when": [_condition(each) for each in row["when"] if each],
    }
    default = {"default": row["default"]} if "default" in row else {}
    return {
        **of_domain(row["domain"], row["unit"]),
        "description": row["help"],
        **default,
        **{name: note for name, note in notes.items() if note},
    }


SUFFIXED = r"^[0-9][0-9_]*(\.[0-9]+)?([eE]\+?[0-9]+)? *([kKmMgGtTpP]{more}{bytes})?$"
"""A number as a text, such as `16k`."""


SHARE: Schema = {"type": "string", "pattern": r"^ *[0-9]+(\.[0-9]+)? *% *$"}
"""A share of a whole as a text, such as `60%`."""


def suffixed(unit: str) -> list[Schema]:
    """Returns the schema of a number with a suffix in this unit; nothing if its numbers take none."""
    if _core.number("1k", unit) is None:
        return []
    more, also = ("([iI]?[bB])?", "|[bB]") if unit == "bytes" else ("", "")
    return [{"type": "string", "pattern": SUFFIXED.format(more=more, bytes=also)}]


def of_domain(domain: str | Mapping[str, Any], unit: str = "h") -> Schema:
    """Returns the schema of the values of a key; in a unit of time, as by default, a number has no suffix."""
    named: Mapping[str, Any] = {domain: None} if isinstance(domain, str) else domain
    ((kind, what),) = named.items()
    match kind:
        case "truth":
            return {"type": "boolean"}
        case "whole":
            multiple = {"multipleOf": what["multiple_of"]} if what["multiple_of"] != 1 else {}
            whole = {"type": "integer", "minimum": what["low"], "maximum": what["high"], **multiple}
            return _either([whole, *suffixed(unit)])
        case "one_of":
            return _either([{"enum": what}, *suffixed(unit)])
        case "number":
            low = "exclusiveMinimum" if what["above"] else "minimum"
            high = "exclusiveMaximum" if what["below"] else "maximum"
            shares = [SHARE] if what["high"] <= 1 and not unit else []
            return _either([{"type": "number", low: what["low"], high: what["high"]}, *suffixed(unit), *shares])
        case "word":
            return {"enum": _spellings(what)}
        case "joined":
            words = "|".join(re.escape(word) for choices in what for word in _spellings(choices))
            return {"type": "string", "pattern": f"^({words})( *\\+ *({words}))*$"}
        case "text":
            return {"type": "string", "x-takes": what}
        case "list":
            limits = {"minItems": what["least"], "maxItems": what["most"]}
            return {"type": "array", "items": of_domain(what["item"], unit), **limits}
        case "tuple":
            return {"type": "array", "prefixItems": [of_domain(each) for each in what], "items": False}
        case "record":
            properties = {row["name"]: of_key(row) for row in what}
            return {
                "type": "object",
                "additionalProperties": False,
                "required": list(properties),
                "properties": properties,
            }
        case "either":
            return {"anyOf": [of_domain(each) for each in what]}
        case _:
            raise ValueError(kind)


def _either(choices: list[Schema]) -> Schema:
    return choices[0] if len(choices) == 1 else {"anyOf": choices}


def _spellings(choices: Iterable[Mapping[str, str]]) -> list[str]:
    """Returns all spellings of words, which may have `-` or `_`."""
    names = [choice["name"] for choice in choices]
    both = (spelling for name in names for spelling in (name, name.replace("-", "_"), name.replace("_", "-")))
    return list(dict.fromkeys(both))


def _condition(condition: Mapping[str, Any]) -> Schema:
    """Returns the schema of a condition: another key with its required or excluded values; or a second such key."""
    depends = {"key": condition["key"], "one_of" if condition["holds"] else "none_of": condition["values"]}
    if condition["or"]:
        depends["or"] = {"key": condition["or"][0], "one_of": condition["or"][1]}
    return depends
