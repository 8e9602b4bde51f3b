"""The arrival rate: the study's one load parameter, set in the same runs that are measured."""

from __future__ import annotations

import functools
import json
import statistics
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from ...api import run
from ...config import preset
from ...workload import workload
from . import setups

# The uses of a chip that count: reads (with the link), or programs and erases, too.
Counted = Literal["reads", "all"]
# Tolerance of the mean load, and the number of attempts to set the factor.
WITHIN = 0.0003
STEPS_MAX = 12
# Bounds of the load's growth with the factor, as multiples of their ratio.
SLOPES = (0.3, 1.5)
NS_PER_US = 1000
US_PER_S = 1e6
Keys = Mapping[str, Any]


def busy_s(document: Mapping[str, Any], has_own_link: bool, counted: Counted = "reads") -> float:
    """Returns the mean time that a chip is held by its array or its own link; without one, a channel's time, s."""
    channel, die = document["channel_time"]["mean"], document["die_utilisation"]
    link, array = channel["cor"] + channel["uncor"], die["read"]
    if counted == "all":
        link, array = link + channel["write"], die["mean"]
    share = array + link if has_own_link else link
    return float(share * document["simulated_s"])


@functools.cache
def last_arrival_us(its: str, name: str, requests: int) -> float:
    """Returns the arrival of the last request of a look-alike (settings: JSON), at the trace's own pace, us."""
    config = preset("ida").set_all({**setups.SMALL, **json.loads(its), "host.mode": "open"})
    table = run(config, workload(setups.full(name), requests=requests), log_requests=True).requests()
    return float(max(table["arrival_ns"].to_pylist()) / NS_PER_US)


def arrivals_us(settings: Keys, name: str, requests: int) -> float:
    """Returns the time over which a point's requests arrive, us; its nominal length differs from it by about 1 %."""
    its = {key: value for key, value in settings.items() if key.startswith("workload.")}
    return last_arrival_us(json.dumps(its), name, requests) * float(settings["host.time_scale"])


@functools.cache
def load(ssd: str, settings: str, name: str, requests: int, time_scale: float, counted: Counted) -> float:
    """Returns the share of time, while requests arrive, that chips (or shared channels) are held in a baseline run."""
    keys = {**json.loads(settings), **setups.BASELINE, "host.mode": "open", "host.time_scale": time_scale}
    document = run(preset(ssd).set_all(keys), workload(setups.full(name), requests=requests)).document
    busy_us = busy_s(document, keys["schedule.unit"] == "chip", counted) * US_PER_S
    return busy_us / arrivals_us(keys, name, requests)


def offered(
    ssd: str, settings: Mapping[str, Keys], requests: int, target: float, counted: Counted = "reads"
) -> dict[str, dict[str, Any]]:
    """Returns arrivals of some workloads, with one factor for all that gives a mean load in these same runs.

    The factor applies to the pace at which a workload would hold the chips all the time if its requests cost the same
    as at the trace's pace. In a run they may cost less: if writes wait for their programs, reads of their data are
    answered from the controller's memory. So each workload has a load of its own; their mean is set.

    Raises:
        ValueError: No factor gives this load.
    """
    every = {name: json.dumps(keys) for name, keys in settings.items()}

    def loads(paces: Mapping[str, float]) -> list[float]:
        with ThreadPoolExecutor() as pool:
            return list(pool.map(lambda name: load(ssd, every[name], name, requests, paces[name], counted), every))

    full = dict(zip(every, loads(dict.fromkeys(every, 1.0)), strict=True))
    factor = target
    before: tuple[float, float] | None = None
    for _ in range(STEPS_MAX):
        paces = {name: full[name] / factor for name in every}
        mean = statistics.fmean(loads(paces))
        if abs(mean - target) < WITHIN:
            return {name: {"host.mode": "open", "host.time_scale": pace} for name, pace in paces.items()}
        slope = mean / factor
        if before is not None:
            # A line through the last two points, unless they are too close to give a slope.
            line = (mean - before[1]) / (factor - before[0])
            slope = min(max(line, slope * SLOPES[0]), slope * SLOPES[1])
        before = factor, mean
        factor += (target - mean) / slope
    raise ValueError(f"a mean load of {target} is out of reach: {mean:.4f} with a factor of {factor:.4f}")
