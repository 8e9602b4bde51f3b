"""FEMU: the options of `-device femu` in a script that starts it, for its black-box SSD.

Names, defaults and meanings are those of FEMU's sources (github.com/MoatLab/FEMU, `hw/femu/femu.c` and `bbssd/`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..output.layer import Layer
from .geometry import no_command_times, one_latency, page_bytes
from .settings import Entry, Settings

NAME = "FEMU"
ASSIGNMENT = re.compile(r"(?:^|;)\s*(?:export\s+)?(\w+)=([^\s#;]+)")
OPTION = re.compile(r",\s*([a-z_][\w.]*)=([^,\s\"'\\]+)")
VARIABLE = re.compile(r"\$\{?(\w+)\}?")
MODES = {"0": "white-box", "2": "without an SSD", "3": "zoned", "4": "key-value", "5": "computational"}
POLICIES = {
    "": "greedy",
    "greedy": "greedy",
    "cost-benefit": "cost-benefit",
    "random": "random",
    "fifo": "fifo",
    "d-choice": "d-choices",
}
NOT_A_DEVICE = "is about the virtual machine and its queues"
LINE = "FEMU collects a line, one block of every LUN, at a time"
SHAPE = (
    ("ssd.channels", "nchs", 8, 64),
    ("ssd.chips_per_channel", "luns_per_ch", 8, 64),
    ("ssd.planes_per_die", "pls_per_lun", 1, 8),
    ("ssd.blocks_per_plane", "blks_per_pl", 256, 2**20),
    ("ssd.pages_per_block", "pgs_per_blk", 256, 65_535),
)
"""Keys here, options, FEMU's defaults, and the largest values here."""
UNITS = "a reclaim unit is a superblock here; set fdp.unit_superblocks for larger ones"
ISOLATION = "handles are initially isolated, as QEMU's are; set fdp.isolation for others"
UNUSED = {
    "namespaces": "one namespace here",
    "serial": NOT_A_DEVICE,
    "queues": NOT_A_DEVICE,
    "multipoller_enabled": NOT_A_DEVICE,
    "poller_ratio": NOT_A_DEVICE,
    "pgtype_lat": "page types have one latency here; set coding.cell and nand.program_us",
    "cell_pages": "page types have one latency here; set coding.cell and nand.program_us",
    "nand_cell_type": "FEMU takes times from a table of its own; set coding.cell, nand.read_us and nand.program_us",
    "ecc_step_ns": "set cells.chip or reliability.retry_steps for reads that fail",
    "fw_cpu_ns": "firmware takes no time here",
    "trim_lat_ns": "a trim takes no time here",
    "err_read_unc_ppm": "errors of commands are not simulated",
    "err_write_fail_ppm": "errors of commands are not simulated",
    "fdp.runs": UNITS,
    "fdp.nruh": "says nothing without fdp=on",
    "fdp.nrg": "says nothing without fdp=on",
    "fdp.nru": UNITS,
    "fdp.isolation_mode": ISOLATION,
    "fdp_trim_erase_all": "a trim erases nothing here; GC does",
    "id": NOT_A_DEVICE,
    "nqn": NOT_A_DEVICE,
    "subsys": NOT_A_DEVICE,
    "mapping_cache_mb": "FEMU charges a cached mapping table only with mapping=dftl",
    "gc_strategy": "set gc.policy",
    "nand_bad_blocks": "FEMU reports them and places data as without them; set reliability.factory_bad for real ones",
}


def is_one(text: str) -> bool:
    """Returns True if this is a script that starts FEMU."""
    return "femu" in text.lower() and bool(re.search(r"\b(femu_mode|pgs_per_blk)\s*=", text))


def entries(text: str, file: str) -> Iterator[Entry]:
    """Returns the options of the device; a variable of the script is replaced by its value."""
    del file
    variables: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        for variable, value in ASSIGNMENT.findall(line):
            variables[variable] = (value.strip("\"'"), number)
        if "femu" not in line.lower():
            continue
        for key, value in OPTION.findall(line):
            name = VARIABLE.fullmatch(value)
            yield Entry(key, *(variables.get(name[1], ("", number)) if name else (value, number)))


def read(settings: Settings) -> str:
    """Returns the configuration."""
    mode = settings.text("femu_mode", "1")
    if mode != "1":
        fix = "give a script with femu_mode=1"
        raise settings.error("femu_mode", f"{mode} is FEMU {MODES.get(mode, 'otherwise')}, not a black-box SSD", fix)
    layer = Layer()
    where = settings.where
    for key, name, default, high in SHAPE:
        layer.set(key, settings.integer(name, default, 1, high), where(name))
    layer.set("ssd.dies_per_chip", 1, "FEMU's LUN is a die")
    layer.set("ssd.spare_bytes", 0, "FEMU moves no spare bytes")
    given_bytes = settings.integer("secsz", 512, 1) * settings.integer("secs_per_pg", 8, 1)
    size = page_bytes(settings, layer, given_bytes, "secs_per_pg")
    _spare(settings, layer, given_bytes)
    read_us, program_us, erase_us = (
        settings.integer(name, default, 1) / 1000
        for name, default in (("pg_rd_lat", 40_000), ("pg_wr_lat", 200_000), ("blk_er_lat", 2_000_000))
    )
    one_latency(layer, read_us, program_us, erase_us, (where("pg_rd_lat"), where("pg_wr_lat"), where("blk_er_lat")))
    _bus(settings, layer, size)
    _ftl(settings, layer)
    settings.unused(UNUSED)
    return layer.text()


