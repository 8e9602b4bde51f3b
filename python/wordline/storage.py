"""Faults of a disk name the file that the user asked for: when a write fails, the system names none, or a part."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["FAULTS", "named"]

FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""The system's errors for a full or a broken disk."""


@contextmanager
def named(target: Path, part: str = ".partial") -> Iterator[None]:
    """Gives a fault of a disk within the block the name of the target, unless it names another file.

    Args:
        target: What is made, as the user calls it.
        part: What is in the names of unfinished files.

    Raises:
        OSError: The fault, with its file.
    """
    try:
        yield
    except OSError as problem:
        if problem.errno not in FAULTS or (problem.filename and part not in os.fsdecode(problem.filename)):
            raise
        raise OSError(problem.errno, os.strerror(problem.errno), os.fspath(target)) from problem
