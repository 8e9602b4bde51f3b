"""The limits of an SSD in closed form: what its dies, channels, controller and link allow, each for itself.

A drive gets no further than the lowest of them, however many requests wait. They leave out retries and whatever else
comes in between, so a simulation may stay below its limit but not get above it. Writes are limited by the dies in the
chip's own mode: those that an SLC cache takes may be faster.
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
    """What one part of the SSD, or one job of the host, allows for one load."""

    load: str
    part: str
    bytes_per_request: int
    requests_per_s: float
    is_of_job: bool = False

    @property
    def mb_per_s(self) -> float:
        """Bytes of the host, in MB/s (10^6)."""
        return self.requests_per_s * self.bytes_per_request / 1e6


def limits(config: Config, write_amplification: float = 1.0) -> list[Limit]:
    """Returns the limits of each part for each load; parts that take no time have none.

    The loads are 4-KiB reads at random, 128-KiB reads and 128-KiB writes in order, and 4-KiB writes at random.

    Args:
        config: The SSD.
        write_amplification: Bytes programmed for each byte of the random writes, parity among them. Those that the host
            did not write and that are no parity are read before, by GC.
    """
    parts = _Parts(config)
    data = data_share(config)
    return [
        *parts.of("random reads", RANDOM_BYTES, reads=1.0, programs=0.0, whole_pages=False),
        *parts.of("sequential reads", SEQUENTIAL_BYTES, reads=1.0, programs=0.0, whole_pages=True),
        *parts.of("sequential writes", SEQUENTIAL_BYTES, reads=0.0, programs=1.0 / data, whole_pages=True),
        *parts.of(
            "random writes",
            RANDOM_BYTES,
            reads=max(write_amplification * data - 1.0, 0.0),
            programs=max(write_amplification, 1.0 / data),
            whole_pages=True,
        ),
    ]


def data_share(config: Config) -> float:
    """The share of a superblock's pages that hold data; the others are parity (`ftl.parity`)."""
    parity = int(config["ftl.parity"])
    return 1.0 - 1.0 / parity if parity else 1.0


def spare_share(config: Config) -> float:
    """The spare that is left to GC: the share of the pages that hold data which the host does not see."""
    return 1.0 - (1.0 - float(config["ssd.overprovisioning"])) / data_share(config)


def lowest(every: list[Limit], load: str) -> Limit | None:
    """The limit of a load that it meets first with enough jobs; None where nothing takes time."""
    of_load = (limit for limit in every if limit.load == load and not limit.is_of_job)
    return min(of_load, key=lambda limit: limit.requests_per_s, default=None)


def jobs_for(every: list[Limit], load: str) -> int:
    """How many jobs a load needs at least to meet the lowest limit of the SSD; one where a job takes no time."""
    job = next((limit for limit in every if limit.load == load and limit.is_of_job), None)
    first = lowest(every, load)
    return 1 if job is None or first is None else math.ceil(first.requests_per_s / job.requests_per_s)


