"""Runs one point, in any process."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._core import Drives
from ..errors import BuildError
from ..progress import Progress, ProgressCallback
from ..result import Result
from .identity import build
from .outcome import Values
from .perform import perform
from .point import Task
from .store import DamagedPointError, Store
from .under_way import share_of_run

if TYPE_CHECKING:
    from collections.abc import MutableSequence
    from multiprocessing.connection import Connection

__all__ = ["Job", "begin", "work", "work_as_child"]

GRACE_S = 0.3


class StoppedError(Exception):
    """The study was given up."""


@dataclass(frozen=True)
class Job:
    """A task for a worker, and the place of its result.

    Attributes:
        task: The task.
        key: The name of the result; None if it is not stored.
        store: Where results are stored, if the worker can access it.
        build: The simulator that the result must come from; None if the worker is a child of this process.
        drive: A number that jobs share which begin on the same preconditioned SSD; None if it shares it with none.
    """

    task: Task
    key: str | None = None
    store: Store | None = None
    build: str | None = None
    drive: int | None = None


class _Process:
    """The worker process's connection to its parent."""

    is_child = False
    is_stopped = False
    # It ends with its grid, and so does what it keeps.
    drives: Drives | None = None
    shares: MutableSequence[float] | None = None


def begin(alive: Connection, shares: MutableSequence[float] | None = None) -> None:
    """Prepares a new process: the parent handles Ctrl-C, and then closes the other end of `alive`.

    If anybody wants to know, the process writes into `shares` how much of its current job is done.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    _Process.is_child = True
    _Process.drives = Drives()
    _Process.shares = shares
    threading.Thread(target=_end_with_parent, args=(alive,), daemon=True).start()


def work_as_child(job: Job, number: int) -> tuple[Result | Values, float]:
    """Does a job in a process that `begin` has prepared; `number` is the job's place in the shares."""
    shares = _Process.shares
    tell = None if shares is None else functools.partial(shares.__setitem__, number)
    return work(job, tell, _Process.drives)


def work(
    job: Job, tell: Callable[[float], object] | None = None, drives: Drives | None = None
) -> tuple[Result | Values, float]:
    """Does a job, unless another process has already done it; returns its wall time, s, too.

    The result is on disk before it is reported: a process that is killed at any moment loses at most its current point.

    Args:
        job: The job.
        tell: Gets the share of it that is done, about ten times a second, if it is a run.
        drives: Keeps a preconditioned SSD for the next job.

    Raises:
        BuildError: This machine has another build of the simulator.
        Exception: Any error of the task.
    """
    if job.build is not None and job.build != build():
        raise BuildError("a worker has another build of Wordline; install the same one on every machine")
    store = job.store if job.store is not None and job.store.folder.is_dir() else None
    if store is not None and job.key is not None:
        # The caller has already reported a damaged file.
        with contextlib.suppress(DamagedPointError):
            done = store.get(job.key)
            if done is not None:
                return done, 0.0
    _stop_if_given_up()
    begun = time.perf_counter()
    result = perform(job.task, _callback(tell), drives)
    wall_s = time.perf_counter() - begun
    if store is not None and job.key is not None:
        # The caller tries again, and reports if it cannot store it.
        with contextlib.suppress(OSError):
            store.put(job.key, result)
    return result, wall_s


def _callback(tell: Callable[[float], object] | None) -> ProgressCallback | None:
    """Returns the callback that a run gets; a computation cannot be stopped, and tells nothing."""
    report = None if tell is None else share_of_run(tell)
    if not _Process.is_child:
        return report

    def watch(now: Progress) -> None:
        _stop_if_given_up()
        if report is not None:
            report(now)

    return watch


def _stop_if_given_up() -> None:
    """Ends the run if the study is given up."""
    if _Process.is_stopped:
        raise StoppedError


def _end_with_parent(alive: Connection) -> None:
    """Waits until the parent gives the study up or ends in any way; then no more jobs can come.

    A pipe, not an event of `multiprocessing`: setting an event hangs if a process that waits for it was killed.
    """
    parent = multiprocessing.parent_process()
    multiprocessing.connection.wait([alive, *([parent.sentinel] if parent is not None else [])])
    _Process.is_stopped = True
    time.sleep(GRACE_S)
    os._exit(1)
