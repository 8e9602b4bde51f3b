"""Hidden folders beside a target, in which files are made until they are whole.

A process that works in one holds the lock of a file in it. A place whose lock is free was left by a process that was
killed: the next one that works beside it removes it.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from . import manifest

__all__ = ["NEW", "OLD", "free_name", "locked", "undisturbed", "workplace"]

# The file that is locked where folders cannot be.
FOLDER_LOCK = ".wordline.lock"
# The file of a workplace that is locked while somebody works there, and what it says.
LOCK, MARK = "lock", "Wordline works here, or was killed here.\n"
NAME = re.compile(r"\..+\.[0-9a-f]{8}\.partial", re.DOTALL)
# A name on disk has up to 255 bytes.
NAME_MAX = 48

NEW, OLD = "new", "old"
"""The folders of a workplace: for what is made, and for what it replaces."""


@contextmanager
def workplace(target: Path) -> Iterator[Path]:
    """Makes a workplace beside a file or folder that is to be made, and removes it; removes those of killed processes.

    Raises:
        OSError: It cannot be made.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    # Its name is known before it is made: an interrupt at any moment finds what to remove.
    place = target.with_name(f".{target.name[:NAME_MAX]}.{os.urandom(4).hex()}.partial")
    handle = None
    try:
        with locked(target.parent):
            _sweep(target.parent)
            place.mkdir()
            handle = _lock_of(place, make=True)
        for each in (NEW, OLD):
            (place / each).mkdir()
        yield place
    finally:
        with undisturbed():
            if handle is not None:
                os.close(handle)
            _remove(place)


def _sweep(parent: Path) -> None:
    """Removes the workplaces of killed processes. The caller has the lock of the folder that they are in."""
    with os.scandir(parent) as entries:
        places = [
            parent / each.name for each in entries if NAME.fullmatch(each.name) and each.is_dir(follow_symlinks=False)
        ]
    for place in places:
        with suppress(OSError):
            if not any(place.iterdir()):
                # Killed before it had its lock, or after it had given it up.
                place.rmdir()
                continue
            handle = _lock_of(place, make=False)
            if handle is not None:
                os.close(handle)
                _remove(place)


def _lock_of(place: Path, *, make: bool) -> int | None:
    """Opens and locks the file of a workplace; None if this is no workplace.

    Raises:
        BlockingIOError: Somebody works there, or nobody can know it.
    """
    path = place / LOCK
    if not make and (path.is_symlink() or not path.is_file() or path.stat().st_size > len(MARK)):
        return None
    handle = os.open(path, os.O_RDWR | (os.O_CREAT | os.O_EXCL if make else 0))
    try:
        _lock(handle)
    except OSError:
        # Without locks nobody else can tell that somebody works here, and nobody removes it.
        if not make:
            os.close(handle)
            raise
    if make:
        os.write(handle, MARK.encode())
    elif os.read(handle, len(MARK)) not in (MARK.encode(), b""):
        os.close(handle)
        return None
    return handle


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        # Behind the text: Windows lets nobody read what is locked.
        os.lseek(handle, len(MARK), os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove(place: Path) -> None:
    """Removes a workplace; a result that was about to be replaced goes back, if nothing has taken its place."""
    with suppress(OSError):
        for old in (place / OLD).iterdir():
            target = place.with_name(old.name)
            if not os.path.lexists(target):
                old.replace(target)
            elif not manifest.remove(old):
                # Something came to it after it was looked at: nobody but its owner can say what that is worth.
                old.replace(free_name(target))
    shutil.rmtree(place / NEW, ignore_errors=True)
    with suppress(OSError):
        if (place / OLD).exists():
            (place / OLD).rmdir()
        (place / LOCK).unlink(missing_ok=True)
        place.rmdir()


def free_name(target: Path) -> Path:
    """Returns a path beside a target at which nothing is."""
    number = 2
    while os.path.lexists(path := target.with_name(f"{target.name}-{number}")):
        number += 1
    return path


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Waits until no other process has the lock of a folder, and has it meanwhile.

    Where a file system has no locks, nobody waits.
    """
    if sys.platform == "win32":
        # A folder cannot be opened there; a file in it is locked.
        import msvcrt

        path = folder / FOLDER_LOCK
        handle = os.open(path, os.O_RDWR | os.O_CREAT)
        try:
            with suppress(OSError):
                msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
            yield
        finally:
            os.close(handle)
            with suppress(OSError):
                path.unlink()
    else:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
        try:
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


@contextmanager
def undisturbed() -> Iterator[list[int]]:
    """Lets what must not be left half-done end before Ctrl-C or SIGTERM is heard; gives the signals that came so far.

    Who empties that list has done what they ask for.
    """
    heard: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        del frame
        heard.append(number)

    before = {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, hear)
    except ValueError:
        # Signals interrupt the main thread alone.
        yield heard
        return
    try:
        yield heard
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if heard:
            signal.raise_signal(heard[0])
