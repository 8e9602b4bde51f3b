"""How fast requests come: the study's one load parameter, met in the very runs that are measured."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from ...api import run
from ...config import preset
from ...workload import workload
from . import systems, workloads

# What counts as use of a chip: reads (with the link), or programs and erases, too.
Counted = Literal["reads", "all"]
COUNTED: tuple[Counted, ...] = ("reads", "all")
# How near the mean of the loads must come, and how often the factor may be set anew for that.
WITHIN = 0.0003
STEPS_MAX = 12
# How fast the load may rise with the factor, as multiples of their ratio.
SLOPES = (0.3, 1.5)
NS_PER_US = 1000
US_PER_S = 1e6
Keys = Mapping[str, Any]
Hashable = tuple[tuple[str, Any], ...]


def hashable(settings: Keys) -> Hashable:
    """Settings as a key of a cache."""
    return tuple(sorted((key, tuple(v) if isinstance(v, list) else v) for key, v in settings.items()))


def busy_s(document: Mapping[str, Any], has_own_link: bool, counted: Counted = "reads") -> float:
    """Time that a chip, on the mean, is held by its array or its own link; without one, that a channel is, seconds."""
    channel, die = document["channel_time"]["mean"], document["die_utilisation"]
    link, array = channel["cor"] + channel["uncor"], die["read"]
    if counted == "all":
        link, array = link + channel["write"], die["mean"]
    share = array + link if has_own_link else link
    return float(share * document["simulated_s"])


@functools.cache
def last_arrival_us(its: Hashable, name: str, requests: int) -> float:
    """When the last request of a look-alike comes, at the trace's own pace, us."""
    config = preset("ida").set_all({**systems.SMALL, **keys_of(its), "host.mode": "open"})
    table = run(config, workload(workloads.full(name), requests=requests), log_requests=True).requests()
    return float(max(table["arrival_ns"].to_pylist()) / NS_PER_US)


def arrivals_us(settings: Keys, name: str, requests: int) -> float:
    """Time over which the requests of a point come, us; not its nominal length, from which a run is a per cent off."""
    its = {key: value for key, value in settings.items() if key.startswith("workload.")}
    return last_arrival_us(hashable(its), name, requests) * float(settings["host.time_scale"])


@functools.cache
def load(ssd: str, settings: Hashable, name: str, requests: int, time_scale: float, counted: Counted) -> float:
    """Share of the time, while requests come, that the chips (or shared channels) are held in a run of the baseline."""
    keys = {**keys_of(settings), **systems.BASELINE, "host.mode": "open", "host.time_scale": time_scale}
    document = run(preset(ssd).set_all(keys), workload(workloads.full(name), requests=requests)).document
    busy_us = busy_s(document, keys["schedule.unit"] == "chip", counted) * US_PER_S
    return busy_us / arrivals_us(keys, name, requests)


def keys_of(settings: Hashable) -> dict[str, Any]:
    """Settings from the key of a cache."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in settings}


def offered(
    ssd: str, settings: Mapping[str, Keys], requests: int, target: float, counted: Counted = "reads"
) -> dict[str, dict[str, Any]]:
    """Arrivals of some workloads, given each one's settings: one factor for all, for a mean load in these very runs.

    The factor is on the pace at which a workload would hold the chips all the time if its requests went on to cost
    what they cost at the trace's pace. In a run they may cost less: where writes wait for their programs, reads of
    what they bring are answered from the controller's memory. So each workload comes to a load of its own; their mean
    is set.

    Raises:
        ValueError: No factor gives that load.
    """
    every = {name: hashable(keys) for name, keys in settings.items()}

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
            # The line through the last two, unless they were so near that it means nothing.
            line = (mean - before[1]) / (factor - before[0])
            slope = min(max(line, slope * SLOPES[0]), slope * SLOPES[1])
        before = factor, mean
        factor += (target - mean) / slope
    raise ValueError(f"a mean load of {target} is out of reach: {mean:.4f} with a factor of {factor:.4f}")
