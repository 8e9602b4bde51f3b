"""Runs the same point with several seeds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..config import Config, preset
from ..drive import as_wanted
from ..errors import ConfigError
from ..offered_load import OfferedLoad
from ..result import Result
from ..workload import WorkloadLike, count_of
from .engine import Watching, run_points
from .point import Point
from .pooled import pooled
from .store import Store

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["partial", "replicate", "seeds_from"]


def replicate(
    config: Config | str,
    workload: WorkloadLike = None,
    *,
    requests: int | str | None = None,
    scale: str | float | None = None,
    steady: bool = False,
    seed: int | None = None,
    load: str | float | OfferedLoad | None = None,
    seeds: int | Sequence[int] = 5,
    jobs: int | None = None,
    check: bool = False,
    store: Store | None = None,
    progress: Watching = None,
    keep_partial: bool = False,
) -> Result:
    """Runs the same SSD and workload with several seeds: other variation of its cells, other requests.

    A trace's requests do not change.

    Args:
        config: The SSD and its host, or the name of a preset.
        workload: As for `run`.
        requests: As for `run`.
        scale: As for `run`.
        steady: As for `run`.
        seed: As for `run`.
        load: As for `run`; the first seed measures what the drive serves at most.
        seeds: How many, starting at the configuration's own; or which.
        jobs: Parallel processes, 1 or more; None: one per core.
        check: Checked mode, see `run`.
        store: Stores finished runs; None: they are not stored.
        progress: Called when it begins, after every run, and some times a second in between; True: a bar.
        keep_partial: After Ctrl-C combine the seeds that are finished, with `document["partial"]` true, instead of
            raising an error.

    Returns:
        One result: every number is the mean over the seeds, `Result.interval` has its interval (95 %, Student's t), and
        the latency bins are those of all seeds together. `Result.warnings` has those of `Results.warnings`, too.

    Raises:
        ConfigError: There is no seed.
        WordlineError: See `run`.
    """
    config = as_wanted(preset(config) if isinstance(config, str) else config, scale, steady=steady, seed=seed)
    count = count_of(requests)
    points = [
        Point(config, {}, workload, number, count, check=check, load=load) for number in seeds_from(config, seeds)
    ]
    outcomes = run_points(
        points, jobs=jobs, store=store, progress=progress, stop_at_failure=True, keep_partial=keep_partial
    )
    pooled_result = pooled([outcome.result for outcome in outcomes if outcome.result is not None])
    warnings = [*pooled_result.warnings, *outcomes.warnings]
    pooled_result = replace(pooled_result, document={**pooled_result.document, "warnings": warnings})
    return partial(pooled_result) if outcomes.is_partial else pooled_result


def partial(result: Result) -> Result:
    """Returns the result, marked as a part of what was asked for."""
    return replace(result, document={**result.document, "partial": True})


def seeds_from(config: Config, seeds: int | Sequence[int]) -> list[int]:
    """Returns the list of seeds.

    Raises:
        ConfigError: There is no seed, or one occurs twice.
    """
    numbers = list(range(config["seed"], config["seed"] + seeds)) if isinstance(seeds, int) else list(seeds)
    if not numbers:
        raise ConfigError(f"seeds = {seeds}: give at least 1", key="seed")
    if len(set(numbers)) != len(numbers):
        raise ConfigError(f"seeds = {numbers}: a seed comes twice", key="seed")
    return numbers
