"""What a path leads to, when the path is any text of a user."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["is_file", "is_folder"]


def is_file(path: str | os.PathLike[str]) -> bool:
    """Returns whether a path leads to a file; False as well for a text that no file system takes as a path.

    `Path.is_file` raises an error for a name that is too long.
    """
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Returns whether a path leads to a folder; see `is_file`."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False
