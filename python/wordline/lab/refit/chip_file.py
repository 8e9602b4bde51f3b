"""Reads and changes constants of a chip's TOML file, and keeps the comments."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

__all__ = ["value", "with_values"]


def value(text: str, key: str) -> float:
    """The value of a constant; `a.b.c` is a key of a section or of an inline table, `a.b.1` an entry of a list."""
    node: Any = tomllib.loads(text)
    for part in key.split("."):
        node = node[int(part) if isinstance(node, list) else part]
    return float(node)


def with_values(text: str, values: Mapping[str, float]) -> str:
    """The text with new values of some constants.

    Raises:
        KeyError: There is no such constant.
    """
    for key, number in values.items():
        text = _with(text, key, f"{number:g}")
    return text


def _with(text: str, key: str, number: str) -> str:
    document: Any = tomllib.loads(text)
    section: list[str] = []
    parts = key.split(".")
    while isinstance(document.get(parts[0]), dict) and f"[{'.'.join([*section, parts[0]])}]" in text:
        document = document[parts[0]]
        section.append(parts.pop(0))
    start = text.index(f"[{'.'.join(section)}]")
    name, inner = parts[0], parts[1:]
    line = re.compile(rf"^{re.escape(name)}\s*=\s*(.*)$", re.MULTILINE)
    match = line.search(text, start)
    if match is None:
        raise KeyError(key)
    old = match[1]
    if not inner:
        new = re.sub(r"^[-+.\deE]+", lambda was: number.ljust(len(was[0])), old, count=1)
    elif inner[0].isdigit():
        entries = list(re.finditer(r"[-+.\deE]+", old.split("]")[0]))
        entry = entries[int(inner[0])]
        new = old[: entry.start()] + number + old[entry.end() :]
    else:
        new = re.sub(rf"(\b{re.escape(inner[0])}\s*=\s*)[-+.\deE]+", rf"\g<1>{number}", old, count=1)
    return text[: match.start(1)] + new + text[match.end(1) :]
