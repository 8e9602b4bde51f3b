"""Many runs: a grid of settings, on all cores."""

from __future__ import annotations

import itertools
import os
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

from . import worker
from .api import run
from .config import Config, full_key
from .errors import ConfigError
from .result import Result, flat
from .workload import Flow, Trace, Workload, WorkloadLike, flows_of

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event

    import pandas as pd
    import pyarrow as pa

__all__ = ["CompareProgress", "Comparison", "Point", "compare"]


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a grid: what was set, and what came of it."""

    settings: dict[str, Any]
    result: Result


@dataclass(frozen=True, slots=True)
class CompareProgress:
    """How far a comparison has come.

    Attributes:
        done: Points that are done.
        total: Points of the grid.
        wall_s: Wall time since it began, s.
        left_s: Wall time that is left, s, judged by what is done; None before the first point is.
    """

    done: int
    total: int
    wall_s: float
    left_s: float | None


class Comparison:
    """The results of a grid, in the grid's order: the last key varies fastest.

    `comparison[2]` is a point; `comparison[{"read.retry": "baseline"}]` is the result of the one point
    with these settings.
    """

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = list(points)

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> list[Point]: ...
    @overload
    def __getitem__(self, index: Mapping[str, object]) -> Result: ...

    def __getitem__(self, index: int | slice | Mapping[str, object]) -> Point | list[Point] | Result:
        if isinstance(index, int | slice):
            return self.points[index]
        wanted = {full_key(key): value for key, value in index.items()}
        found = [p for p in self.points if all(p.settings.get(key) == value for key, value in wanted.items())]
        if len(found) != 1:
            raise KeyError(f"{len(found)} points have {wanted}")
        return found[0].result

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def to_dict(self) -> dict[str, Any]:
        """The settings and JSON document of every point."""
        return {"points": [{"set": dict(p.settings), "result": p.result.to_dict()} for p in self.points]}

    def rows(self) -> list[dict[str, Any]]:
        """For each point the settings, then the result's flat columns."""
        return [{**_plain(point.settings), **flat(point.result.document)} for point in self.points]

    def to_pandas(self) -> pd.DataFrame:
        """A row for each point: the settings, then the result's flat columns."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def to_arrow(self) -> pa.Table:
        """As `to_pandas`, for Arrow."""
        import pyarrow as pa

        return pa.Table.from_pandas(self.to_pandas(), preserve_index=False)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def compare(
    config: Config,
    workload: WorkloadLike = None,
    grid: Mapping[str, Sequence[Any]] | None = None,
    *,
    jobs: int | None = None,
    check: bool = False,
    progress: Callable[[CompareProgress], object] | None = None,
) -> Comparison:
    """Runs every combination of a grid's values, each in a process of its own.

    All points are resolved before the first one runs, so that a mistake in any of them costs no time. The
    results do not depend on the number of processes.

    Args:
        config: What all points have in common.
        workload: As for `run`.
        grid: Key to values; the last key varies fastest.
        jobs: Processes at a time, 1 or more; None: one a core. With 1 everything runs in this process.
        check: Checked mode, see `run`.
        progress: Called when the comparison begins and after every point.

    Raises:
        WordlineError: As `run`, from the first point that fails.
        KeyboardInterrupt: Ctrl-C ends all processes at once.
    """
    if jobs is not None and jobs < 1:
        raise ConfigError(f"jobs = {jobs}: a comparison needs at least 1")
    keys = [full_key(key) for key in grid or {}]
    choices = [dict(zip(keys, values, strict=True)) for values in itertools.product(*(grid or {}).values())]
    if not choices:
        raise ConfigError("the grid is empty: give every key at least one value")
    tasks = [worker.Task(config.set_all(each), _workload_at(workload, each), check) for each in choices]
    for task in tasks:
        task.resolve()
    count = min(jobs or _cores(), len(tasks))
    tell = _teller(progress, len(tasks), count)
    results = _one_by_one(tasks, tell) if count == 1 else _in_processes(tasks, count, tell)
    return Comparison([Point(each, result) for each, result in zip(choices, results, strict=True)])


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as cells of a table: lists as texts."""
    return {key: str(value) if isinstance(value, list | tuple | dict) else value for key, value in settings.items()}


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _workload_at(workload: WorkloadLike, settings: Mapping[str, Any]) -> list[Flow]:
    """The grid's keys of `[workload]` win over those that a workload was made with."""
    own = {key.removeprefix("workload."): value for key, value in settings.items() if key.startswith("workload.")}
    flows = flows_of(workload)
    if not own:
        return flows
    changed = []
    for flow in flows:
        if isinstance(flow.workload, Trace):
            changed.append(flow)
            continue
        given = {key: value for key, value in flow.workload.settings if key not in own}
        changed.append(replace(flow, workload=Workload(flow.workload.name, tuple(given.items()))))
    return changed


def _teller(
    progress: Callable[[CompareProgress], object] | None, total: int, jobs: int
) -> Callable[[int, list[float]], None]:
    start = time.perf_counter()

    def tell(done: int, walls: list[float]) -> None:
        if progress is None:
            return
        left = sum(walls) / len(walls) * (total - done) / jobs if walls else None
        progress(CompareProgress(done, total, time.perf_counter() - start, left))

    return tell


def _one_by_one(tasks: list[worker.Task], tell: Callable[[int, list[float]], None]) -> list[Result]:
    results: list[Result] = []
    walls: list[float] = []
    tell(0, walls)
    for task in tasks:
        begun = time.perf_counter()
        results.append(run(task.config, task.flows, check=task.check))
        walls.append(time.perf_counter() - begun)
        tell(len(results), walls)
    return results


def _in_processes(tasks: list[worker.Task], jobs: int, tell: Callable[[int, list[float]], None]) -> list[Result]:
    import multiprocessing

    # A fresh interpreter each: a fork would copy whatever threads and locks the caller has.
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    walls: list[float] = []
    with _stopping(stop), ProcessPoolExecutor(jobs, context, worker.begin, (stop,)) as pool:
        try:
            with _no_main_module():
                futures = [pool.submit(worker.work, task) for task in tasks]
            tell(0, walls)
            pending: set[Future[tuple[Result, float]]] = set(futures)
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                walls.extend(future.result()[1] for future in done)
                tell(len(walls), walls)
        except BaseException:
            # Before the pool's own exit waits for its processes.
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        return [future.result()[0] for future in futures]


@contextmanager
def _stopping(stop: Event) -> Iterator[None]:
    """Whatever happens, no process goes on."""
    try:
        yield
    finally:
        stop.set()


@contextmanager
def _no_main_module() -> Iterator[None]:
    """Keeps new processes from running the caller's script again, which they do not need.

    Without this every script that compares would need `if __name__ == "__main__"`.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
