"""Runs points and returns their outcomes: the engine behind `compare`, `sweep` and `reproduce`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import memory
from ..api import drive_number
from ..drive import ages_until_level
from ..errors import ConfigError
from ..progress import Stoppable, bar, duration
from ..result import Result
from . import checkpoints, identity
from .loads import with_loads
from .outcome import Outcome, Results, Values
from .point import Computation, Point, RunTask, Task
from .store import DamagedPointError, Store

if TYPE_CHECKING:
    from .pools import Answer
    from .under_way import UnderWay
    from .worker import Job

__all__ = ["PointsProgress", "run_points"]


@dataclass(frozen=True, slots=True)
class PointsProgress:
    """The progress of a grid, sweep or study.

    Attributes:
        done: Number of finished points.
        total: Number of all points.
        wall_s: Wall time since the start, s.
        left_s: Estimated wall time that is left, s, from the points run so far; None before the first one is done.
        cached: Number of finished points that came from the store.
        failed: Number of finished points that failed.
        under_way: Work that is done on unfinished points, in points. Points of a foreign executor do not tell it.
        aging: Number of points whose drives may still age until write amplification is level. Nobody knows how long
            that takes, so `left_s` may be too short.
        what: What runs before the points; empty for the points themselves.
    """

    done: int
    total: int
    wall_s: float
    left_s: float | None
    cached: int = 0
    failed: int = 0
    under_way: float = 0.0
    aging: int = 0
    what: str = ""

    @property
    def share(self) -> float:
        """The share of the whole work that is done, 0 to 1, as if all points took the same time."""
        return (self.done + self.under_way) / self.total if self.total else 1.0

    @property
    def detail(self) -> str:
        """The text of a progress bar."""
        failed = f", {self.failed} failed" if self.failed else ""
        points = self.what or f"{self.done} of {self.total} points{failed}"
        if not self.aging:
            left = "time left unknown" if self.left_s is None else f"{duration(self.left_s)} left"
            return f"{points}, {left}"
        drives = "a drive ages" if self.aging == 1 else f"{self.aging} drives age"
        so_far = f"{duration(self.wall_s)} so far, time left not known"
        return f"{points}, {so_far}: {drives} until write amplification is level"

    @property
    def known_share(self) -> float | None:
        """`share` for a progress bar; None while drives age, since it would stand still near an end that is not one."""
        return None if self.aging else self.share


Watching = bool | Callable[[PointsProgress], object] | None
"""An argument `progress`: True for a bar, or what is called when it begins, after every point, and in between."""


@contextmanager
def watched(progress: Watching) -> Iterator[Callable[[PointsProgress], object] | None]:
    """The callback that an argument `progress` means."""
    if callable(progress) or not progress:
        yield progress or None
        return
    with bar() as show:
        yield None if show is None else lambda now: show("simulating", now.known_share, now.detail)


def run_points(
    points: Sequence[Point | Computation],
    *,
    jobs: int | None = None,
    executor: Executor | None = None,
    store: Store | None = None,
    progress: Watching = None,
    stop_at_failure: bool = False,
    keep_partial: bool = False,
    group: int = 1,
    what: str = "",
) -> Results:
    """Runs points, each once, and returns their outcomes in the order given.

    All points are resolved before the first one runs, so that a mistake in any of them costs no time. Results do not
    depend on where and in which order points run.

    Args:
        points: The points. With a store, identical points run once. Points with goals (`Point.until`) run on, group by
            group, until these are met. A load that is a share (`Point.load`) is measured before them.
        jobs: Parallel processes, 1 or more; None: one per core. With 1 everything runs in this process.
        executor: Does the work instead of local processes: any `concurrent.futures.Executor`.
        store: Stores results: a stored point does not run again, and each point is stored when it is done. Computations
            without a version are not.
        progress: Called when it begins, after every point, and some times a second in between; True: a bar.
        stop_at_failure: The first point that fails ends everything. Otherwise the rest continue; see `Results.failed`.
        keep_partial: After Ctrl-C, or if `progress` raises an exception, return the finished points, with
            `Results.is_partial`, instead of an exception.
        group: Consecutive points that belong together; partial results have whole groups only.
        what: What they are, for a bar, if other points follow.

    Raises:
        WordlineError: A mistake in a point; with `stop_at_failure` any error of a point.
        OSError: The store cannot be made. If a point cannot be stored, `Results.warnings` says why.
        KeyboardInterrupt: Ctrl-C ends all processes at once; finished points stay in the store. With `keep_partial`
            only if no group is finished.
    """
    if jobs is not None and jobs < 1:
        raise ConfigError(f"jobs = {jobs}: at least 1 is needed")

    def once(points: Sequence[Point | Computation], keep_partial: bool = False, what: str = what) -> Results:
        return _run_once(points, jobs, executor, store, progress, stop_at_failure, keep_partial, group, what)

    checkpoints.check(points)
    if any(isinstance(point, Point) and point.load is not None for point in points):
        points = with_loads(points, lambda own, what: once(own, what=what))
    return checkpoints.until_met(once(points, keep_partial), once, keep_partial=keep_partial)


def _run_once(
    points: Sequence[Point | Computation],
    jobs: int | None,
    executor: Executor | None,
    store: Store | None,
    progress: Watching,
    stop_at_failure: bool,
    keep_partial: bool,
    group: int,
    what: str,
) -> Results:
    """Runs points at the length that they have."""
    # Imported here, so that the command line starts quickly.
    from .pools import cores

    tasks = [point.resolve() for point in points]
    if store is not None:
        store.prepare()
    plan = _Plan(points, tasks, store)
    count = min(jobs or cores(), len(plan.missing))
    with watched(progress) as callback:
        watch = Stoppable(callback) if keep_partial and callback is not None else None
        teller = _Teller(watch or callback, len(points), what)
        try:
            plan.take(teller)
            if executor is None:
                count = plan.fewer_at_a_time(count)
            # Processes on other machines do not keep drives. Points of a group end together, whatever they begin on.
            shares_drives = executor is None and group == 1
            work = [plan.job(first, executor is not None, shares_drives) for first in plan.missing]
            under_way = teller.follow(plan) if work else None
            for number, answer in _answers(work, count, executor, under_way) if work else ():
                if isinstance(answer, Exception) and stop_at_failure:
                    raise answer
                plan.settle(plan.missing[number], answer)
                if under_way is not None:
                    under_way.end(number)
                teller.tell(plan)
        except KeyboardInterrupt:
            error = None if watch is None else watch.error
            if not keep_partial or not plan.whole(group):
                raise (error or KeyboardInterrupt()) from None
            if watch is not None and error is not None:
                plan.notes.append(watch.why)
            return plan.results(plan.whole(group), is_partial=True)
    return plan.results(plan.done)


def _answers(
    work: list[Job], count: int, executor: Executor | None, under_way: UnderWay | None
) -> Iterator[tuple[int, Answer]]:
    from . import pools

    if executor is not None:
        return pools.in_executor(work, executor)
    return pools.one_by_one(work, under_way) if count == 1 else pools.in_processes(work, count, under_way)


class _Plan:
    """Finds the stored, the identical, and the missing points."""

    def __init__(self, points: Sequence[Point | Computation], tasks: list[Task], store: Store | None) -> None:
        self.points = points
        self.tasks = tasks
        self.store = store
        # Without a store no hash is needed, so traces need not be read for it.
        names = [identity.key(task) if store is not None else None for task in tasks]
        self.keys = [name or str(number) for number, name in enumerate(names)]
        self.kept = {name for name in names if name is not None}
        self.places: dict[str, list[int]] = {}
        for place, key in enumerate(self.keys):
            self.places.setdefault(key, []).append(place)
        self.outcomes: list[Outcome | None] = [None] * len(points)
        self.missing: list[str] = list(self.places)
        self.damaged: list[str] = []
        self.unkept: OSError | None = None
        self.notes: list[str] = []

    def fewer_at_a_time(self, count: int) -> int:
        """Returns how many of the missing points run at a time: fewer than `count` where the kernel would end some."""
        tasks = [self.tasks[self.places[key][0]] for key in self.missing]
        fitting, why = memory.at_a_time(
            [(each.config, each.check) for each in tasks if isinstance(each, RunTask)], count
        )
        self.notes += [] if why is None else [why]
        return fitting

    def take(self, teller: _Teller) -> None:
        """Takes stored points from the store."""
        if self.store is not None:
            for key in [each for each in self.missing if each in self.kept]:
                try:
                    stored = self.store.get(key)
                except DamagedPointError as problem:
                    self.damaged.append(f"{problem}; the point is computed again")
                    continue
                if stored is not None:
                    self.missing.remove(key)
                    self._set(key, stored, 0.0, cached=True)
        teller.tell(self)

    def job(self, key: str, foreign: bool, shares_drive: bool) -> Job:
        """Returns the job of a point for a worker."""
        from .worker import Job

        task, kept = self.tasks[self.places[key][0]], key if key in self.kept else None
        drive = _drive_of(task) if shares_drive else None
        return Job(task, kept, self.store, identity.build() if foreign else None, drive)

    def ages(self) -> list[bool]:
        """Returns of each missing point whether its drive ages until it is level."""
        tasks = [self.tasks[self.places[key][0]] for key in self.missing]
        return [
            isinstance(task, RunTask) and task.load_state is None and ages_until_level(task.config) for task in tasks
        ]

    def settle(self, key: str, answer: Answer) -> None:
        """Stores an answer."""
        if isinstance(answer, Exception):
            for place in self.places[key]:
                self.outcomes[place] = Outcome(self.points[place], error=answer)
            return
        result, wall_s = answer
        # A worker on another machine may not have access to the folder.
        if self.store is not None and key in self.kept and not self.store.has(key):
            try:
                self.store.put(key, result)
            except OSError as problem:
                # Do not lose the results so far because they cannot be stored.
                self.unkept = problem
        self._set(key, result, wall_s, cached=False)

    def _set(self, key: str, outcome: Result | Values, wall_s: float, cached: bool) -> None:
        for place in self.places[key]:
            result = outcome if isinstance(outcome, Result) else None
            values = None if isinstance(outcome, Result) else outcome
            self.outcomes[place] = Outcome(self.points[place], result, values, None, wall_s, cached)

    @property
    def done(self) -> list[Outcome]:
        """Returns the outcomes so far."""
        return [outcome for outcome in self.outcomes if outcome is not None]

    def whole(self, group: int) -> list[Outcome]:
        """Returns the outcomes of those groups of consecutive points that are finished."""
        groups = (self.outcomes[start : start + group] for start in range(0, len(self.outcomes), group))
        return [outcome for each in groups if None not in each for outcome in each if outcome is not None]

    def results(self, outcomes: list[Outcome], *, is_partial: bool = False) -> Results:
        """Returns these outcomes, in the order of the points."""
        notes = self.damaged + self.notes
        if (problem := self.unkept) is not None:
            notes.append(f"finished points are not kept for another time: {problem.filename}: {problem.strerror}")
        return Results(outcomes, notes, is_partial=is_partial)


def _drive_of(task: Task) -> int | None:
    """Returns the number of the preconditioned SSD of a task, if other tasks may begin on the same."""
    if not isinstance(task, RunTask) or task.check or task.load_state is not None:
        return None
    return drive_number(task.config, task.flows)


class _Teller:
    """Calls the progress callback."""

    def __init__(self, progress: Callable[[PointsProgress], object] | None, total: int, what: str) -> None:
        self.progress = progress
        self.total = total
        self.what = what
        self.start = time.perf_counter()
        self.begun: float | None = None
        self.under_way: UnderWay | None = None
        self.ages: list[bool] = []

    def follow(self, plan: _Plan) -> UnderWay | None:
        """Reports also what is done within the missing points, if anybody wants to know."""
        if self.progress is not None:
            from .under_way import UnderWay

            self.ages = plan.ages()
            self.under_way = UnderWay(len(plan.missing), lambda: self.tell(plan))
        return self.under_way

    def tell(self, plan: _Plan) -> None:
        """Reports the finished points."""
        if self.progress is None:
            return
        now = time.perf_counter()
        done = plan.done
        cached = sum(outcome.cached for outcome in done)
        within = 0.0 if self.under_way is None else self.under_way.jobs
        ran, left = len(done) - cached + within, self.total - len(done) - within
        if self.begun is None:
            self.begun = now
        # From the clock, so that it is right for any number of workers.
        each_s = (now - self.begun) / ran if ran else None
        left_s = 0.0 if len(done) == self.total else None if each_s is None else each_s * left
        failed = sum(outcome.error is not None for outcome in done)
        aging = 0 if self.under_way is None else self.under_way.aging(self.ages)
        wall_s = now - self.start
        self.progress(PointsProgress(len(done), self.total, wall_s, left_s, cached, failed, within, aging, self.what))
