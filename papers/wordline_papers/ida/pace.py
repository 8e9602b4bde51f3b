"""The arrival rate: each workload's own load, set in the same runs that are measured."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from wordline.api import run
from wordline.config import preset

from . import setups

# The uses of a chip that count: reads (with the link), or programs and erases, too.
Counted = Literal["reads", "all"]
# Tolerance of a load, and the number of attempts to set the factor.
WITHIN = 0.0003
STEPS_MAX = 12
# Bounds of the load's growth with the factor, as multiples of their ratio.
SLOPES = (0.3, 1.5)
NS_PER_US = 1000
US_PER_S = 1e6
Keys = Mapping[str, Any]


def held(document: Mapping[str, Any], arrivals_us: float, has_own_link: bool, counted: Counted = "reads") -> float:
    """Returns the share of time, between the warm-up and the last arrival, that chips are held by array or own link.

    Without such links it is the share of the channels' time.
    """
    channel, die = document["channel_time"]["mean"], document["die_utilisation"]
    link, array = channel["cor"] + channel["uncor"], die["read"]
    if counted == "all":
        link, array = link + channel["write"], die["mean"]
    share = array + link if has_own_link else link
    window = document["window"]
    return float(share * (window["end_s"] - window["start_s"]) / (arrivals_us / US_PER_S - window["start_s"]))


@functools.cache
def last_arrival_us(key: str, name: str, requests: int) -> float:
    """Returns the arrival of the last request of a look-alike (settings: JSON), at the trace's own pace, us."""
    config = preset("ida").set_all({**setups.SMALL, **json.loads(key), "host.mode": "open"})
    table = run(config, setups.replayed(name, requests), log_requests=True).requests()
    return float(max(table["arrival_ns"].to_pylist()) / NS_PER_US)


def arrivals_us(settings: Keys, name: str, requests: int) -> float:
    """Returns the time over which a point's requests arrive, us; its nominal length differs from it by about 1 %."""
    of_workload = {key: value for key, value in settings.items() if key.startswith("workload.")}
    return last_arrival_us(json.dumps(of_workload), name, requests) * float(settings["host.time_scale"])


@functools.cache
def load(ssd: str, settings: str, name: str, requests: int, time_scale: float, counted: Counted) -> float:
    """Returns the share of time, while requests arrive, that chips (or shared channels) are held in a baseline run."""
    keys = {**json.loads(settings), **setups.BASELINE, "host.mode": "open", "host.time_scale": time_scale}
    document = run(preset(ssd).set_all(keys), setups.replayed(name, requests)).document
    return held(document, arrivals_us(keys, name, requests), keys["schedule.unit"] == "chip", counted)


def offered(
    ssd: str, settings: Mapping[str, Keys], requests: int, targets: Mapping[str, float], counted: Counted = "reads"
) -> dict[str, dict[str, Any]]:
    """Returns arrivals of some workloads, each with a factor that gives its load in these same runs.

    Raises:
        ValueError: No factor gives a load.
    """

    def arrivals(name: str) -> dict[str, Any]:
        scale = time_scale(ssd, json.dumps(settings[name]), name, requests, targets[name], counted)
        return {"host.mode": "open", "host.time_scale": scale}

    with ThreadPoolExecutor() as pool:
        return dict(zip(settings, pool.map(arrivals, settings), strict=True))


@functools.cache
def time_scale(ssd: str, settings: str, name: str, requests: int, target: float, counted: Counted) -> float:
    """Returns the factor on a workload's time between requests that gives a load.

    It starts from the pace at which the workload would hold the chips for this share of the time if its requests cost
    the same as at the trace's pace. In a run they may cost less: if writes wait for their programs, reads of their data
    are answered from the controller's memory.

    Raises:
        ValueError: No factor gives this load.
    """
    full = load(ssd, settings, name, requests, 1.0, counted)
    factor, load_now = target, 0.0
    before: tuple[float, float] | None = None
    for _ in range(STEPS_MAX):
        load_now = load(ssd, settings, name, requests, full / factor, counted)
        if abs(load_now - target) < WITHIN:
            return full / factor
        slope = load_now / factor
        if before is not None:
            # A line through the last two points, unless they are too close to give a slope.
            line = (load_now - before[1]) / (factor - before[0])
            slope = min(max(line, slope * SLOPES[0]), slope * SLOPES[1])
        before = factor, load_now
        factor += (target - load_now) / slope
    raise ValueError(f"a load of {target} is out of reach of {name}: {load_now:.4f} with a factor of {factor:.4f}")
