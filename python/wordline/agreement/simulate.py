"""Runs the loads of measured points on drives, each load once, on several cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

from .._core import Drives
from ..api import run
from ..config import Config
from ..errors import WordlineError, WorkloadError
from ..measured import Load, Numbers, Point
from ..measured.of_run import numbers_of
from ..measured.point import Op
from .flows import REPLAY, Length, flows_of, window_of
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
        runs: How many simulations were made.
    """

    length: Length = field(default_factory=Length)
    jobs: int = 1
    memo: Memo = field(default_factory=Memo)
    runs: int = 0
    _drives: Drives = field(default_factory=Drives)

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
        # Threads are enough: a simulation leaves Python alone.
        with ThreadPoolExecutor(self.jobs) as pool:
            tasks = {}
            for number, (config, points) in enumerate(drives):
                base = config.set_all(REPLAY)
                for alike in _by_load(points):
                    tasks[pool.submit(self._known_or_run, base, alike)] = (number, alike)
            try:
                for done, task in enumerate(as_completed(tasks), 1):
                    number, alike = tasks[task]
                    for point, numbers in zip(alike, task.result(), strict=True):
                        gave[number, point.loads, point.op] = numbers
                    if progress is not None:
                        progress(done, len(tasks))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return [[gave[number, point.loads, point.op] for point in points] for number, (_, points) in enumerate(drives)]

    def _known_or_run(self, config: Config, alike: Sequence[Point]) -> list[Numbers]:
        key = self.memo.key(config, self.length, alike)
        known = self.memo.get(key, len(alike))
        if known is None:
            known = self._run(config, alike)
            self.runs += 1
            self.memo.add(key, known)
        return known

    def _run(self, config: Config, alike: Sequence[Point]) -> list[Numbers]:
        """Runs the load of some points and returns the numbers of each."""
        first = alike[0]
        whole_bytes = config.host_bytes / config["ssd.scale"]
        if any(load.first_byte + (load.range_bytes or 0) > whole_bytes for load in first.loads):
            raise WorkloadError(f"{first.where}: {first.name}: its range ends behind the drive; name a larger one")
        window = window_of(first, config, self.length)
        flows = flows_of(first.loads, window)
        try:
            result = run(config, flows, drives=self._drives)
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
