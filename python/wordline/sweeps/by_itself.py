"""Runs each of several flows by itself, to tell what they do to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..api import resolved
from ..config import Config, preset
from ..drive import as_wanted
from ..errors import WorkloadError
from ..result import Result
from ..workload import Flow, Workload, WorkloadLike, flows_of, limited
from ..workload import workload as workload_of
from .engine import Watching, run_points
from .point import Point
from .store import Store

__all__ = ["alone"]


def alone(
    config: Config | str,
    workload: WorkloadLike,
    *,
    requests: int | str | None = None,
    scale: str | float | None = None,
    steady: bool = False,
    seed: int | None = None,
    jobs: int | None = None,
    check: bool = False,
    store: Store | None = None,
    progress: Watching = None,
) -> dict[str, Result]:
    """Runs each of several flows by itself, with the requests that it has beside the others.

    `Result.slowdowns` and `Result.fairness` of the run with all flows take what this returns. With `steady` each run
    begins with a drive at the equilibrium of its own flow.

    Args:
        config: As for `run`.
        workload: Several flows, as for `run`.
        requests: As for `run`.
        scale: As for `run`.
        steady: As for `run`.
        seed: As for `run`.
        jobs: Parallel processes, 1 or more; None: one per core. With 1 everything runs in this process.
        check: Checked mode, see `run`.
        store: Keeps finished runs; None: they are not kept.
        progress: Called when it begins, after every run, and some times a second in between; True: a bar.

    Returns:
        The results, by the flow's name. Where there are namespaces, each run also has one read in each of the
        others, since they divide the drive.

    Raises:
        WorkloadError: There is one flow.
        WordlineError: See `run`; from the first run that fails.
    """
    config = as_wanted(preset(config) if isinstance(config, str) else config, scale, steady=steady, seed=seed)
    flows = flows_of(limited(workload, requests, config), config)
    if len(flows) < 2:
        raise WorkloadError("there is one flow, which is alone already; name several")
    flows = _as_together(config, flows)
    points = [Point(config, {}, [flow, *_other_namespaces(flow, flows)], check=check) for flow in flows]
    outcomes = run_points(points, jobs=jobs, store=store, progress=progress, stop_at_failure=True)
    results = (outcome.result for outcome in outcomes)
    return {flow.name: result for flow, result in zip(flows, results, strict=True) if result is not None}


def _other_namespaces(flow: Flow, flows: Sequence[Flow]) -> list[Flow]:
    """Returns a flow of one read for each namespace but the flow's own: the drive is divided as it is for all."""
    if flow.namespace is None:
        return []
    others = {each.namespace: each for each in flows if each.namespace not in (None, flow.namespace)}
    read = workload_of("fio/random-read", requests=1)
    return [Flow(each.name, read, mode="closed", queue_depth=1, namespace=each.namespace) for each in others.values()]


def _as_together(config: Config, flows: Sequence[Flow]) -> list[Flow]:
    """Returns the flows such that each by itself sends the requests that it sends beside the others."""
    _, forms = resolved(config, flows)
    return [
        replace(flow, workload=flow.workload.with_settings({"seed": form["workload"]["seed"]}))
        if isinstance(flow.workload, Workload)
        else flow
        for flow, form in zip(flows, forms, strict=True)
    ]
