"""Fits each workload's load to its saving on the SSD of MLC (Table V); Fig. 8 to 11 follow from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from wordline.api import run
from wordline.config import preset
from wordline.workload import workload

from ..claims import all_claims
from . import pace, points, setups

# Shares of the pace that would hold the chips all the time, between which the fit searches; and its steps.
BOUNDS = (0.05, 1.5)
STEPS = 11
DIGITS = 3


def loads(note: Callable[[str], object] = print) -> dict[str, float]:
    """Returns the load of every workload, in runs of the study's full length.

    Where IDA saves more than Table V says at any load, it is that of the lower bound.
    """

    def fitted(name: str) -> float:
        fit = load(name, wanted(name))
        note(f"{name}: {fit:.{DIGITS}f}")
        return fit

    with ThreadPoolExecutor() as pool:
        return dict(zip(setups.NAMES, pool.map(fitted, setups.NAMES), strict=True))


def wanted(name: str) -> float:
    """Returns a workload's saving in Table V."""
    return float(all_claims()[f"ida.tableV.{name}"].value)


def load(name: str, saved: float) -> float:
    """Returns the load at which E20 saves this share of the mean read response on the SSD of MLC."""
    keys = {**setups.CHIP_SERVERS, **points.filled(name), **setups.scaled(name), **setups.updated(name)}
    full = pace.load("ida", json.dumps(keys), name, points.REQUESTS, 1.0, "reads")
    low, high = BOUNDS
    if saving(name, keys, full / low) < saved:
        for _ in range(STEPS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if saving(name, keys, full / middle) < saved else (low, middle)
    else:
        high = low
    return round(
        pace.load("ida", json.dumps(keys), name, points.REQUESTS, full / ((low + high) / 2.0), "reads"), DIGITS
    )


def saving(name: str, keys: pace.Keys, time_scale: float) -> float:
    """Returns what E20 saves on the SSD of MLC when requests come at a multiple of the trace's time between them."""
    warmup = {"host.warmup_requests": points.REQUESTS // 20}
    open_ = {**keys, **warmup, "host.mode": "open", "host.time_scale": time_scale}
    requests = workload(setups.full(name), requests=points.REQUESTS)
    before, after = (
        run(preset("ida-mlc").set_all({**open_, **system}), requests).read.mean for _, system in points.PAIR
    )
    return 1.0 - after / before
