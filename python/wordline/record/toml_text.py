"""Writes nested dicts as readable TOML: plain values first, then tables, long texts over several lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from ..config import toml_value

__all__ = ["dumps"]

BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(document: Mapping[str, Any]) -> str:
    """Converts a document to TOML. Values of None are left out, because TOML does not have them.

    Raises:
        WrongValueError: TOML does not have the type.
    """
    return "\n".join(_table("", document)) + "\n"


def _table(path: str, table: Mapping[str, Any]) -> Iterator[str]:
    tables = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    lists = {key: value for key, value in table.items() if _is_list_of_tables(value)}
    for key, value in table.items():
        if value is not None and key not in tables and key not in lists:
            yield f"{_name(key)} = {_value(key, value)}"
    for key in table:
        inner = f"{path}{_name(key)}"
        if key in tables:
            yield f"\n[{inner}]"
            yield from _table(f"{inner}.", tables[key])
        for each in lists.get(key, []):
            yield f"\n[[{inner}]]"
            yield from _table(f"{inner}.", each)


def _is_list_of_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)


def _name(key: str) -> str:
    return key if BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _value(key: str, value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, str) and "\n" in value:
        return _long_text(value)
    return toml_value(key, value)


def _long_text(text: str) -> str:
    """Writes a text with each of its lines on a separate line."""
    lines = [json.dumps(line, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f") for line in text.split("\n")]
    # Quotes need no escape here, except three in a row, or one at the end.
    body = "\n".join(lines).replace('\\"', '"').replace('"""', '""\\"')
    if body.endswith('"'):
        body = f'{body[:-1]}\\"'
    # TOML ignores a line break after the opening quotes.
    return f'"""\n{body}"""'
