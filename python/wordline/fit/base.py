"""The base of a fit that names none: the preset that is nearest to the points when it has their closed forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..agreement import Simulator
from ..config import Config
from ..errors import WordlineError, WorkloadError
from ..measured import Point
from .drive import SATA_OUTSTANDING, check_enough, link_of, over_sata, part_of, spread, usable
from .residuals import residuals_of
from .search import Say, cost_of
from .start import model_of

__all__ = ["BASES", "Base", "bases_by_cost"]

BASES = (
    "datacenter-tlc",
    "datacenter-qlc",
    "consumer-tlc",
    "consumer-qlc",
    "samsung-pm883-480gb",
    "samsung-860-pro",
    "samsung-980-pro-1tb",
    "wd-sn540-960gb",
    "sabrent-rocket-4-plus-2tb",
)
"""Drives of each kind: datacenter, consumer; SATA, NVMe; two to four bits a cell; with an SLC cache or without."""


@dataclass(frozen=True, slots=True)
class Base:
    """A preset that a fit may begin with: its name, its configuration, and how far it is from the points."""

    name: str
    config: Config
    cost: float


def bases_by_cost(
    build: Callable[[str], Config],
    points: Sequence[Point],
    simulator: Simulator,
    free: Sequence[str] = (),
    say: Say | None = None,
) -> list[Base]:
    """Returns the presets that can run the points, the nearest one first.

    Each is run as it is, and with closed forms of the points for what a fit searches: there the rest decides, such as
    link, buffer, cells and dies.

    Args:
        build: Returns the configuration of a preset, with the settings of the fit on top.
        points: What was measured.
        simulator: Runs the points.
        free: What is searched, as in `fit`.
        say: Called with what is done, and the number of simulations so far.

    Raises:
        WordlineError: No preset can run them; the error is that of the first one.
    """
    some = _spread_of(points)
    known, failed = [], []
    for name in BASES:
        if say is not None:
            say(f"base: {name}", simulator.runs)
        try:
            config = build(name)
            known.append(Base(name, config, _cost(config, some, simulator, free)))
        except WordlineError as error:
            failed.append(error)
    if not known:
        raise failed[0]
    return sorted(known, key=lambda each: each.cost)


def _spread_of(points: Sequence[Point]) -> list[Point]:
    """Returns some of the points that say something of a drive, whatever drive that is."""
    used = [
        each for each in points if not each.doubt and not (over_sata(points) and each.outstanding > SATA_OUTSTANDING)
    ]
    if not used:
        raise WorkloadError(f"no point says anything of the drive; {points[0].where}: {points[0].doubt}")
    return spread(used)


def _cost(config: Config, points: Sequence[Point], simulator: Simulator, free: Sequence[str]) -> float:
    """Returns the cost of points on a drive: the lower one of what it is and what it is with their closed forms."""
    part = part_of(config.set_all(dict(link_of(config, points))))
    model = model_of(part, usable(part, points)[0], free)
    check_enough(points, model)
    near = model.config({each.name: each.start for each in model.parameters})
    residuals = residuals_of(points)
    return min(cost_of(np.array(residuals.of(gave))) for gave in simulator.batch([(part, points), (near, points)]))
