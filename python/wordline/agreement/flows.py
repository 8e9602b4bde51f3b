"""The flows of a measured load: one for each job, for as long as the numbers need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..config import Config
from ..measured import Load, Point
from ..workload import Flow, Workload

__all__ = ["REPLAY", "UNRATED_BYTES_S", "Length", "Window", "flows_of", "rate_of", "window_of"]

ROUNDS = 12
"""The window is at least so often as long as a request takes, so that its ends hardly count."""
WARM_ROUNDS = 3
BUFFER_TIMES = 1.5
"""Writes fill the drive's buffer so often before they count, where the flash may be slower than they are."""
WORDLINE_TIMES = 2.0
"""They fill a wordline of each die so often in any case: the first programs begin when one is full."""
SURE_SHARE = 0.25
"""Writes of less than this share of what the flash programs never fill the buffer, also beside garbage collection."""
BITS = {"slc": 1, "mlc": 2, "tlc": 3, "qlc": 4}
REQUESTS_MAX = 1 << 40
"""More than any window holds: time ends a flow."""
UNRATED_BYTES_S = 1e9
"""What a load beside the measured one is taken to write, for the length of the warm-up alone."""


@dataclass(frozen=True, slots=True)
class Length:
    """How much is simulated for a point.

    Attributes:
        requests: Requests of the measured load that count, at the measured rate.
        longest_s: No window is longer.
    """

    requests: int = 5000
    longest_s: float = 10.0


@dataclass(frozen=True, slots=True)
class Window:
    """When a run counts, s: from the end of the warm-up to the end of submission."""

    begin_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        """Its length, s."""
        return self.end_s - self.begin_s


REPLAY: dict[str, object] = {"host.warmup_requests": 0, "host.duration_s": 0.0, "host.mode": "auto"}
"""Settings of the drive's configuration that a measured load takes the place of."""


def window_of(point: Point, config: Config, length: Length) -> Window:
    """Returns when the run of a point counts."""
    load, rate = point.loads[0], rate_of(point)
    begin = WARM_ROUNDS * load.outstanding / rate
    for each in point.loads:
        if each.read_ratio == 1 or each.rate_iops is not None:
            continue
        written = UNRATED_BYTES_S if each is not load else rate * (1 - load.read_ratio) * load.write_bytes
        begin = max(begin, _warm_bytes(config, written) / written)
    begin = min(begin, length.longest_s)
    counted = max(length.requests, ROUNDS * load.outstanding) / rate
    return Window(begin, begin + min(counted, length.longest_s))


def rate_of(point: Point) -> float:
    """Returns the requests a second of a point's load, of both kinds where only one was measured."""
    load = point.loads[0]
    share = 1.0 if len(load.ops) == 1 else load.read_ratio if point.op == "read" else 1 - load.read_ratio
    return (point.numbers.iops or 1.0) / share


def _warm_bytes(config: Config, bytes_s: float) -> float:
    """Returns how much writes of some rate write before they count."""
    if config["cache.mode"] not in ("write", "read-write"):
        return 0.0
    buffer = BUFFER_TIMES * float(config["cache.capacity_bytes"])
    dies = config["ssd.channels"] * config["ssd.chips_per_channel"] * config["ssd.dies_per_chip"]
    bits = BITS[config["coding.cell"]]
    wordlines = float(dies * config["ssd.planes_per_die"] * config["ssd.page_bytes"] * bits)
    unit_us = config["nand.program_wordline_us"] if config["program.unit"] == "wordline" else 0.0
    program_us = unit_us or bits * max(config["nand.program_us"])
    if bytes_s < SURE_SHARE * wordlines / program_us * 1e6:
        return min(WORDLINE_TIMES * wordlines, buffer)
    return buffer


def flows_of(loads: Sequence[Load], window: Window) -> list[Flow]:
    """Returns the flows of loads; those of load `i` are named `i.0`, `i.1` and so on."""
    return [_flow(f"{number}.{job}", load, window) for number, load in enumerate(loads) for job in range(load.jobs)]


def _flow(name: str, load: Load, window: Window) -> Flow:
    settings: dict[str, object] = {
        "requests": REQUESTS_MAX,
        "read_ratio": load.read_ratio,
        "pattern": "random" if load.is_random else "sequential",
        "size_distribution": "fixed",
        "read_block_bytes": load.read_bytes,
        "write_block_bytes": load.write_bytes,
        "offset_bytes": load.first_byte,
        "footprint_bytes": load.range_bytes or 0,
    }
    if load.rate_iops is not None:
        settings["inter_arrival_us"] = 1e6 / load.rate_iops
    return Flow(
        name,
        Workload(None, tuple(settings.items())),
        mode="closed" if load.rate_iops is None else "paced",
        queue_depth=load.depth,
        lasts_s=window.end_s,
        ramp_s=window.begin_s,
    )
