"""The identity of a file that a run read: its length and its SHA-256."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import TraceNotFoundError

__all__ = ["InputFile"]


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that a run read.

    Attributes:
        path: Its absolute path.
        bytes: Its length.
        sha256: Of its content, hexadecimal.
    """

    path: str
    bytes: int
    sha256: str

    @staticmethod
    def of(path: str | Path) -> InputFile:
        """Reads a file.

        Raises:
            TraceNotFoundError: It does not exist, or cannot be read.
        """
        place = Path(path).absolute()
        try:
            state = place.stat()
            return InputFile(str(place), state.st_size, _content(str(place), state.st_size, state.st_mtime_ns))
        except OSError as error:
            raise TraceNotFoundError(f"{path}: {(error.strerror or 'not there').lower()}; check the path") from None

    def to_dict(self) -> dict[str, Any]:
        """Returns a table for TOML."""
        return {"path": self.path, "bytes": self.bytes, "sha256": self.sha256}


@functools.cache
def _content(path: str, size: int, time_ns: int) -> str:
    """The arguments make it read the file again when its length or time changes."""
    del size, time_ns
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