class _Parts:
    """The times of an SSD's parts, in us."""

    def __init__(self, config: Config) -> None:
        self.config = config
        pages = json.loads(config.core.coding([]))["pages"]
        programs = config["nand.program_us"]
        self.read_us = sum(float(page["before"]["read_us"]) for page in pages) / len(pages)
        kinds = [float(programs[min(number, len(programs) - 1)]) for number in range(len(pages))]
        self.planes = int(config["ssd.planes_per_die"]) if config["nand.multiplane"] != "off" else 1
        # A program takes all pages of a wordline, or a page, in each plane; time by page.
        is_one_shot = config["program.unit"] == "wordline" and config["nand.program_wordline_us"] > 0
        wordline_us = self.number("nand.program_wordline_us") if is_one_shot else sum(kinds)
        self.program_us = wordline_us / len(kinds)
        self.pages_per_command = self.planes * (len(kinds) if config["program.unit"] == "wordline" else 1)
        dies_per_chip = int(config["ssd.dies_per_chip"]) if config["schedule.unit"] == "die" else 1
        self.dies = int(config["ssd.channels"]) * int(config["ssd.chips_per_channel"]) * dies_per_chip
        self.page_bytes = int(config["ssd.page_bytes"])
        self.unit_bytes = int(config["ftl.unit_bytes"]) or self.page_bytes

    def number(self, key: str) -> float:
        """The value of a key."""
        return float(self.config[key])

    def of(self, load: str, size: int, *, reads: float, programs: float, whole_pages: bool) -> Iterator[Limit]:
        """The limits of a load, with the bytes that are read and programmed for each byte of the host."""
        config = self.config
        times_us = {
            "dies": self.die_us(size, reads, programs, whole_pages=whole_pages) / self.dies,
            "channels": self.bus_us(size, reads, programs, whole_pages=whole_pages) / config["ssd.channels"],
            "power": self.power_us(size, programs) if whole_pages else 0.0,
            "controller": self.controller_us(size, "write" if load.endswith("writes") else "read"),
            "host processors": self.host_us(),
            "host link": self.link_us(size),
        }
        if config["ecc.engine"] == "serial":
            pages = reads * (size / self.page_bytes if whole_pages else 1.0)
            times_us["ECC"] = pages * config["ecc.decode_us"] / config["ssd.channels"]
        for part, time_us in times_us.items():
            if time_us > 0:
                yield Limit(load, part, size, 1e6 / time_us)
        if (job_us := self.job_us()) > 0:
            yield Limit(load, "one job", size, 1e6 / job_us, is_of_job=True)

    def die_us(self, size: int, reads: float, programs: float, *, whole_pages: bool) -> float:
        """Time of a die for a request; without a cache register it waits while a page crosses the channel."""
        holds_page = not self.config["nand.cache_register"]
        held_us = self.bus_us(size, reads, programs, whole_pages=whole_pages) if holds_page else 0.0
        if not whole_pages:
            together = self.planes if self.config["nand.multiplane"] == "any" else 1
            return self.read_us / together + held_us
        erase_us = self.number("nand.erase_us") / self.number("ssd.pages_per_block")
        row_us = reads * self.read_us + programs * (self.program_us + erase_us)
        return size / self.page_bytes / self.planes * row_us + held_us

    def power_us(self, size: int, programs: float) -> float:
        """Time of a request's programs where only so many may be under way at a time."""
        limit = int(self.config["nand.max_programs"])
        if not 0 < limit < self.dies:
            return 0.0
        return size / self.page_bytes / self.planes * programs * self.program_us / limit

    def bus_us(self, size: int, reads: float, programs: float, *, whole_pages: bool) -> float:
        """Time of a channel for a request."""
        out_us = self.number("channel.data_out_ns") / 1000
        if not whole_pages:
            # Mapping units that are read whole bring their parity.
            whole = size // self.unit_bytes * self.unit_bytes
            parity = whole / self.page_bytes * self.number("ssd.spare_bytes")
            return self.number("channel.read_command_ns") / 1000 + out_us + self.data_us(size + parity)
        page_us = self.data_us(self.page_bytes + self.number("ssd.spare_bytes"))
        read_us = self.command_us("read", self.planes) + out_us + page_us
        program_us = self.command_us("program", self.pages_per_command) + page_us
        return size / self.page_bytes * (reads * read_us + programs * program_us)

    def data_us(self, count: float) -> float:
        """Time of so many bytes on a channel."""
        rate = self.number("channel.rate_mb_s")
        return count / rate if rate > 0 else 0.0

    def command_us(self, kind: str, pages: int) -> float:
        """Time of a command of so many pages on a channel, for one of them."""
        first, more = (self.number(f"channel.{kind}_command{part}_ns") for part in ("", "_plane"))
        return (first + (pages - 1) * more) / pages / 1000

    def controller_us(self, size: int, op: str) -> float:
        """Time of the controller for a request, over its cores."""
        sectors, units = size / SECTOR_BYTES, math.ceil(size / self.unit_bytes)
        command_ns = self.number(f"controller.command_{op}_ns") or self.number("controller.command_ns")
        time_ns = command_ns + sectors * self.number("controller.sector_ns")
        return (time_ns + units * self.number("controller.unit_ns")) / self.number("controller.cores") / 1000

    def job_us(self) -> float:
        """Time of a job's processor for a request: it submits and reaps one after the other."""
        return (self.number("host.job_ns") + self.number("host.reap_ns")) / 1000

    def host_us(self) -> float:
        """Time of the host's processors for a request, where jobs share them."""
        cores = int(self.config["host.cores"])
        return self.job_us() / cores if cores else 0.0

    def link_us(self, size: int) -> float:
        """Time of the link for a request's data."""
        if self.config["host.link"] == "sata":
            return size * SATA_BITS / (self.number("host.sata_gbit_s") * 1000)
        rate = self.number("host.link_rate_mb_s")
        return size / rate if rate > 0 else 0.0
