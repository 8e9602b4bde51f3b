"""A layer of Wordline's configuration, as TOML with the source of each value in a comment."""

from __future__ import annotations

import json
from collections.abc import Sequence

Value = bool | int | float | str | Sequence["Value"]


def toml(value: Value) -> str:
    """Converts a value to TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return "[" + ", ".join(toml(item) for item in value) + "]"


class Layer:
    """Settings by section, each with a comment; a later setting of a key replaces the earlier one."""

    def __init__(self) -> None:
        self._sections: dict[str, dict[str, tuple[Value, str]]] = {}

    def set(self, key: str, value: Value, origin: str) -> None:
        """Sets a dotted key."""
        section, name = key.split(".")
        self._sections.setdefault(section, {})[name] = (value, origin)

    def update(self, other: Layer) -> None:
        """Adds the settings of another layer on top."""
        for section, keys in other._sections.items():
            self._sections.setdefault(section, {}).update(keys)

    def text(self) -> str:
        """Returns the layer as TOML."""
        parts = []
        for section, keys in self._sections.items():
            lines = [f"{name} = {toml(value)} # {' '.join(origin.split())}" for name, (value, origin) in keys.items()]
            parts.append("\n".join([f"[{section}]", *lines]))
        return "\n\n".join(parts) + "\n"
