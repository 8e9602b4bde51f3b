"""Local processes that do jobs, and the handling of a killed one."""

from __future__ import annotations

import os
import signal
import sys
import types
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from .._core import Drives
from ..errors import ProcessKilledError
from ..result import Result
from . import worker
from .outcome import Values
from .queues import Queues
from .under_way import TELL_S

if TYPE_CHECKING:
    from .under_way import UnderWay

__all__ = ["Answer", "cores", "in_executor", "in_processes", "one_by_one"]

Answer = tuple[Result | Values, float] | Exception
"""A result with its wall time, s; or the error."""

# A job whose process is killed this many times counts as the cause.
KILLS_MAX = 3
# While more than so many jobs wait for each process, its next one lies ready: it does not wait between two.
READY_FROM = 2
# What glibc's allocator reads when a process starts. By default it gives memory back to the system whenever 128 KiB are
# free at its end, so each run would get it, cleared, anew.
MALLOC = {"MALLOC_TRIM_THRESHOLD_": str(256 << 20), "MALLOC_MMAP_THRESHOLD_": str(32 << 20)}


def cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_by_one(jobs: list[worker.Job], under_way: UnderWay | None = None) -> Iterator[tuple[int, Answer]]:
    """Does the jobs in this process; yields the number of each with its answer."""
    drives, queues = Drives(), Queues(enumerate(jobs), 1)
    while (number := queues.take(0)) is not None:
        job = jobs[number]
        tell = None if under_way is None else partial(under_way.set, number)
        try:
            answer: Answer = worker.work(job, tell, drives)
        except Exception as error:  # noqa: BLE001 - a job may raise anything; the others go on
            answer = error
        yield number, answer


def in_executor(jobs: list[worker.Job], executor: Executor) -> Iterator[tuple[int, Answer]]:
    """Does the jobs in an executor; yields them as they are done.

    If the caller stops or is interrupted, jobs that have not started are cancelled.

    Raises:
        BrokenExecutor: The executor cannot continue.
    """
    futures = {executor.submit(worker.work, job): number for number, job in enumerate(jobs)}
    return _collect(futures, lambda _: None)


Futures = dict[Future[tuple[Result | Values, float]], int]


def _collect(
    futures: Futures, ended: Callable[[int], object], under_way: UnderWay | None = None
) -> Iterator[tuple[int, Answer]]:
    """Yields the number of each future with its answer. `ended` gets the number first, and may add futures."""
    try:
        while futures:
            done, _ = wait(futures, None if under_way is None else TELL_S, FIRST_COMPLETED)
            if under_way is not None and not done:
                under_way.tell()
            broken: BaseException | None = None
            for future in done:
                number, error = futures.pop(future), future.exception()
                if error is not None and (isinstance(error, BrokenExecutor) or not isinstance(error, Exception)):
                    # Report the other jobs that are done.
                    broken = error
                    continue
                ended(number)
                yield number, future.result() if error is None else error
            if broken is not None:
                raise broken
    finally:
        for future in futures:
            future.cancel()


def in_processes(jobs: list[worker.Job], count: int, under_way: UnderWay | None = None) -> Iterator[tuple[int, Answer]]:
    """Does the jobs in `count` local processes; yields them as they are done.

    If a process is killed, new ones continue with the rest. No process remains after the end.
    """
    left = dict(enumerate(jobs))
    kills = 0
    while left:
        # After a kill the next job runs alone once, to find out which job kills its process.
        numbers = list(left) if kills == 0 else list(left)[:1]
        try:
            for number, answer in _in_pool({n: left[n] for n in numbers}, min(count, len(numbers)), under_way):
                kills = 0
                del left[number]
                yield number, answer
        except BrokenExecutor:
            kills += 1
        if kills > KILLS_MAX:
            kills = 0
            del left[numbers[0]]
            yield numbers[0], ProcessKilledError("its process was killed each time; is there enough memory?")


def _in_pool(jobs: dict[int, worker.Job], count: int, under_way: UnderWay | None) -> Iterator[tuple[int, Answer]]:
    import multiprocessing

    # Each process is a fresh interpreter: a fork would copy the caller's threads and locks.
    context = multiprocessing.get_context("spawn")
    shares = None if under_way is None else under_way.shares
    reader, writer = context.Pipe(duplex=False)
    queues = Queues(jobs.items(), count)
    lanes = [ProcessPoolExecutor(1, context, worker.begin, (reader, shares)) for _ in range(count)]
    lane_of: dict[int, int] = {}
    futures: Futures = {}

    def submit(lane: int) -> None:
        number = queues.take(lane)
        if number is not None:
            lane_of[number] = lane
            futures[lanes[lane].submit(worker.work_as_child, jobs[number], number)] = number

    def submit_next(lane: int) -> None:
        # Not towards the end: another process may be free before this one.
        if queues.waiting > READY_FROM * count:
            submit(lane)

    def ended(number: int) -> None:
        lane = lane_of.pop(number)
        if lane not in lane_of.values():
            submit(lane)
        submit_next(lane)

    try:
        # The first jobs start the processes.
        with _no_main_module(), _no_interrupt(), _kept_memory():
            for lane in range(count):
                submit(lane)
        for lane in range(count):
            submit_next(lane)
        yield from _collect(futures, ended, under_way)
    except BaseException:
        # Before the pools wait for their processes.
        writer.close()
        raise
    finally:
        for each in lanes:
            each.shutdown(wait=True, cancel_futures=True)
        writer.close()
        reader.close()


@contextmanager
def _kept_memory() -> Iterator[None]:
    """Processes that start meanwhile keep freed memory for their next run, unless the user says otherwise."""
    added = {name: value for name, value in MALLOC.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Blocks Ctrl-C and SIGTERM for a moment, so that no process is left half-started.

    Processes that start meanwhile never get Ctrl-C, even while they import; SIGTERM ends them when they have begun.
    """
    import multiprocessing.resource_tracker as tracker

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # At its start it unblocks signals again.
    tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _no_main_module() -> Iterator[None]:
    """Keeps new processes from running the caller's script again, because they do not need it.

    Without this every script that runs a grid would need `if __name__ == "__main__"`.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
