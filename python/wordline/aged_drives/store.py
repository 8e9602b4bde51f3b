"""The folder of aged drives: one file a drive, those that were not used for longest go first."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from .. import _core
from ..errors import ConfigError
from ..files import cache_folder, mark_cache
from .turn import is_held

__all__ = ["SUFFIX", "VARIABLE", "Entry", "Store", "ago"]

FOLDER = "drives"
SUFFIX = ".drive"
TURN = ".turn"
# What the core writes into until a file is whole.
PART = ".wordline-part"
VARIABLE = "WORDLINE_DRIVES_GB"
BYTES_MAX, FREE_SHARE = 20e9, 0.1
"""Drives take so much room at most, and not more than this share of what would be free without them."""
UNITS_S = ((86_400.0, "days"), (3_600.0, "h"), (60.0, "min"), (1.0, "s"))


class Entry(NamedTuple):
    """A drive that is kept.

    Attributes:
        path: Its file.
        drive: The name of the SSD.
        size_bytes: Bytes of the file.
        aged_at_s: When it was aged, Unix time, s.
        aging_s: How long that took, s.
        used_at_s: When a run last began with it, Unix time, s.
    """

    path: Path
    drive: str
    size_bytes: int
    aged_at_s: float
    aging_s: float
    used_at_s: float


class Store:
    """A folder of aged drives, for several processes at once.

    Args:
        folder: The folder, which need not be there.
        bytes_max: What all drives may take, bytes; None: 20 GB, or a tenth of what would be free without them.
    """

    def __init__(self, folder: Path, bytes_max: float | None = None) -> None:
        self.folder = folder
        self._bytes_max = bytes_max

    @staticmethod
    def of_user() -> Store:
        """Returns the store in the user's cache, of the size that `WORDLINE_DRIVES_GB` says.

        Raises:
            ConfigError: The variable is no number.
        """
        given = os.environ.get(VARIABLE)
        if not given:
            return Store(cache_folder() / FOLDER)
        try:
            limit_gb = float(given)
        except ValueError:
            limit_gb = -1.0
        if not 0 <= limit_gb < float("inf"):
            raise ConfigError(f"{VARIABLE}={given}: no size; give GB for aged drives, or 0 to keep none")
        return Store(cache_folder() / FOLDER, limit_gb * 1e9)

    @property
    def is_off(self) -> bool:
        """Returns whether no drive is kept, and none taken."""
        return self._bytes_max == 0

    @property
    def bytes_max(self) -> int:
        """What all drives may take, bytes."""
        if self._bytes_max is not None:
            return int(self._bytes_max)
        there = next((each for each in (self.folder, *self.folder.absolute().parents) if each.is_dir()), Path.cwd())
        try:
            free = shutil.disk_usage(there).free + sum(size for _, size, _ in self._files())
        except OSError:
            return int(BYTES_MAX)
        return int(min(BYTES_MAX, FREE_SHARE * free))

    def prepare(self) -> None:
        """Makes the folder.

        Raises:
            OSError: It cannot be made.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        mark_cache(self.folder)

    def turn(self, key: str) -> Path:
        """Returns the file whose lock is held by who ages a drive."""
        return self.folder / f"{key}{TURN}"

    def files(self, key: str) -> list[Path]:
        """Returns the files of drives of a key, whichever simulator and content of traces made them."""
        return [path for path in self._names(SUFFIX) if path.name.startswith(f"{key}-")]

    def entries(self) -> list[Entry]:
        """Returns what is there, the last used first. What is no drive of a Wordline that is known says so."""
        found = []
        for path, size, used_at_s in self._files():
            try:
                about = json.loads(_core.about_aged(os.fspath(path)))
                entry = Entry(path, str(about["drive"]), size, float(about["at_s"]), float(about["took_s"]), used_at_s)
            except (OSError, ValueError, KeyError, TypeError):
                entry = Entry(path, "damaged", size, used_at_s, 0.0, used_at_s)
            found.append(entry)
        return sorted(found, key=lambda entry: entry.used_at_s, reverse=True)

    def make_room(self, kept: Path) -> None:
        """Removes drives, the least recently used first, until all that are left have room; and what the dead left."""
        limit = self.bytes_max
        files = sorted(self._files(), key=lambda file: file[2])
        total = sum(size for _, size, _ in files)
        for path, size, _ in files:
            if total <= limit:
                break
            if path != kept:
                with suppress(OSError):
                    path.unlink()
                    total -= size
        self._sweep()

    def clear(self) -> int:
        """Removes all drives; returns how many bytes that frees.

        Raises:
            OSError: One cannot be removed.
        """
        freed = 0
        for path, size, _ in self._files():
            path.unlink(missing_ok=True)
            freed += size
        self._sweep()
        return freed

    def _sweep(self) -> None:
        """Removes what killed processes have left."""
        for path in self._names(TURN, PART):
            if not is_held(path):
                with suppress(OSError):
                    path.unlink()

    def _files(self) -> list[tuple[Path, int, float]]:
        """Path, bytes and time of the last use of each drive."""
        found = []
        for path in self._names(SUFFIX):
            with suppress(OSError):
                state = path.stat()
                found.append((path, state.st_size, state.st_mtime))
        return found

    def _names(self, *suffixes: str) -> Iterator[Path]:
        try:
            with os.scandir(self.folder) as entries:
                names = [each.name for each in entries if each.is_file(follow_symlinks=False)]
        except OSError:
            return
        yield from (self.folder / name for name in sorted(names) if name.endswith(suffixes))


def ago(seconds: float) -> str:
    """Returns how long ago something was."""
    for unit_s, unit in UNITS_S:
        if seconds >= unit_s:
            return f"{seconds / unit_s:.0f} {unit} ago"
    return "just now"
