"""SimpleSSD's configuration (`config/sample.cfg`).

Names, defaults and meanings are those of SimpleSSD's sources (github.com/SimpleSSD/SimpleSSD, version 2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..output.layer import Layer
from .geometry import no_command_times, page_bytes
from .settings import Entry, Settings

NAME = "SimpleSSD"
SECTION = re.compile(r"^\s*\[(\w+)\]")
LINE = re.compile(r"^\s*(\w+)\s*=\s*([^#;]*)")
CELLS = {
    0: ("slc", "slc", ("LSB",)),
    1: ("mlc", "mlc-1-2", ("LSB", "MSB")),
    2: ("tlc", "tlc-1-2-4", ("LSB", "CSB", "MSB")),
}
POLICIES = {0: "greedy", 1: "cost-benefit", 2: "random", 3: "d-choices"}
# Bytes of a lane in a second, after its line code, MB.
LANES_MB_S = {0: 250.0, 1: 500.0, 2: 984.615385}
PS_IN_US = 1e6
OF_SECTION = {
    "cpu": "firmware takes no time here",
    "nvme": "firmware takes no time here",
    "sata": "the SSD is an NVMe one here",
    "ufs": "the SSD is an NVMe one here",
    "dram": "DRAM has a rate and a latency here: dram.rate_mb_s and dram.latency_ns",
}
UNUSED = {
    "ftl.MappingMode": "every page has its entry here",
    "ftl.EraseThreshold": "blocks do not wear out here; cells.chip and reliability.pec say how worn they are",
    "ftl.GCMode": "GC collects a block at a time until the threshold is met here",
    "ftl.GCReclaimBlocks": "GC collects a block at a time until the threshold is met here",
    "ftl.GCReclaimThreshold": "GC collects a block at a time until the threshold is met here",
    "ftl.EnableRandomIOTweak": "it is about superpages, which are not simulated",
    "icl.CacheWaySize": "the cache is fully associative here",
    "icl.EvictMode": "pages leave the cache one by one here",
    "icl.CacheLatency": "looking into the cache takes dram.latency_ns here",
}


def is_one(text: str) -> bool:
    """Returns True if this is a configuration of SimpleSSD."""
    return bool(re.search(r"^\s*\[pal\]", text, re.MULTILINE))


def entries(text: str, file: str) -> Iterator[Entry]:
    """Returns the keys, each with its section in front."""
    del file
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        if match := SECTION.match(line):
            section = match[1]
        elif match := LINE.match(line):
            yield Entry(f"{section}.{match[1]}", match[2].strip(), number)


def read(settings: Settings) -> str:
    """Returns the configuration."""
    layer = Layer()
    where = settings.where
    for key, name, default, high in (
        ("ssd.channels", "pal.Channel", 8, 64),
        ("ssd.chips_per_channel", "pal.Package", 4, 64),
        ("ssd.dies_per_chip", "pal.Die", 2, 64),
        ("ssd.planes_per_die", "pal.Plane", 1, 8),
        ("ssd.blocks_per_plane", "pal.Block", 512, 2**20),
        ("ssd.pages_per_block", "pal.Page", 512, 65_535),
    ):
        layer.set(key, settings.integer(name, default, 1, high), where(name))
    page_bytes(settings, layer, settings.integer("pal.PageSize", 16_384, 512, 2**20), "pal.PageSize")
    layer.set("ssd.spare_bytes", 0, "SimpleSSD moves no spare bytes")
    _flash(settings, layer)
    _superblock(settings, layer)
    _ftl(settings, layer)
    _cache(settings, layer)
    if settings.has("nvme.PCIEGeneration"):
        generation, lanes = (
            settings.integer("nvme.PCIEGeneration", 2, 0, 2),
            settings.integer("nvme.PCIELane", 4, 1, 64),
        )
        origin = f"{where('nvme.PCIEGeneration')} and PCIELane"
        layer.set("host.link_rate_mb_s", round(lanes * LANES_MB_S[generation], 6), origin)
    settings.unused({key: _reason(key) for key in settings.names()} | UNUSED)
    return layer.text()


def _reason(key: str) -> str:
    section = key.partition(".")[0]
    if "Prefetch" in key:
        return "nothing is read ahead here"
    return OF_SECTION.get(section, "is not mapped")


def _flash(settings: Settings, layer: Layer) -> None:
    where = settings.where
    cell, scheme, types = CELLS[settings.integer("pal.NANDType", 1, 0, 2)]
    layer.set("coding.cell", cell, where("pal.NANDType"))
    layer.set("coding.scheme", scheme, where("pal.NANDType"))
    read_us = [settings.integer(f"pal.{t}Read", 40_000_000, 1) / PS_IN_US for t in types]
    if cell == "tlc":
        # LSB, CSB and MSB take 1, 2 and 4 senses; no page takes 3.
        read_us = [read_us[0], read_us[1], read_us[2], read_us[2]]
    layer.set("nand.read_us", read_us, f"{where('pal.LSBRead')} and further types, ps")
    program_us = [settings.integer(f"pal.{t}Write", 500_000_000, 1) / PS_IN_US for t in types]
    layer.set("nand.program_us", program_us, f"{where('pal.LSBWrite')} and further types, ps")
    layer.set("nand.erase_us", settings.integer("pal.Erase", 3_500_000_000, 1) / PS_IN_US, where("pal.Erase"))
    settings.ignore(f"pal.{t}{op}" for t in ("LSB", "CSB", "MSB") for op in ("Read", "Write"))
    together = settings.flag("pal.EnableMultiPlaneOperation", True)
    layer.set("nand.multiplane", "same-page" if together else "off", where("pal.EnableMultiPlaneOperation"))
    width_bits = settings.integer("pal.DMAWidth", 8, 8, 64)
    rate = settings.integer("pal.DMASpeed", 400, 1) * width_bits / 8
    layer.set("channel.rate_mb_s", rate, f"{where('pal.DMASpeed')} and DMAWidth")
    no_command_times(layer, "a few cycles of the bus in SimpleSSD")
    order = "".join(letter for letter in settings.text("pal.PageAllocation", "CWDP").upper() if letter in "CWDP")
    layer.set("ftl.allocation", order, where("pal.PageAllocation"))


def _superblock(settings: Settings, layer: Layer) -> None:
    """Joins blocks of all levels, or none; a level that has one member does not matter."""
    if not settings.has("pal.SuperblockSize"):
        return
    letters = settings.text("pal.SuperblockSize", "").upper()
    sizes = {"C": "pal.Channel", "W": "pal.Package", "D": "pal.Die", "P": "pal.Plane"}
    several = {letter for letter, name in sizes.items() if settings.integer(name, 1, 1) > 1}
    if several <= set(letters):
        layer.set("ftl.group", "superblock", settings.where("pal.SuperblockSize"))
    elif several & set(letters):
        settings.warn("pal.SuperblockSize", 'here a superblock is over all dies (ftl.group = "superblock") or none')


def _ftl(settings: Settings, layer: Layer) -> None:
    where = settings.where
    spare = settings.number("ftl.OverProvisioningRatio", 0.25, 0.0, 0.9)
    layer.set("ssd.overprovisioning", spare, where("ftl.OverProvisioningRatio"))
    policy = settings.integer("ftl.EvictPolicy", 0, 0, 3)
    layer.set("gc.policy", POLICIES[policy], where("ftl.EvictPolicy"))
    choices = settings.integer("ftl.DChoiceParam", 3, 1, 1024)
    if policy == 3:
        layer.set("gc.d", choices, where("ftl.DChoiceParam"))
    threshold = settings.number("ftl.GCThreshold", 0.05, 0.0, 0.9)
    layer.set("gc.threshold", threshold, where("ftl.GCThreshold"))
    layer.set("gc.hard_threshold", min(threshold, 0.005), "SimpleSSD has one threshold")
    layer.set("schedule.policy", "fifo", "SimpleSSD's dies serve requests in the order of their arrival")
    fill, invalid = (
        settings.number("ftl.FillRatio", 0.0, 0.0, 1.0),
        settings.number("ftl.InvalidPageRatio", 0.0, 0.0, 1.0),
    )
    layer.set("precondition.fill", fill or "lazy", where("ftl.FillRatio"))
    layer.set("precondition.overwrite", invalid if fill else 0.0, where("ftl.InvalidPageRatio"))
    if settings.integer("ftl.FillingMode", 0, 0, 2) != 1 and invalid:
        settings.warn("ftl.FillingMode", "the SSD is filled in order, then overwritten at random")


def _cache(settings: Settings, layer: Layer) -> None:
    reads, writes = settings.flag("icl.EnableReadCache", False), settings.flag("icl.EnableWriteCache", True)
    mode = {(True, True): "read-write", (True, False): "read", (False, True): "write", (False, False): "off"}
    layer.set("cache.mode", mode[reads, writes], f"{settings.where('icl.EnableReadCache')} and EnableWriteCache")
    capacity = settings.integer("icl.CacheSize", 33_554_432)
    if reads or writes:
        layer.set("cache.capacity_bytes", capacity, settings.where("icl.CacheSize"))
        if settings.integer("icl.EvictPolicy", 2, 0, 2) != 2:
            settings.warn("icl.EvictPolicy", "the cache evicts the least recently used page here")
