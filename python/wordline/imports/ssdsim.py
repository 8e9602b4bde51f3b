"""SSDsim's `page.parameters`.

Names and meanings are those of SSDsim's sources (`initialize.c`, `flash.c`, `pagemap.c`), as they are published in
github.com/huaicheng/ssdsim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..output.layer import Layer
from .geometry import no_command_times, one_latency, page_bytes
from .settings import Entry, Settings

NAME = "SSDsim"
LINE = re.compile(r"^([a-zA-Z_][\w ]*?(?:\[\d+\])?)\s*=\s*([-+.\w]+)")
# What consecutive pages go to: static_allocation 0 to 5.
ORDERS = {0: "WDPC", 1: "CWDP", 2: "CPWD", 3: "CDWP", 4: "CPDW", 5: "CDPW"}
POWER = "power is not simulated"
BUS = "SSDsim reads it and does not use it"
COMMANDS = "nand.multiplane says which planes work together here; copyback is gc.copyback"
UNUSED = {
    "chip number": "the number of chips follows from those of each channel",
    "subpage page": "requests are in sectors of 512 bytes here",
    "subpage capacity": "requests are in sectors of 512 bytes here",
    "erase limit": "blocks do not wear out here; cells.chip and reliability.pec say how worn they are",
    "wear leveling": "see wear.dynamic and wear.static_threshold",
    "gc": "SSDsim knows one policy; gc.policy is greedy",
    "gc threshold": "SSDsim starts GC by gc hard threshold, unless writes are active",
    "buffer management": "the cache evicts the least recently used page here",
    "scheduling algorithm": 'reads go first here; schedule.policy = "fifo" serves in order',
    "dynamic_allocation": "pages go to the least busy die, anywhere",
    "advanced command": COMMANDS,
    "advanced command priority": COMMANDS,
    "greed CB command": COMMANDS,
    "greed MPW command": COMMANDS,
    "aged ratio": "it belongs to `aged`, which is 0",
    "address mapping": "every page has its entry here",
}


def is_one(text: str) -> bool:
    """Returns True if this is a `page.parameters`."""
    return bool(re.search(r"^channel number\s*=", text, re.MULTILINE)) and "page capacity" in text


def entries(text: str, file: str) -> Iterator[Entry]:
    """Returns the parameters."""
    del file
    for number, line in enumerate(text.splitlines(), 1):
        if match := LINE.match(line):
            yield Entry(match[1].strip(), match[2], number)


def read(settings: Settings) -> str:
    """Returns the configuration."""
    layer = Layer()
    where = settings.where
    channels = settings.integer("channel number", 1, 1, 64)
    layer.set("ssd.channels", channels, where("channel number"))
    _chips(settings, layer, channels)
    for key, name, high in (
        ("ssd.dies_per_chip", "die number", 64),
        ("ssd.planes_per_die", "plane number", 8),
        ("ssd.blocks_per_plane", "block number", 2**20),
        ("ssd.pages_per_block", "page number", 65_535),
    ):
        layer.set(key, settings.integer(name, 1, 1, high), where(name))
    page_bytes(settings, layer, settings.integer("page capacity", 4096, 512, 2**20), "page capacity")
    layer.set("ssd.spare_bytes", 0, "SSDsim moves no spare bytes")
    layer.set("ssd.overprovisioning", settings.number("overprovide", 0.1, 0.0, 0.9), where("overprovide"))
    read_us, program_us, erase_us = (settings.integer(name, 1, 1) / 1000 for name in ("t_R", "t_PROG", "t_BERS"))
    one_latency(layer, read_us, program_us, erase_us, (where("t_R"), where("t_PROG"), where("t_BERS")))
    _bus(settings, layer)
    layer.set("gc.policy", "greedy", "SSDsim takes the block with the most invalid pages")
    threshold = settings.number("gc hard threshold", 0.1, 0.0, 0.9)
    layer.set("gc.threshold", threshold, f"{where('gc hard threshold')}: the share of pages that are free")
    layer.set("gc.hard_threshold", min(threshold, 0.005), "SSDsim has one threshold")
    _placement(settings, layer)
    if cache := settings.integer("dram capacity", 0):
        layer.set("cache.mode", "write", "SSDsim buffers writes")
        layer.set("cache.capacity_bytes", cache, where("dram capacity"))
    if settings.flag("aged", False):
        settings.warn(
            "aged", "SSDsim marks a share of each block's pages as invalid; precondition.overwrite does it here"
        )
    layer.set("precondition.fill", "lazy", "SSDsim finds data in every page that is read")
    currents = [key for key in settings.names() if "current" in key or "voltage" in key]
    timings = [key for key in settings.names() if key.startswith("t_")]
    settings.unused({**dict.fromkeys(timings, BUS), **dict.fromkeys(currents, POWER), **UNUSED})
    return layer.text()


def _chips(settings: Settings, layer: Layer, channels: int) -> None:
    names = [f"chip number[{channel}]" for channel in range(channels)]
    if not any(settings.has(name) for name in names):
        chips = max(settings.integer("chip number", 1, 1) // channels, 1)
        layer.set("ssd.chips_per_channel", chips, f"{settings.where('chip number')}, over {channels} channels")
        return
    counts = {settings.integer(name, 0, 0, 64) for name in names}
    if len(counts) > 1:
        fix = "give each channel as many"
        raise settings.error(names[0], f"channels have {sorted(counts)} chips, and all have as many here", fix)
    layer.set("ssd.chips_per_channel", counts.pop(), settings.where(names[0]))
    # SSDsim lists 100 channels.
    settings.ignore(key for key in settings.names() if key.startswith("chip number["))


def _bus(settings: Settings, layer: Layer) -> None:
    read_ns, write_ns = settings.integer("t_RC", 25, 1), settings.integer("t_WC", 25, 1)
    no_command_times(layer, "SSDsim counts cycles of t_WC")
    for name, cycles in (("read_command_ns", 7), ("program_command_ns", 7), ("erase_command_ns", 5)):
        layer.set(f"channel.{name}", cycles * write_ns, f"{cycles} cycles of {settings.where('t_WC')}")
    layer.set("channel.rate_mb_s", round(1000 / read_ns, 6), f"{settings.where('t_RC')}, a byte a cycle")
    if read_ns != write_ns:
        settings.warn("t_WC", "data go both ways at the rate of t_RC here")


def _placement(settings: Settings, layer: Layer) -> None:
    if settings.integer("allocation", 1, 0, 1) == 0:
        layer.set("ftl.allocation", "dynamic", settings.where("allocation"))
        settings.ignore(["static_allocation"])
        return
    layer.set(
        "ftl.allocation", ORDERS[settings.integer("static_allocation", 1, 0, 5)], settings.where("static_allocation")
    )