def _spare(settings: Settings, layer: Layer, page: int) -> None:
    flash = page
    for _, name, default, _ in SHAPE:
        flash *= settings.integer(name, default, 1)
    extra = settings.integer("op_pcent", 0, 0, 1000) if settings.has("op_pcent") else 0
    if extra:
        settings.ignore(["devsz_mb"])
        share, origin = 1 - 100 / (100 + extra), settings.where("op_pcent")
    else:
        share = 1 - settings.integer("devsz_mb", 1024, 1) * 2**20 / flash
        origin = f"{settings.where('devsz_mb')} of {flash // 2**20:,} MiB of flash"
    if not 0 < share <= 0.9:
        fix = "set op_pcent, or a devsz_mb that leaves more than 0 and at most 90 %"
        raise settings.error("devsz_mb", f"leaves {share:.1%} of {flash // 2**20:,} MiB of flash as spare", fix)
    layer.set("ssd.overprovisioning", round(share, 9), origin)


def _bus(settings: Settings, layer: Layer, page: int) -> None:
    no_command_times(layer, "FEMU counts no time for commands")
    transfer_ns = 0
    for name in ("ch_xfer_lat", "pg_xfer_lat"):
        if settings.has(name):
            transfer_ns = settings.integer(name, 0) or transfer_ns
    name = "pg_xfer_lat" if settings.has("pg_xfer_lat") else "ch_xfer_lat"
    layer.set("channel.rate_mb_s", round(page * 1000 / transfer_ns, 6) if transfer_ns else 0.0, settings.where(name))
    if settings.has("cmd_addr_lat") and (command_ns := settings.integer("cmd_addr_lat", 0)):
        for key in ("read_command_ns", "program_command_ns", "erase_command_ns"):
            layer.set(f"channel.{key}", command_ns, settings.where("cmd_addr_lat"))
    if settings.has("pcie_bandwidth_mbps"):
        layer.set(
            "host.link_rate_mb_s", settings.number("pcie_bandwidth_mbps", 0), settings.where("pcie_bandwidth_mbps")
        )
    if settings.has("pcie_prop_delay_ns"):
        layer.set("host.submit_ns", settings.integer("pcie_prop_delay_ns", 0), settings.where("pcie_prop_delay_ns"))


def _ftl(settings: Settings, layer: Layer) -> None:
    where = settings.where
    layer.set("ftl.allocation", "CWDP", "FEMU's write pointer goes over channels, then LUNs, then pages")
    for key, name, default in (
        ("gc.threshold", "gc_thres_pcent", 75),
        ("gc.hard_threshold", "gc_thres_pcent_high", 95),
    ):
        used = settings.integer(name, default, 10, 100)
        layer.set(key, round(1 - used / 100, 9), f"{where(name)}: the share of lines in use")
    layer.set("ftl.group", "superblock", LINE)
    if settings.integer("pls_per_lun", 1) > 1:
        settings.warn("pls_per_lun", "FEMU's line has one block of every LUN; here a superblock has one of every plane")
    policy = settings.text("gc_policy", "") if settings.has("gc_policy") else ""
    if policy not in POLICIES:
        raise settings.error(
            "gc_policy", f"`{policy}` is not known", "write greedy, cost-benefit, random, fifo or d-choice"
        )
    layer.set("gc.policy", POLICIES[policy], where("gc_policy"))
    _mapping(settings, layer)
    _placement(settings, layer)
    if settings.has("read_cache_mb") and (cached := settings.integer("read_cache_mb", 0)):
        layer.set("cache.mode", "read", where("read_cache_mb"))
        layer.set("cache.capacity_bytes", cached * 2**20, where("read_cache_mb"))
    layer.set("schedule.policy", "fifo", "FEMU's LUNs serve requests in the order of their arrival")
    layer.set("precondition.fill", "lazy", "reads of pages never written find data here; FEMU answers them at once")


def _mapping(settings: Settings, layer: Layer) -> None:
    scheme = settings.text("mapping", "") if settings.has("mapping") else "page"
    if scheme == "dftl":
        cached = (settings.integer("mapping_cache_mb", 0) if settings.has("mapping_cache_mb") else 0) or 4
        layer.set("ftl.mapping", "dftl", settings.where("mapping"))
        layer.set("ftl.cmt_bytes", cached * 2**20, settings.where("mapping_cache_mb"))
    elif scheme != "page":
        settings.warn("mapping", "here the whole table is in DRAM; ftl.mapping has other schemes")


def _placement(settings: Settings, layer: Layer) -> None:
    """Flexible Data Placement, of the subsystem."""
    if not (settings.has("fdp") and settings.text("fdp", "off").lower() in ("on", "true", "yes", "1")):
        settings.ignore(["fdp"])
        return
    layer.set("fdp.isolation", "initially", f"{settings.where('fdp')}; QEMU's handles are initially isolated")
    layer.set("fdp.handles", settings.integer("fdp.nruh", 1, 1, 128), settings.where("fdp.nruh"))
    layer.set("fdp.reclaim_groups", settings.integer("fdp.nrg", 1, 1, 64), settings.where("fdp.nrg"))
