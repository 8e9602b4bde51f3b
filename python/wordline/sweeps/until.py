"""Runs as long as the answer needs: more requests or more seeds, until the intervals are as tight as wanted.

It checks at fixed checkpoints, each twice as long as the previous one, so that the result does not depend on the
machine or the number of cores. The result is that of an ordinary run of the last checkpoint's length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..api import run
from ..config import Config, preset
from ..drive import as_wanted
from ..offered_load import OfferedLoad, measured
from ..progress import ProgressCallback
from ..result import Result
from ..workload import Workload, WorkloadLike, flows_of, limited
from .checkpoints import goals_of, judged
from .point import LIMIT
from .replication import partial, replicate

if TYPE_CHECKING:
    from ..document import Checkpoint, UntilUnit

__all__ = ["run_until"]

SEEDS_FIRST = 4
"""Seeds of the first checkpoint, if seeds are added."""


def run_until(
    config: Config | str,
    workload: WorkloadLike = None,
    *,
    requests: int | str | None = None,
    scale: str | float | None = None,
    steady: bool = False,
    seed: int | None = None,
    load: str | float | OfferedLoad | None = None,
    goals: Sequence[str],
    limit: int = LIMIT,
    seeds: int = 1,
    jobs: int | None = None,
    check: bool = False,
    progress: Callable[[int, int], ProgressCallback | None] | None = None,
    keep_partial: bool = False,
) -> Result:
    """Runs until every interval is as tight as wanted, or a limit is reached.

    A single synthetic workload gets more requests: checkpoints are at 1, 2, 4, … times its requests. A trace, several
    flows, or a run of several seeds get more seeds instead: 4, 8, 16, ….

    Args:
        config: The SSD and its host, or the name of a preset.
        workload: As for `run`.
        requests: As for `run`.
        scale: As for `run`.
        steady: As for `run`.
        seed: As for `run`.
        load: As for `run`; a closed loop of the first checkpoint's length measures what the drive serves at most.
        goals: Such as `"read.p99.99 ±2%"`; also `+-` for ±, and `iops`, `bandwidth`, `wa` or a number's dotted path.
        limit: The last checkpoint, as a multiple of the first one, 1 or more.
        seeds: Seeds of the first checkpoint; more than 1: seeds are added.
        jobs: Parallel processes, if seeds are added; None: one per core.
        check: Checked mode, see `run`.
        progress: Gets the requests (or seeds) of a checkpoint and those of the last one; returns a callback for its
            run.
        keep_partial: After Ctrl-C return the last checkpoint that is finished, or what there is of the first one, with
            `document["partial"]` true, instead of raising an error.

    Returns:
        The last checkpoint's result. `document["until"]` says for each goal whether it is met, and how long the run
        was.

    Raises:
        GoalError: A goal is invalid.
        WordlineError: See `run`.
    """
    wanted = goals_of(goals, limit)
    config = as_wanted(preset(config) if isinstance(config, str) else config, scale, steady=steady, seed=seed)
    flows = flows_of(limited(workload, requests, config), config)
    if load is not None:
        config = measured(config, flows, load, lambda config, flow: run(config, flow, check=check)).on(config)
    single = flows[0].workload if len(flows) == 1 else None
    by_length = isinstance(single, Workload) and seeds == 1
    first = single.config(config)["workload.requests"] if by_length and isinstance(single, Workload) else None
    unit: UntilUnit = "requests" if first is not None else "seeds"
    size = first if first is not None else max(seeds, SEEDS_FIRST)
    last = size * limit
    looks: list[Checkpoint] = []
    done: Result | None = None
    while True:
        callback = progress(size, last) if progress is not None else None
        try:
            if first is not None:
                # What there is of a later checkpoint is less than the one before.
                result = run(
                    config,
                    flows[0].limited(size),
                    check=check,
                    progress=callback,
                    keep_partial=keep_partial and done is None,
                )
            else:
                result = replicate(
                    config, flows, seeds=size, jobs=jobs, check=check, keep_partial=keep_partial and done is None
                )
        except KeyboardInterrupt:
            if done is None or not keep_partial:
                raise
            return partial(done)
        if result.document.get("partial"):
            return result
        done = result = judged(result, wanted, looks, unit, size, last)
        until = result.document["until"]
        if until["is_met"] or 2 * size > last:
            return result
        looks = until["checkpoints"]
        size *= 2
