"""Drives whose parameters are known: what a fit has to find again."""

from __future__ import annotations

import random
from collections.abc import Mapping

import wordline as wl
from wordline.config import Config
from wordline.fit import Fit
from wordline.measured import Load

TRUTH = {
    "path_us": 8.0,
    "job_us": 2.0,
    "read_1_us": 40.0,
    "read_2_us": 48.0,
    "read_3_us": 60.0,
    "command_read_us": 2.2,
    "command_write_us": 1.8,
}
"""The parameters of one drive."""
BASE = {
    "ssd.scale": "1/64",
    "cells.chip": "none",
    "cells.stand_in": "",
    "coding.scheme": "tlc-1-2-4",
    "nand.read_us": [45.0, 55.0, 60.0, 70.0],
}


def base() -> Config:
    """Returns the drive that a fit begins with."""
    return wl.preset("datacenter-tlc").set_all(BASE)


def drawn(seed: int) -> dict[str, float]:
    """Returns the parameters of a drive by chance."""
    draw = random.Random(seed)  # noqa: S311 - which drives are tried
    first = draw.uniform(35, 50)
    second = first * draw.uniform(1.1, 1.25)
    return {
        "path_us": draw.uniform(5, 12),
        "job_us": draw.uniform(1, 3),
        "read_1_us": first,
        "read_2_us": second,
        "read_3_us": second * draw.uniform(1.1, 1.35),
        "command_read_us": draw.uniform(1.5, 4),
        "command_write_us": draw.uniform(1.5, 4),
    }


def loads_of(op: str, splits: list[tuple[int, int]], block: int = 4096) -> list[Load]:
    """Returns random reads or writes at several depths, in several jobs."""
    return [Load(float(op == "read"), True, block, block, depth, jobs) for depth, jobs in splits]


def is_inside(done: Fit, name: str, truth: Mapping[str, float]) -> bool:
    """Returns whether a parameter's interval contains the truth."""
    known = done.known[name]
    return (known.low or 0.0) <= truth[name] <= (known.high or float("inf"))
