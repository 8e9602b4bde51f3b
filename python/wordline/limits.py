"""The limits of an SSD in closed form: what its dies, channels, controller and link allow, each for itself.

A drive gets no further than the lowest of them, however many requests wait. They leave out retries and whatever else
comes in between, so a simulation may stay below its limit but not get above it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .config import Config

# Sizes of the requests, in bytes.
RANDOM_BYTES, SEQUENTIAL_BYTES = 4096, 131_072
SECTOR_BYTES = 512
# Bits on a SATA wire for each byte (8b/10b).
SATA_BITS = 10


@dataclass(frozen=True)
class Limit:
    """What one part of the SSD allows for one load."""

    load: str
    part: str
    bytes_per_request: int
    requests_per_s: float

    @property
    def mb_per_s(self) -> float:
        """Bytes of the host, in MB/s (10^6)."""
        return self.requests_per_s * self.bytes_per_request / 1e6


def limits(config: Config, write_amplification: float = 1.0) -> list[Limit]:
    """Returns the limits of each part for each load; parts that take no time have none.

    The loads are 4-KiB reads at random, 128-KiB reads and 128-KiB writes in order, and 4-KiB writes at random.

    Args:
        config: The SSD.
        write_amplification: Bytes programmed for each byte of the random writes. Those that the host did not write are
            read before, by GC.
    """
    parts = _Parts(config)
    return [
        *parts.of("random reads", RANDOM_BYTES, reads=1.0, programs=0.0, whole_pages=False),
        *parts.of("sequential reads", SEQUENTIAL_BYTES, reads=1.0, programs=0.0, whole_pages=True),
        *parts.of("sequential writes", SEQUENTIAL_BYTES, reads=0.0, programs=1.0, whole_pages=True),
        *parts.of(
            "random writes",
            RANDOM_BYTES,
            reads=max(write_amplification - 1.0, 0.0),
            programs=write_amplification,
            whole_pages=True,
        ),
    ]


def lowest(found: list[Limit], load: str) -> Limit | None:
    """The limit of a load that it meets first; None where nothing takes time."""
    return min((limit for limit in found if limit.load == load), key=lambda limit: limit.requests_per_s, default=None)


class _Parts:
    """The times of an SSD's parts, in us."""

    def __init__(self, config: Config) -> None:
        self.config = config
        pages = json.loads(config.core.coding([]))["pages"]
        programs = config["nand.program_us"]
        self.read_us = sum(page["before"]["read_us"] for page in pages) / len(pages)
        kinds = [programs[min(number, len(programs) - 1)] for number in range(len(pages))]
        self.program_us = sum(kinds) / len(kinds)
        self.planes = config["ssd.planes_per_die"] if config["nand.multiplane"] != "off" else 1
        self.dies = config["ssd.channels"] * config["ssd.chips_per_channel"] * (
            config["ssd.dies_per_chip"] if config["schedule.unit"] == "die" else 1
        )  # fmt: skip
        self.page_bytes = config["ssd.page_bytes"]

    def of(self, load: str, size: int, *, reads: float, programs: float, whole_pages: bool) -> Iterator[Limit]:
        """The limits of a load, with the bytes that are read and programmed for each byte of the host."""
        config = self.config
        times_us = {
            "dies": self.die_us(size, reads, programs, whole_pages=whole_pages) / self.dies,
            "channels": self.bus_us(size, reads, programs, whole_pages=whole_pages) / config["ssd.channels"],
            "controller": self.controller_us(size),
            "host link": self.link_us(size),
        }
        if config["ecc.engine"] == "serial":
            pages = reads * (size / self.page_bytes if whole_pages else 1.0)
            times_us["ECC"] = pages * config["ecc.decode_us"] / config["ssd.channels"]
        for part, time_us in times_us.items():
            if time_us > 0:
                yield Limit(load, part, size, 1e6 / time_us)

    def die_us(self, size: int, reads: float, programs: float, *, whole_pages: bool) -> float:
        """Time of a die for a request; without a cache register it waits while a page crosses the channel."""
        if not whole_pages:
            held: float = (
                0.0 if self.config["nand.cache_register"] else self.bus_us(size, reads, programs, whole_pages=False)
            )
            together = self.planes if self.config["nand.multiplane"] == "any" else 1
            return self.read_us / together + held
        pages = size / self.page_bytes
        erase_us = self.config["nand.erase_us"] / self.config["ssd.pages_per_block"]
        held: float = (
            0.0 if self.config["nand.cache_register"] else self.bus_us(size, reads, programs, whole_pages=True)
        )
        return pages / self.planes * (reads * self.read_us + programs * (self.program_us + erase_us)) + held

    def bus_us(self, size: int, reads: float, programs: float, *, whole_pages: bool) -> float:
        """Time of a channel for a request."""
        config = self.config
        rate = config["channel.rate_mb_s"]

        def data_us(count: float) -> float:
            return count / rate if rate > 0 else 0.0

        if not whole_pages:
            return (config["channel.read_command_ns"] + config["channel.data_out_ns"]) / 1000 + data_us(size)
        pages = size / self.page_bytes
        page_us = data_us(self.page_bytes + config["ssd.spare_bytes"])

        def command_us(kind: str) -> float:
            first, more = config[f"channel.{kind}_command_ns"], config[f"channel.{kind}_command_plane_ns"]
            return (first + (self.planes - 1) * more) / self.planes / 1000

        read_us = command_us("read") + config["channel.data_out_ns"] / 1000 + page_us
        return pages * (reads * read_us + programs * (command_us("program") + page_us))

    def controller_us(self, size: int) -> float:
        """Time of the controller for a request, over its cores."""
        config = self.config
        units = math.ceil(size / self.page_bytes)
        command_ns = (
            config["controller.command_ns"]
            + size / SECTOR_BYTES * config["controller.sector_ns"]
            + units * config["controller.unit_ns"]
        )
        return float(command_ns / config["controller.cores"] / 1000)

    def link_us(self, size: int) -> float:
        """Time of the link for a request's data."""
        config = self.config
        if config["host.link"] == "sata":
            return float(size * SATA_BITS / (config["host.sata_gbit_s"] * 1000))
        rate = config["host.link_rate_mb_s"]
        return float(size / rate) if rate > 0 else 0.0
