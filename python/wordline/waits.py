"""What the reads of a run would wait for, from its timeline and its requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .stats.die_holds import CAUSES, Suspension, holds_of
from .stats.waits import waits_of

if TYPE_CHECKING:
    from .config import Config
    from .result import Result
    from .stats.interval import Interval
    from .stats.waits import Waits

__all__ = ["ALL_US", "Cause", "ReadWaits", "read_waits"]

ALL_US = (0.0, 1e15)
"""A timeline of the whole run."""
ENOUGH = 10
"""A percentile with fewer reads beyond it is not counted."""
TAIL_POINTS = 129
SECTOR_BYTES = 512
SHARES = {"p99": 0.99, "p999": 0.999, "p9999": 0.9999, "p99999": 0.99999, "p999999": 0.999999}


@dataclass(frozen=True, slots=True)
class Cause:
    """What one kind of operation does to reads.

    Attributes:
        name: What it is.
        met: The share of the reads that come while it holds their die.
        mean_us: How long those wait on the mean.
        percentiles_us: Waits for this alone, which the share of the reads does not exceed.
        tail: Waits, us, with the share of the reads that wait longer.
    """

    name: str
    met: Interval
    mean_us: float
    percentiles_us: dict[str, Interval]
    tail: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class ReadWaits:
    """What the reads of a run would wait for.

    Attributes:
        reads: Number of reads.
        unhindered_us: The median response time, which most reads have that wait for nothing.
        causes: Each kind of operation by itself.
        response_us: Estimated percentiles of the response time: the wait, and that median.
        counted_us: The same percentiles, counted in the run; None where fewer than ten reads lie beyond.
    """

    reads: int
    unhindered_us: float
    causes: tuple[Cause, ...]
    response_us: dict[str, Interval]
    counted_us: dict[str, float | None]

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON document."""
        return {
            "reads": self.reads,
            "unhindered_us": self.unhindered_us,
            "causes": [
                {
                    "name": cause.name,
                    "met": {"value": cause.met.value, **cause.met.to_dict()},
                    "mean_us": cause.mean_us,
                    "percentiles_us": _percentiles(cause.percentiles_us),
                    "tail": [{"wait_us": wait_us, "share": share} for wait_us, share in cause.tail],
                }
                for cause in self.causes
            ],
            "response_us": _percentiles(self.response_us),
            "counted_us": self.counted_us,
        }


def _percentiles(intervals: dict[str, Interval]) -> dict[str, dict[str, Any]]:
    return {name: {"value": each.value, **each.to_dict()} for name, each in intervals.items()}


def read_waits(result: Result) -> ReadWaits:
    """Returns what the reads of a run would wait for: its erases, its programs, and the reads of garbage collection.

    Each operation counts with its length and with the rate at which reads came to its die, so rare waits are estimated
    where few reads or none met them. Reads that wait for other reads of the host are left out, and so are channels: the
    estimate is of the tail, not of the middle.

    Args:
        result: A run with `log_requests=True` and `timeline_us=waits.ALL_US`, of a host whose requests do not wait for
            each other.

    Raises:
        ValueError: The run did not keep them, has no reads, or its host is a closed loop.
    """
    import numpy as np

    config = result.config
    if config["host.mode"] == "closed":
        raise ValueError("host.mode = closed: a host that waits for its reads sends none meanwhile; take open arrivals")
    requests, timeline = result.arrays("requests"), result.arrays("timeline")
    is_read = requests["op"] == "read"
    reads = int(is_read.sum())
    if not reads:
        raise ValueError("the run has no reads")
    arrival, sector, sectors, completed = (
        requests[name][is_read] for name in ("submitted_ns", "sector", "sectors", "completed_ns")
    )
    page = config["ssd.page_bytes"] // SECTOR_BYTES
    dies = dies_of(config)
    asked = np.minimum((sector % page + sectors + page - 1) // page, dies).astype(np.float64)
    waits = waits_of(
        holds_of(timeline, suspension_of(config)),
        arrival.astype(np.float64),
        asked,
        dies,
        service_ns=_mean_sense_ns(timeline),
    )
    response_us = np.sort((completed - arrival) / 1000.0)
    unhindered_us = float(np.median(response_us))
    return ReadWaits(
        reads,
        unhindered_us,
        tuple(_cause(name, waits.of(kind)) for kind, name in CAUSES.items()),
        {name: each.plus(unhindered_us) for name, each in _percentiles_of(waits).items()},
        {name: _counted(response_us, share) for name, share in SHARES.items()},
    )


def dies_of(config: Config) -> int:
    """Returns the number of dies, or of chips where a chip takes one command at a time."""
    chips = config["ssd.channels"] * config["ssd.chips_per_channel"]
    return int(chips if config["schedule.unit"] == "chip" else chips * config["ssd.dies_per_chip"])


def suspension_of(config: Config) -> Suspension:
    """Returns what a read does to an erase that it meets."""
    return Suspension(
        config["erase.yield"],
        1000.0 * config["schedule.suspend_min_remaining_us"],
        1000.0 * config["nand.erase_suspend_us"],
        1000.0 * config["nand.program_suspend_us"] if config["program.suspend"] else None,
    )


def _cause(name: str, waits: Waits) -> Cause:
    return Cause(name, waits.beyond(0.0), waits.mean_us(), _percentiles_of(waits), waits.tail(TAIL_POINTS))


def _percentiles_of(waits: Waits) -> dict[str, Interval]:
    return dict(zip(SHARES, waits.percentiles_us(*SHARES.values()), strict=True))


def _counted(response_us: Any, share: float) -> float | None:  # noqa: ANN401 - an array
    """Returns the response time that this share does not exceed; None where fewer than ten lie beyond."""
    beyond = len(response_us) * (1.0 - share)
    return float(response_us[-round(beyond) - 1]) if round(beyond) >= ENOUGH else None


def _mean_sense_ns(timeline: Any) -> float:  # noqa: ANN401 - columns
    senses = (timeline["name"] == "sense") & (timeline["class"] == "user-read")
    return float(timeline["duration_ns"][senses].mean()) if senses.any() else 0.0
