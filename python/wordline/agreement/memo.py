"""What was simulated before, in a file: a fit that was stopped goes on from there."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import _core
from ..config import Config
from ..measured import Numbers, Point
from ..storage import named
from .flows import Length
from .history import History

__all__ = ["Memo"]


@dataclass
class Memo:
    """Numbers by what decides them. Lines that are no such numbers, as of a write that was cut off, are passed over.

    Attributes:
        path: The file, a line for each load; None: they are kept in memory alone.
        unkept: Why numbers are no longer written to it, if a write has failed.
    """

    path: Path | None = None
    unkept: OSError | None = None
    _known: dict[str, list[Numbers]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.path is None or not self.path.exists():
            return
        for line in self.path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
                self._known[entry["key"]] = [Numbers(**each) for each in entry["numbers"]]
            except (ValueError, KeyError, TypeError):
                continue

    def key(self, config: Config, length: Length, alike: Sequence[Point], history: History | None = None) -> str:
        """Returns what decides the numbers of points of one load, as a hash."""
        first = alike[0]
        decides = (_core.__version__, config.hash, length, first.loads, first.numbers.iops, [each.op for each in alike])
        before = () if history is None else (history.kinds, history.drive(config).hash)
        return hashlib.sha256(repr((*decides, *before)).encode()).hexdigest()[:24]

    def get(self, key: str, count: int) -> list[Numbers] | None:
        """Returns the numbers of a key, if they are known and as many."""
        known = self._known.get(key)
        return known if known is not None and len(known) == count else None

    def add(self, key: str, numbers: list[Numbers]) -> None:
        """Keeps numbers; those of a search that goes on are worth more than a file without room."""
        with self._lock:
            self._known[key] = numbers
            if self.path is None or self.unkept is not None:
                return
            line = json.dumps({"key": key, "numbers": [each.to_dict() for each in numbers]})
            try:
                with named(self.path), self.path.open("a", encoding="utf-8") as file:
                    # The line before may have been cut off.
                    file.write(f"\n{line}\n")
            except OSError as problem:
                self.unkept = problem
