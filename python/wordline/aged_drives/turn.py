"""Who ages a drive: one process at a time, and the others that want it wait."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["Turn", "is_held"]


class Turn:
    """A lock that a process holds while it ages a drive, and that ends with the process however that ends.

    Its file is removed with the turn. Of two processes that begin in that moment both may hold it: then both age the
    drive, and each puts a whole file in the other's place.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None
        self._is_mine = False

    def take(self) -> bool:
        """Takes it; False while another process holds it. Where there are no locks nobody waits for anybody."""
        if self._handle is None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError:
                return True
        self._is_mine = not _is_taken(self._handle)
        return self._is_mine

    def end(self) -> None:
        """Lets others have it."""
        if self._handle is None:
            return
        if self._is_mine:
            with suppress(OSError):
                self.path.unlink()
        os.close(self._handle)
        self._handle = None


def is_held(path: Path) -> bool:
    """Returns whether somebody works on a file, and so holds its lock."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return _is_taken(handle)
    finally:
        os.close(handle)


def _is_taken(handle: int) -> bool:
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
