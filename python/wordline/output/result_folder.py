"""Folders of results: each appears whole or not at all, and takes the place of an earlier result alone."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from ..storage import named
from . import manifest
from .workplace import NEW, OLD, free_name, locked, undisturbed, workplace

__all__ = ["RECORD", "check_folder", "folder"]

RECORD = "run.toml"
"""The record of what decided a result."""


def check_folder(target: Path) -> None:
    """Makes sure, before a long run, that a result can go to `target`.

    Raises:
        FileExistsError: Something else than the unchanged files of an earlier result is there.
        NotADirectoryError: Part of the path is a file.
        PermissionError: The folder that is to hold it cannot be written.
        OSError: It is a place of the system, or holds the working folder.
    """
    place = Path(os.path.realpath(target))
    # Another process may put its result there just now.
    with locked(place.parent) if place.parent.is_dir() else nullcontext():
        _check(target, place)


def _check(target: Path, place: Path) -> None:
    """Does what `check_folder` does; the caller has the lock of the folder above."""
    if place.is_dir():
        if os.path.ismount(place):
            raise OSError(errno.EBUSY, "is where a disk is mounted; name a folder in it", str(target))
        if (here := _working_folder()) is not None and here.is_relative_to(place):
            what = "is" if here == place else "holds"
            raise FileExistsError(
                errno.EEXIST, f"{what} the working folder; name a folder for the result alone", str(target)
            )
        if (why := manifest.obstacle(place)) is not None:
            raise FileExistsError(errno.EEXIST, why, str(target))
    elif os.path.lexists(place):
        raise FileExistsError(errno.EEXIST, "exists and is no folder", str(target))
    parent = place.parent
    while not parent.exists():
        parent = parent.parent
    if not parent.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "is no folder", str(parent))
    for each in (parent, *([place] if place.is_dir() else [])):
        if not os.access(each, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "no permission to write here", str(each))


@contextmanager
def folder(target: Path) -> Iterator[Path]:
    """A new folder, which takes the place of `target` when the block ends well; else it is removed.

    It gets a list of its files (`manifest`), and replaces only what such a list names. Of two processes that write to
    one target each leaves it whole; what the last one wrote stays.

    Raises:
        FileExistsError: Since the work began, something else has come to the target; the message says where the result
            is instead.
        OSError: As `check_folder`, or from writing.
    """
    check_folder(target)
    # The place that a link leads to: the link stays.
    place = Path(os.path.realpath(target))
    with named(target), workplace(place) as work:
        new = work / NEW / place.name
        new.mkdir()
        yield new
        manifest.write(new)
        with undisturbed(), locked(place.parent):
            try:
                _check(target, place)
            except FileExistsError as problem:
                beside = free_name(place)
                new.replace(beside)
                why = f"{problem.strerror}; the result is in {beside}"
                raise FileExistsError(errno.EEXIST, why, str(target)) from None
            _take_place(new, place, work / OLD / place.name)


def _working_folder() -> Path | None:
    try:
        return Path.cwd()
    except FileNotFoundError:
        # Somebody has removed it.
        return None


def _take_place(new: Path, target: Path, old: Path) -> None:
    # No system puts a folder in the place of one that is not empty, Windows not even of an empty one.
    if target.exists():
        target.replace(old)
    try:
        new.replace(target)
    except OSError:
        if old.exists():
            old.replace(target)
        raise
