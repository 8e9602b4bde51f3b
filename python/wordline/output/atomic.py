"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..storage import named
from .workplace import NEW, undisturbed, workplace

__all__ = ["file", "files", "take_place"]

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
    if _is_special(place):
        with named(target):
            _into(target, write)
        return
    with _made(target, write) as work, undisturbed():
        take_place(work, place)


def files(*targets: tuple[Path, Callable[[Path], object]]) -> None:
    """Makes several files as `file` does, such as a figure and its data; none takes its place before all are whole.

    Raises:
        OSError: from writing.
    """
    with ExitStack() as stack:
        places = [Path(os.path.realpath(target)) for target, _ in targets]
        made = [
            (stack.enter_context(_made(target, write)), place)
            for (target, write), place in zip(targets, places, strict=True)
            if not _is_special(place)
        ]
        with undisturbed():
            for work, place in made:
                take_place(work, place)
        for (target, write), place in zip(targets, places, strict=True):
            if _is_special(place):
                file(target, write)


def _is_special(place: Path) -> bool:
    return place.exists() and not place.is_file()


@contextmanager
def _made(target: Path, write: Callable[[Path], object]) -> Iterator[Path]:
    """A new file in a workplace, which is removed with all that is still in it."""
    place = Path(os.path.realpath(target))
    with named(target), workplace(place) as work:
        write(work / NEW / place.name)
        yield work / NEW / place.name


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
