"""One point, in whatever process it is run."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import BuildError
from ..progress import Progress
from ..result import Result
from .identity import build
from .outcome import Values
from .perform import perform
from .point import Task
from .store import DamagedPointError, Store

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = ["Job", "begin", "work"]

# What a run gets to stop by itself once the study is given up; a computation cannot be asked.
GRACE_S = 0.3


class StoppedError(Exception):
    """The study was given up."""


@dataclass(frozen=True)
class Job:
    """A task for a worker, and where its result goes.

    Attributes:
        task: What to do.
        key: The name of the result; None where it is not kept.
        store: Where results are kept, as far as the worker can reach it.
        build: The simulator that the result must come from; None where the worker is a child of this process.
    """

    task: Task
    key: str | None = None
    store: Store | None = None
    build: str | None = None


class _Process:
    """What a worker process knows of its parent."""

    is_child = False
    is_stopped = False


def begin(alive: Connection) -> None:
    """Prepares a new process: Ctrl-C is for its parent to act on, which closes the other end of `alive`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Process.is_child = True
    threading.Thread(target=_end_with_parent, args=(alive,), daemon=True).start()


def work(job: Job) -> tuple[Result | Values, float]:
    """Does a job, unless another process has done it already; says how long it took on the wall, s.

    The result is on disk before anybody hears of it: a process that is killed at any moment loses at most
    the point that it is at.

    Raises:
        BuildError: This machine has another simulator than the one that asks.
        Exception: What the task raises.
    """
    if job.build is not None and job.build != build():
        raise BuildError("a worker has another build of Wordline; install the same one on every machine")
    store = job.store if job.store is not None and job.store.folder.is_dir() else None
    if store is not None and job.key is not None:
        # Whoever asked has told of a damaged one.
        with contextlib.suppress(DamagedPointError):
            done = store.get(job.key)
            if done is not None:
                return done, 0.0
    _watch(None)
    begun = time.perf_counter()
    result = perform(job.task, _watch if _Process.is_child else None)
    wall_s = time.perf_counter() - begun
    if store is not None and job.key is not None:
        # Whoever asked tries again, and tells where it cannot be kept.
        with contextlib.suppress(OSError):
            store.put(job.key, result)
    return result, wall_s


def _watch(progress: Progress | None) -> None:
    """Ends the run when the study is given up."""
    del progress
    if _Process.is_stopped:
        raise StoppedError


def _end_with_parent(alive: Connection) -> None:
    """Waits until the parent gives the study up, or ends, however it comes; then nobody would ever ask for more.

    A pipe, not an event of `multiprocessing`: setting one hangs when a process that waits for it was killed.
    """
    parent = multiprocessing.parent_process()
    multiprocessing.connection.wait([alive, *([parent.sentinel] if parent is not None else [])])
    _Process.is_stopped = True
    time.sleep(GRACE_S)
    os._exit(1)
