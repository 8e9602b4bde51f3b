"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .workplace import NEW, undisturbed, workplace

__all__ = ["file", "take_place"]

IS_WINDOWS = sys.platform == "win32"
# How long to wait for a reader of a file that is to be replaced, s.
WAITS_S = (0.01, 0.05, 0.2, 1.0)


def file(target: Path, write: Callable[[Path], object]) -> None:
    """Lets `write` make a file of the same name in a workplace, then puts it at its place; a link leads to the place.

    A device or a pipe, such as `/dev/null`, is written to: nothing takes its place.

    Raises:
        OSError: from writing.
    """
    place = Path(os.path.realpath(target))
    if place.exists() and not place.is_file():
        _into(target, write)
        return
    with workplace(place) as work:
        write(work / NEW / place.name)
        with undisturbed():
            take_place(work / NEW / place.name, place)


def _into(target: Path, write: Callable[[Path], object]) -> None:
    """Writes to what is no regular file."""
    with tempfile.TemporaryDirectory() as place:
        work = Path(place) / target.name
        write(work)
        with work.open("rb") as whole, target.open("wb") as out:
            shutil.copyfileobj(whole, out)


def take_place(work: Path, target: Path) -> None:
    """Gives a file its name, over one that is there.

    Raises:
        OSError: The system does not let it.
    """
    for wait_s in WAITS_S:
        try:
            work.replace(target)
        except PermissionError:
            # Windows replaces no file that somebody reads; that does not take long.
            if not IS_WINDOWS:
                raise
            time.sleep(wait_s)
        else:
            return
    work.replace(target)
