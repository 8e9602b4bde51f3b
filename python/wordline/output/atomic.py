"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

RECORD = "run.toml"
"""The record of what decided a result."""

IS_WINDOWS = sys.platform == "win32"
# The file that is locked where folders cannot be.
LOCK = ".wordline.lock"
# How long to wait for whoever reads a file that is to be replaced, s.
WAITS_S = (0.01, 0.05, 0.2, 1.0)

# A folder with one of these is a result of ours, which a new one may replace.
RESULTS = (
    "result.json",
    "compare.json",
    "scenarios.json",
    "claims.json",
    "sweep.json",
    "characterize.json",
    "pts.json",
    "readings.json",
)


def check_folder(target: Path) -> None:
    """Makes sure, before a long run, that a result can go to `target`.

    Raises:
        FileExistsError: when something else than an earlier result stands there.
        NotADirectoryError: when part of the path is a file.
        PermissionError: when the folder that is to hold it cannot be written.
    """
    if target.is_dir():
        if any(target.iterdir()) and not any((target / name).is_file() for name in RESULTS):
            raise FileExistsError(errno.EEXIST, "exists and holds no earlier result", str(target))
    elif target.exists():
        raise FileExistsError(errno.EEXIST, "exists and is no folder", str(target))
    parent = target.absolute().parent
    while not parent.exists():
        parent = parent.parent
    if not parent.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "is no folder", str(parent))
    if not os.access(parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "no permission to write here", str(parent))


@contextmanager
def folder(target: Path) -> Iterator[Path]:
    """A temporary folder beside `target`, which takes its place when the block ends well; else it is removed.

    Of two processes that write to one target each leaves it whole; what the last one wrote stays.

    Raises:
        OSError: as `check_folder`, or from writing.
    """
    target = target.absolute()
    target.parent.mkdir(parents=True, exist_ok=True)
    # Its name is known before it is made: an interrupt at any moment finds what to remove.
    work = target.with_name(f".{target.name}.{os.urandom(4).hex()}.partial")
    try:
        work.mkdir()
        yield work
        with locked(target.parent):
            check_folder(target)
            _replace(target, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _replace(target: Path, work: Path) -> None:
    if not target.exists():
        work.replace(target)
        return
    # Windows puts no folder in the place of another, not even of an empty one: the old one goes into a new one.
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
    old = aside / target.name
    target.replace(old)
    try:
        work.replace(target)
    except OSError:
        old.replace(target)
        aside.rmdir()
        raise
    shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Waits until no other process has the lock of a folder, and has it meanwhile.

    Where a file system has no locks, nobody waits.
    """
    if sys.platform == "win32":
        # A folder cannot be opened there; a file in it is locked.
        import msvcrt

        path = place / LOCK
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

        handle = os.open(place, os.O_RDONLY)
        try:
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def file(target: Path, write: Callable[[Path], object]) -> None:
    """Lets `write` make a file beside `target` with the same ending, then gives it its name.

    A device or a pipe, such as `/dev/null`, is written to: nothing takes its place.

    Raises:
        OSError: from writing.
    """
    if target.exists() and not target.is_file():
        _into(target, write)
        return
    work = target.with_name(f".{target.stem}.{os.getpid()}.partial{target.suffix}")
    try:
        write(work)
        take_place(work, target)
    finally:
        work.unlink(missing_ok=True)


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
