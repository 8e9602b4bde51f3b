"""Runs as long as the answer needs: more requests or more seeds, until the intervals are as tight as wanted.

It checks at fixed checkpoints, each twice as long as the previous one, so that the result does not depend on the
machine or the number of cores. The result is that of an ordinary run of the last checkpoint's length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..api import run
from ..config import Config
from ..errors import GoalError
from ..progress import ProgressCallback
from ..result import Result
from ..stats.goals import Goal
from ..workload import Flow, Workload, WorkloadLike, flows_of
from .replication import replicate

__all__ = ["LIMIT", "run_until"]

LIMIT = 64
"""The last checkpoint, as a multiple of the first one's length."""
SEEDS_FIRST = 4
"""Seeds of the first checkpoint, if seeds are added."""


def run_until(
    config: Config,
    workload: WorkloadLike = None,
    *,
    goals: Sequence[str],
    limit: int = LIMIT,
    seeds: int = 1,
    jobs: int | None = None,
    check: bool = False,
    progress: Callable[[int, int], ProgressCallback | None] | None = None,
) -> Result:
    """Runs until every interval is as tight as wanted, or a limit is reached.

    A single synthetic workload gets more requests: checkpoints are at 1, 2, 4, … times its requests. A trace, several
    flows, or a run of several seeds get more seeds instead: 4, 8, 16, ….

    Args:
        config: The SSD and its host.
        workload: As for `run`.
        goals: Such as `"read.p99.99 ±2%"`; also `+-` for ±, and `iops`, `bandwidth`, `wa` or a number's dotted path.
        limit: The last checkpoint, as a multiple of the first one, 1 or more.
        seeds: Seeds of the first checkpoint; more than 1: seeds are added.
        jobs: Parallel processes, if seeds are added; None: one per core.
        check: Checked mode, see `run`.
        progress: Gets the requests (or seeds) of a checkpoint and those of the last one; returns a callback for its
            run.

    Returns:
        The last checkpoint's result. `document["until"]` says for each goal whether it is met, and how long the run
        was.

    Raises:
        GoalError: A goal is invalid.
        WordlineError: See `run`.
    """
    wanted = [Goal.parse(text) for text in goals]
    if not wanted:
        raise GoalError('there is no goal; write one as "read.p99.99 ±2%"')
    if limit < 1:
        raise GoalError(f"limit = {limit}: at least 1 times the first checkpoint")
    flows = flows_of(workload, config)
    single = flows[0].workload if len(flows) == 1 else None
    by_length = isinstance(single, Workload) and seeds == 1
    first = single.config(config)["workload.requests"] if by_length and isinstance(single, Workload) else None
    unit = "requests" if first is not None else "seeds"
    size = first if first is not None else max(seeds, SEEDS_FIRST)
    last, looks = size * limit, list[dict[str, Any]]()
    while True:
        callback = progress(size, last) if progress is not None else None
        if first is not None:
            result = run(config, _longer(flows[0], size), check=check, progress=callback)
        else:
            result = replicate(config, flows, seeds=size, jobs=jobs, check=check)
        states = [goal.state(result.document) for goal in wanted]
        looks.append({unit: size, "reached_shares": [each["reached_share"] for each in states]})
        is_met = all(each["is_met"] for each in states)
        if is_met or 2 * size > last:
            until = {"goals": states, "is_met": is_met, "unit": unit, "limit": last, "checkpoints": looks}
            return replace(result, document={**result.document, "until": until})
        size *= 2


def _longer(flow: Flow, requests: int) -> Flow:
    """Returns a synthetic flow with this many requests."""
    workload = flow.workload
    if not isinstance(workload, Workload):
        return flow
    return replace(flow, workload=workload.with_settings({"requests": requests}))
