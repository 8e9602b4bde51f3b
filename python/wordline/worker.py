"""One point of a comparison, in a process of its own."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .api import run
from .config import Config
from .progress import Progress
from .result import Result
from .workload import Flow, Workload

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event

__all__ = ["Task", "begin", "work"]


class StoppedError(Exception):
    """The comparison was given up."""


@dataclass(frozen=True)
class Task:
    """What one process is to run."""

    config: Config
    flows: list[Flow]
    check: bool

    def resolve(self) -> None:
        """Finds mistakes in the configuration of any flow."""
        for flow in self.flows:
            if isinstance(flow.workload, Workload):
                flow.workload.config(self.config)


_stop: Event | None = None


def begin(stop: Event) -> None:
    """Prepares a new process: Ctrl-C is for its parent to act on, which sets `stop`."""
    global _stop  # noqa: PLW0603 - the state of a process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _stop = stop
    threading.Thread(target=_end_with_parent, daemon=True).start()


def work(task: Task) -> tuple[Result, float]:
    """Runs a point; says how long it took on the wall, s."""
    _watch(None)
    begun = time.perf_counter()
    result = run(task.config, task.flows, check=task.check, progress=_watch)
    return result, time.perf_counter() - begun


def _watch(progress: Progress | None) -> None:
    """Ends the run when the comparison is given up."""
    del progress
    if _stop is not None and _stop.is_set():
        raise StoppedError


def _end_with_parent() -> None:
    """Waits for the end of the parent, however it comes, and goes too: nobody would ever ask for more."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)
