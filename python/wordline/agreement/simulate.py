"""Runs the loads of measured points on a drive, each load once, on several cores."""

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

__all__ = ["Length", "Simulator"]

Progress = Callable[[int, int], object]


@dataclass
class Simulator:
    """Simulates measured points. Points of one load share a run, and runs that begin alike share a drive.

    Attributes:
        length: How much is simulated for a point.
        jobs: Simulations at a time.
        runs: How many simulations were made.
    """

    length: Length = field(default_factory=Length)
    jobs: int = 1
    runs: int = 0
    _drives: Drives = field(default_factory=Drives)

    def numbers(self, config: Config, points: Sequence[Point], progress: Progress | None = None) -> list[Numbers]:
        """Returns what the points measure on a drive.

        Raises:
            WordlineError: A load does not fit the drive; the message names the point.
        """
        base = config.set_all(REPLAY)
        loads: dict[tuple[Load, ...], list[Point]] = {}
        for point in points:
            loads.setdefault(point.loads, []).append(point)
        gave: dict[tuple[tuple[Load, ...], Op], Numbers] = {}
        # Threads are enough: a simulation leaves Python alone.
        with ThreadPoolExecutor(self.jobs) as pool:
            tasks = {pool.submit(self._run, base, alike): alike for alike in loads.values()}
            try:
                for done, task in enumerate(as_completed(tasks), 1):
                    for point, numbers in zip(tasks[task], task.result(), strict=True):
                        gave[point.loads, point.op] = numbers
                    if progress is not None:
                        progress(done, len(tasks))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        self.runs += len(loads)
        return [gave[point.loads, point.op] for point in points]

    def _run(self, config: Config, alike: Sequence[Point]) -> list[Numbers]:
        """Runs the load of some points and returns the numbers of each."""
        first = alike[0]
        for load in first.loads:
            if (
                load.range_bytes is not None
                and load.first_byte + load.range_bytes > config.host_bytes / config["ssd.scale"]
            ):
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
