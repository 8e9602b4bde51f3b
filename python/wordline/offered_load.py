"""The offered load as a share of what a drive serves at most: `"50%"` of a closed loop becomes a rate of requests."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from .config import Config
from .errors import WorkloadError
from .result import Result
from .stats.aged import requests_from_rest
from .workload import FioJob, Flow, Trace, Workload, WorkloadLike, flows_of

__all__ = ["Measure", "OfferedLoad", "measured", "share_of"]

MODE = "host.mode"
INTERVAL = "workload.inter_arrival_us"
DEPTH = "host.queue_depth"
SCALE = "host.time_scale"
WARMUP = "host.warmup_requests"
SHARE_MAX = 2.0
"""More than twice the maximum says nothing that twice does not."""
SHARE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(%?)\s*")
US_PER_S = 1e6
KNOWN_WIDTH = 0.05
"""On a drive that was aged, the loop runs on until half of the interval is at most this share of the maximum, and write
amplification is steady,"""
LENGTH_MAX = 8
"""but it counts and leaves out at most so many times the requests of the run."""

Measure = Callable[[Config, Flow], Result]
"""Runs a flow on an SSD."""


@dataclass(frozen=True)
class OfferedLoad:
    """A load that is a share of what a drive serves at most. Made by `offered_load`.

    Attributes:
        share: The share, such as 0.5.
        maximum_iops: Requests a second of the closed loop: as many are outstanding as `queue_depth` says, all the time.
        half_width_iops: Half of the interval (95 %) of `maximum_iops`; None: the run was too short for one.
        queue_depth: Requests outstanding in that loop: the flow's own, or `host.queue_depth`.
        workload: The name of the workload.
        doubt: Why the drive may serve another number in the long run; None if nothing says so.
    """

    share: float
    maximum_iops: float
    half_width_iops: float | None
    queue_depth: int
    workload: str
    doubt: str | None = None

    @property
    def inter_arrival_us(self) -> float:
        """The mean time between requests, in whole nanoseconds."""
        return max(round(US_PER_S / (self.share * self.maximum_iops), 3), 0.001)

    def at(self, load: str | float | OfferedLoad) -> OfferedLoad:
        """Returns another share of the same maximum; what was measured before stays as it is.

        Raises:
            WorkloadError: It is no share.
        """
        return load if isinstance(load, OfferedLoad) else replace(self, share=share_of(load))

    def on(self, config: Config) -> Config:
        """Returns the configuration with this load: `host.mode` and `workload.inter_arrival_us`."""
        # A depth that the user gave has acted where the maximum was measured: it is not idle.
        depth = {DEPTH: config[DEPTH]} if DEPTH in config.given() else {}
        return config.set_all({MODE: "open", INTERVAL: self.inter_arrival_us, **depth})

    def __str__(self) -> str:
        spread = " (±?)" if self.half_width_iops is None else f" (±{self.half_width_iops:,.0f})"
        doubt = "" if self.doubt is None else f"; {self.doubt}"
        return (
            f"load: {100 * self.share:g} % of {self.maximum_iops:,.0f}{spread} requests a second, which "
            f"{self.workload} gets with {self.queue_depth} outstanding: "
            f"{MODE}=open {INTERVAL}={self.inter_arrival_us:g}{doubt}"
        )


def share_of(load: str | float) -> float:
    """Returns a share of the maximum, written as `"50%"` or as 0.5.

    Raises:
        WorkloadError: It is none, or not above 0 and up to 200 %.
    """
    match = SHARE.fullmatch(str(load))
    share = float(match[1]) / (100.0 if match[2] else 1.0) if match and not isinstance(load, bool) else 0.0
    if not 0.0 < share <= SHARE_MAX:
        raise WorkloadError(
            f"load = {load}: write the share of what the drive serves at most, such as 50% or 0.5", key="load"
        )
    return share


def measured(config: Config, workload: WorkloadLike, load: str | float | OfferedLoad, measure: Measure) -> OfferedLoad:
    """Returns the load that is a share of what a drive serves at most of a workload.

    Args:
        config: The SSD and its host.
        workload: One synthetic workload.
        load: The share; one that was measured before stays as it is.
        measure: Runs the workload in a closed loop.

    Raises:
        WorkloadError: The requests have times of their own, or their times come from elsewhere.
    """
    if isinstance(load, OfferedLoad):
        return load
    share = share_of(load)
    flow = _checked(flows_of(workload, config), config)
    result = _long_enough(config.set(MODE, "closed"), replace(flow, mode="closed"), measure)
    maximum = result.document["iops"]["all"]
    if not maximum:
        _refuse("it served no request in a closed loop", "give it requests")
    interval = result.interval("iops")
    return OfferedLoad(
        share,
        maximum,
        None if interval is None else interval.half_width,
        flow.queue_depth or config[DEPTH],
        result.workload["name"],
        _doubt(result.document),
    )


def _long_enough(config: Config, flow: Flow, measure: Measure) -> Result:
    """Returns the closed loop. On a drive that was aged it leaves out what rest has won, and runs until it is known."""
    result = measure(config, flow)
    if not result.document["precondition"]["steady"]:
        return result
    length = result.document["requests"]["all"]
    counted, most = length, LENGTH_MAX * length
    while (left_out := requests_from_rest(result.document)) <= most:
        if left_out:
            config = config.set(WARMUP, left_out)
        elif not _is_known(result) and 2 * counted <= most:
            counted *= 2
        else:
            break
        result = measure(config, flow.limited(config[WARMUP] + counted))
    return result


def _is_known(result: Result) -> bool:
    """Whether the rate is, and whether garbage collection worked as it does for long: its cycles last long."""
    interval = result.interval("iops")
    return interval is not None and interval.relative_half_width <= KNOWN_WIDTH and not _unsteady(result.document)


def _unsteady(document: Mapping[str, Any]) -> str | None:
    """Returns why write amplification is not steady, if it is not."""
    amplification = document["steady"]["write_amplification"]
    return None if amplification is None or amplification["verdict"] == "steady" else amplification["reason"]


def _doubt(document: Mapping[str, Any]) -> str | None:
    if not document["precondition"]["steady"]:
        return None
    if left_out := requests_from_rest(document):
        return (
            f"in the long run the drive serves fewer, since the first {left_out:,} requests after aging are faster: "
            f"-n {math.ceil(left_out / (LENGTH_MAX - 1))} or more leaves them out"
        )
    if why := _unsteady(document):
        return f"the rate of the long run may differ, since write amplification is not steady ({why}): -n takes more"
    return None


def _checked(flows: list[Flow], config: Config) -> Flow:
    """Returns the only flow, if its times are free."""
    if len(flows) > 1:
        is_fio = any(isinstance(each.workload, FioJob) for each in flows)
        _refuse("there are several flows", f"give each its rate with {'rate_iops=' if is_fio else 'inter_arrival_us'}")
    (flow,) = flows
    workload = flow.workload
    if isinstance(workload, Trace):
        _refuse(
            "a trace has times of its own", "host.time_scale presses or stretches them, host.mode=closed ignores them"
        )
    if not isinstance(workload, Workload):
        _refuse("a fio job has a rate of its own", "write rate_iops= in the job file")
    settings = {layer.name for layer in config.layers if layer.is_setting}
    given = {key for key in (MODE, INTERVAL, SCALE) if config.origins()[key].layer in settings}
    given |= {INTERVAL} & {f"workload.{key}" for key, _ in workload.settings}
    for key in sorted(given):
        _refuse(f"{key} is given, too", "leave one of them out")
    if flow.mode != "auto" or flow.time_scale is not None or flow.rest is not None:
        _refuse(f"the flow {flow.name} says how its requests come", "leave mode, time_scale and rest out")
    if flow.config(config)["workload.phases"]:
        _refuse("workload.phases have times of their own", "set inter_arrival_us in each phase")
    return flow


def _refuse(why: str, fix: str) -> NoReturn:
    raise WorkloadError(f"a load is a share of what the drive serves, and {why}; {fix}", key="load")
