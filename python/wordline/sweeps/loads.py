"""Loads that are a share of what a drive serves at most: measured before the points that they are of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..config import Config
from ..errors import PointFailedError
from ..offered_load import OfferedLoad, measured
from ..result import Result
from ..workload import Flow, flows_of
from .outcome import Results
from .point import Computation, Point

__all__ = ["Once", "offered", "with_loads"]

Once = Callable[[list[Point | Computation], str], Results]
"""Runs points, and tells what they are."""


def offered(point: Point, load: str | float | OfferedLoad, once: Once) -> OfferedLoad:
    """Returns the load that is a share of what a point's drive serves at most of the point's workload.

    Raises:
        WorkloadError: The share is none, or the requests have times of their own.
        WordlineError: See `run`.
    """
    task = replace(point, load=None).resolve()
    closed = replace(point, settings={}, seed=None, requests=None, until=None, load=None, labels={})

    number = 0

    def measure(config: Config, flow: Flow) -> Result:
        nonlocal number
        number += 1
        (outcome,) = once([replace(closed, ssd=config, workload=flow)], f"run {number} for the load of the points")
        if outcome.result is None:
            raise outcome.error or PointFailedError(f"{point}: its maximum is not known")
        return outcome.result

    return measured(task.config, task.flows, load, measure)


def with_loads(points: Sequence[Point | Computation], once: Once) -> list[Point | Computation]:
    """Returns the points with their loads as rates: that of the first point of each workload is the one of all."""
    wanted = [point for point in points if isinstance(point, Point) and point.load is not None]
    for point in wanted:
        # Mistakes in later points cost no time.
        replace(point, load=None).resolve()
    loads: dict[str, OfferedLoad] = {}
    for point in wanted:
        name = _workload_of(point)
        if name not in loads and point.load is not None:
            loads[name] = offered(point, point.load, once)
    return [
        replace(point, load=loads[_workload_of(point)].at(point.load))
        if isinstance(point, Point) and point.load is not None and not isinstance(point.load, OfferedLoad)
        else point
        for point in points
    ]


def _workload_of(point: Point) -> str:
    return repr(flows_of(point.of_workload(), point.of_ssd()))
