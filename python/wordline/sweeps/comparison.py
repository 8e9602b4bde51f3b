"""Runs every combination of some settings, on all cores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

from ..config import Config, full_key, preset
from ..drive import as_wanted
from ..errors import ConfigError
from ..needs import with_needs
from ..offered_load import OfferedLoad
from ..workload import WorkloadLike, count_of
from . import axes
from .checkpoints import goals_of
from .engine import Watching, run_points
from .loads import Once, offered
from .outcome import Results
from .point import LIMIT, Point, Until
from .replication import seeds_from
from .store import Store

__all__ = ["compare"]

LOAD = "load"
EXAMPLE = '{"host.queue_depth": [1, 4, 16]}'


def compare(
    config: Config | str,
    workload: WorkloadLike = None,
    grid: Mapping[str, Sequence[Any]] | None = None,
    *,
    requests: int | str | None = None,
    scale: str | float | None = None,
    steady: bool = False,
    seed: int | None = None,
    load: str | float | OfferedLoad | None = None,
    load_of: Mapping[str, Any] | None = None,
    seeds: int | Sequence[int] = 1,
    jobs: int | None = None,
    executor: Executor | None = None,
    check: bool = False,
    store: Store | None = None,
    progress: Watching = None,
    keep_partial: bool = False,
    goals: Sequence[str] = (),
    limit: int = LIMIT,
) -> Results:
    """Runs every combination of a grid's values, each in its own process.

    All points are resolved before the first one runs, so that a mistake in any of them costs no time. The results do
    not depend on the number of processes. A policy that needs another key, as `rif` needs `nand.on_die_check`, gets it
    in its own rows, and `Results.warnings` says so.

    Args:
        config: The settings that all points share, or the name of a preset.
        workload: As for `run`.
        grid: Key to values; the last key varies fastest. The key `load` takes several loads.
        requests: As for `run`.
        scale: As for `run`.
        steady: As for `run`.
        seed: As for `run`.
        load: The load as a share of what the first row's drive serves at most, such as `"50%"`; see `run`. All rows
            have the same rate of requests. `point.load` of an outcome says which.
        load_of: Settings of the row whose drive is measured instead of the first one's, such as
            `{"read.retry": "baseline"}`.
        seeds: How many, or which. Every point runs with each of them, and its result is the mean over all, see
            `replicate`. The same seeds at every point make differences between points clearer.
        jobs: Parallel processes, 1 or more; None: one per core. With 1 everything runs in this process.
        executor: Does the work instead of local processes: any `concurrent.futures.Executor`.
        check: Checked mode, see `run`.
        store: Keeps finished runs, so that another comparison, or this one after Ctrl-C, takes what is there; None:
            they are not kept.
        progress: Called when it begins, after every point, and some times a second in between; True: a bar.
        keep_partial: After Ctrl-C return the points that are finished with all seeds, with `Results.is_partial`,
            instead of an exception.
        goals: Such as `"read.p99.99 ±2%"`. All points run on together, always with the same number of requests, until
            each has met each goal; `document["until"]` of its result says so. For one synthetic workload.
        limit: With goals: at most this many times the first number of requests.

    Returns:
        The outcomes in the order of the grid; each has its `settings` and its `result`.

    Raises:
        WordlineError: See `run`; from the first point that fails.
        KeyboardInterrupt: Ctrl-C ends all processes at once; with `keep_partial` only if no point is finished.
    """
    if not grid:
        raise ConfigError(f"there is no grid, the third argument: write compare(config, workload, {EXAMPLE})")
    choices = axes.grid(grid)
    config = as_wanted(preset(config) if isinstance(config, str) else config, scale, steady=steady, seed=seed)
    count = count_of(requests)
    wanted = seeds_from(config, seeds)
    until = Until(tuple(goals), limit) if goals else None
    if until is not None:
        goals_of(goals, limit)
        if len(wanted) > 1:
            raise ConfigError("goals and seeds exclude each other; leave one of them out", key="seed")
        if any(full_key(key) == "workload.requests" for key in grid):
            raise ConfigError("`workload.requests` is an axis of the grid; leave it out, or leave goals out")
    if len(wanted) > 1 and any("seed" in each for each in choices):
        raise ConfigError("`seed` is an axis of the grid; leave it out, or leave seeds out", key="seed")
    if load is not None and LOAD in grid:
        raise ConfigError("`load` is an axis of the grid; leave it out, or leave load out")
    loads = [each.pop(LOAD, load) for each in choices]
    rows = [(*with_needs(config, each), each) for each in choices]
    notes = dict.fromkeys(f"{need}, which its rows have" for _, needs, _ in rows for need in needs)
    seeds_of = wanted if len(wanted) > 1 else [wanted[0] if seeds != 1 else None]
    points = [
        Point(
            own,
            each,
            workload,
            number,
            count,
            check=check,
            until=until,
            load=share,
            labels={LOAD: share} if LOAD in grid else {},
        )
        for (own, _, each), share in zip(rows, loads, strict=True)
        for number in seeds_of
    ]
    if load_of is not None:
        points = _at_load_of(
            points,
            load_of,
            lambda own, what: run_points(own, executor=executor, store=store, jobs=1, progress=progress, what=what),
        )
    outcomes = run_points(
        points,
        jobs=jobs,
        executor=executor,
        store=store,
        progress=progress,
        stop_at_failure=True,
        keep_partial=keep_partial,
        group=len(wanted),
    )
    results = outcomes.pooled(len(wanted)) if len(wanted) > 1 else outcomes
    results.notes = tuple(notes)
    return results


def _at_load_of(points: list[Point], settings: Mapping[str, Any], once: Once) -> list[Point]:
    """Returns the points with loads that are shares of what the drive of the row with these settings serves.

    Raises:
        ConfigError: There is no such row, or no load.
    """
    wanted = {full_key(key): value for key, value in settings.items()}
    told = ", ".join(f"{key}={value}" for key, value in wanted.items())
    rows = ({full_key(key): value for key, value in point.settings.items()} for point in points)
    place = next((n for n, row in enumerate(rows) if all(row.get(key) == wanted[key] for key in wanted)), None)
    if place is None:
        raise ConfigError(f"load_of: no row has {told}; give values of the grid")
    if (share := points[place].load) is None:
        raise ConfigError("load_of: there is no load; leave it out, or give load")
    most = offered(points[place], share, once)
    return [point if point.load is None else replace(point, load=most.at(point.load)) for point in points]
