"""Runs the loads of measured points on drives, each load once, on several cores."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from .._core import Drives
from ..api import run
from ..config import Config
from ..errors import WordlineError, WorkloadError
from ..measured import Load, Numbers, Point
from ..measured.of_run import numbers_of
from ..measured.point import Op
from ..progress import ProgressCallback
from .flows import REPLAY, Length, flows_of, window_of
from .history import History, UsedDrives
from .jobs import jobs_within
from .memo import Memo

__all__ = ["Length", "Simulator"]

Progress = Callable[[int, int], object]


@dataclass
class Simulator:
    """Simulates measured points. Points of one load share a run, and runs that begin alike share a drive.

    Attributes:
        length: How much is simulated for a point.
        jobs: Simulations at a time.
        memo: What was simulated before; it is added to.
        executor: Does the simulations instead of threads, such as that of a Dask cluster.
        history: What came before each load; None: a drive as its configuration says.
        load_runs: How many loads were simulated.
    """

    length: Length = field(default_factory=Length)
    jobs: int = 1
    memo: Memo = field(default_factory=Memo)
    executor: Executor | None = None
    history: History | None = None
    load_runs: int = 0
    _drives: Drives = field(default_factory=Drives)
    _used: UsedDrives | None = None
    _is_stopped: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        """Prepares for drives that the history leaves.

        Raises:
            WorkloadError: They are wanted on other machines.
        """
        if self.history is None:
            return
        if self.executor is not None:
            raise WorkloadError("a history is run on one machine: leave out the cluster (--dask)")
        self._used = UsedDrives(self.history)

    @property
    def runs(self) -> int:
        """How many simulations were made, with those of the history."""
        return self.load_runs + self.history_runs

    @property
    def history_runs(self) -> int:
        """How many of them are those of the history: one for each of its kinds, load and drive that it makes."""
        return 0 if self._used is None else self._used.runs

    def numbers(self, config: Config, points: Sequence[Point], progress: Progress | None = None) -> list[Numbers]:
        """Returns what the points measure on a drive; see `batch`."""
        return self.batch([(config, points)], progress)[0]

    def batch(
        self, drives: Sequence[tuple[Config, Sequence[Point]]], progress: Progress | None = None
    ) -> list[list[Numbers]]:
        """Returns what points measure on each of several drives.

        Raises:
            WordlineError: A load does not fit a drive; the message names the point.
        """
        gave: dict[tuple[int, tuple[Load, ...], Op], Numbers] = {}
        self._is_stopped.clear()
        if self._used is not None:
            self._used.make_room()
        with self._pool() as pool:
            tasks: dict[Future[list[Numbers]], _Task] = {}
            for number, (config, points) in enumerate(drives):
                base = config.set_all(REPLAY)
                for alike in _by_load(points):
                    key = self.memo.key(base, self.length, alike, self.history)
                    known = self.memo.get(key, len(alike))
                    task = _known(known) if known is not None else self._submit(pool, base, alike)
                    tasks[task] = _Task(number, alike, None if known is not None else key)
            try:
                for done, task in enumerate(as_completed(tasks), 1):
                    number, alike, new = tasks[task]
                    numbers = task.result()
                    if new is not None:
                        self.load_runs += 1
                        self.memo.add(new, numbers)
                    for point, each in zip(alike, numbers, strict=True):
                        gave[number, point.loads, point.op] = each
                    if progress is not None:
                        progress(done, len(tasks))
            except BaseException:
                self._is_stopped.set()
                for task in tasks:
                    task.cancel()
                raise
        return [[gave[number, point.loads, point.op] for point in points] for number, (_, points) in enumerate(drives)]

    @contextmanager
    def _pool(self) -> Iterator[Executor]:
        """The executor, or threads, which are enough on one machine: a simulation leaves Python alone."""
        if self.executor is not None:
            yield self.executor
            return
        with ThreadPoolExecutor(self.jobs) as pool:
            yield pool

    def _submit(self, pool: Executor, config: Config, alike: Sequence[Point]) -> Future[list[Numbers]]:
        if self.executor is not None:
            # Other processes have drives of their own.
            return pool.submit(simulated, config, alike, self.length)
        return pool.submit(simulated, config, alike, self.length, self._drives, self._used, self._go_on)

    def _go_on(self, _: object) -> None:
        """Ends the run that tells its progress here, once Ctrl-C or an error has ended the batch."""
        if self._is_stopped.is_set():
            raise CancelledError


class _Task(NamedTuple):
    """The points of a load on one of the drives, and the key under which their numbers are kept if they are new."""

    drive: int
    alike: list[Point]
    new: str | None


def _known(numbers: list[Numbers]) -> Future[list[Numbers]]:
    """Returns a task that is done."""
    task: Future[list[Numbers]] = Future()
    task.set_result(numbers)
    return task


def simulated(
    config: Config,
    alike: Sequence[Point],
    length: Length,
    drives: Drives | None = None,
    used: UsedDrives | None = None,
    watch: ProgressCallback | None = None,
) -> list[Numbers]:
    """Runs the load of some points on a drive, or on what a history leaves of it, and returns the numbers of each.

    Raises:
        WordlineError: The load does not fit the drive; the message names the point.
    """
    first = alike[0]
    whole_bytes = config.host_bytes / config["ssd.scale"]
    if any(load.first_byte + (load.range_bytes or 0) > whole_bytes for load in first.loads):
        raise WorkloadError(f"{first.where}: {first.name}: its range ends behind the drive; name a larger one")
    window = window_of(first, config, length)
    try:
        if used is None:
            flows = flows_of(first.loads, window)
            result = run(config, flows, drives=drives, progress=watch)
        else:
            flows = jobs_within(first.loads, config, window)
            state = used.state(config, first, length, watch)
            result = run(config, flows, load_state=state, go_on=True, progress=watch)
    except WordlineError as error:
        error.args = (f"{first.where}: {first.name}: {error}",)
        raise
    names = [flow.name for flow in flows if flow.name.startswith("0.")]
    own_us = config["host.job_ns"] / 1000
    document, columns = result.document, result.columns
    return [numbers_of(document, columns, names, point.op, own_us, window.length_s) for point in alike]


def _by_load(points: Sequence[Point]) -> list[list[Point]]:
    """Returns the points of each load, those of one kind of request once."""
    loads: dict[tuple[Load, ...], dict[Op, Point]] = {}
    for point in points:
        loads.setdefault(point.loads, {}).setdefault(point.op, point)
    return [list(each.values()) for each in loads.values()]
