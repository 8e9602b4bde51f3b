"""The keys of another simulator's file, each with its line. It records which keys were not used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ..errors import ImportedFileError


class Entry(NamedTuple):
    """A key as written in the file."""

    key: str
    value: str
    line: int


class Imported(NamedTuple):
    """What was read.

    Attributes:
        simulator: Its name.
        toml: A configuration on top of the base layer; each value's comment names its source.
        warnings: Every key that has no meaning here, or another one, with file and line.
    """

    simulator: str
    toml: str
    warnings: list[str]


class Settings:
    """The keys of a file."""

    def __init__(self, file: str, simulator: str, entries: Iterable[Entry]) -> None:
        self.file = file
        self.simulator = simulator
        self.warnings: list[str] = []
        self._entries: dict[str, Entry] = {}
        for entry in entries:
            self._add(entry)
        self._asked: set[str] = set()

    def _add(self, entry: Entry) -> None:
        """If a key occurs several times, the last one counts."""
        before = self._entries.get(entry.key)
        self._entries[entry.key] = entry
        if before is not None and before.value != entry.value:
            self.warn(
                entry.key, f"counts instead of {before.value} in line {before.line}; the file may have several drives"
            )

    def has(self, key: str) -> bool:
        """Returns True if the file sets the key."""
        return key in self._entries

    def names(self) -> list[str]:
        """Returns all keys of the file."""
        return list(self._entries)

    def where(self, key: str) -> str:
        """Returns the place where the key is set, for a comment."""
        entry = self._entries.get(key)
        return f"{Path(self.file).name}:{entry.line} {key}" if entry else f"{key}, {self.simulator}'s default"

    def warn(self, key: str, reason: str) -> None:
        """Records a warning: the key has no meaning here, or another one."""
        entry = self._entries.get(key)
        if entry is None:
            self.warnings.append(f"{self.file}: {key}: {reason}")
        else:
            self.warnings.append(f"{self.file}:{entry.line}: {key} = {entry.value}: {reason}")

    def error(self, key: str, message: str, fix: str) -> ImportedFileError:
        """Returns an error at the key."""
        entry = self._entries.get(key)
        return ImportedFileError(self.file, entry.line if entry else 0, key, message, fix)

    def text(self, key: str, default: str) -> str:
        """Returns a key's text."""
        first_time = key not in self._asked
        self._asked.add(key)
        entry = self._entries.get(key)
        if entry is not None:
            return entry.value
        if first_time and default:
            self.warn(key, f"is not in the file; {self.simulator}'s own default {default} is used")
        return default

    def integer(self, key: str, default: int, low: int = 0, high: int = 2**63 - 1) -> int:
        """Returns a key's whole number, within its range."""
        value = self.number(key, default, low, high)
        if value != int(value):
            raise self.error(key, f"{value} is not a whole number", f"write one from {low} to {high}")
        return int(value)

    def number(self, key: str, default: float | int, low: float = 0.0, high: float = 1e18) -> float:
        """Returns a key's number, within its range."""
        text = self.text(key, f"{default:g}" if isinstance(default, float) else str(default))
        try:
            value = float(int(text, 0)) if text.lower().startswith("0x") else float(text)
        except ValueError:
            raise self.error(key, f"`{text}` is not a number", f"write one from {low:g} to {high:g}") from None
        if not low <= value <= high:
            raise self.error(key, f"{text} is out of range", f"write a number from {low:g} to {high:g}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Returns a key that is on or off."""
        return self.text(key, str(int(default))).lower() not in ("0", "false")

    def ignore(self, keys: Iterable[str]) -> None:
        """Marks keys as used."""
        self._asked.update(keys)

    def unused(self, reasons: Mapping[str, str]) -> None:
        """Warns about all unused keys, one line for each reason."""
        by_reason: dict[str, list[Entry]] = {}
        for key, entry in self._entries.items():
            if key not in self._asked:
                by_reason.setdefault(reasons.get(key, "has no counterpart here"), []).append(entry)
        for reason, entries in by_reason.items():
            entries_text = ", ".join(f"{entry.key} = {entry.value}" for entry in entries)
            self.warnings.append(f"{self.file}:{entries[0].line}: {entries_text}: {reason}")
