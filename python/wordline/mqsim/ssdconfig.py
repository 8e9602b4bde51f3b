"""MQSim's `ssdconfig.xml`: the device, as keys of Wordline's configuration on top of the preset `mqsim`.

Defaults of absent keys are those in MQSim's source, which sometimes differ from those of the file it ships. Integer
arithmetic follows MQSim's where it affects a time.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

from ..errors import MqsimError
from ..output.layer import Layer
from .document import MqsimWarning, Node, ParameterSet, parse

# MQSim never goes below this number of blocks, whatever the thresholds are.
MIN_FREE_BLOCKS = 10
# Ready/busy delay that MQSim adds to every tR, us.
READY_BUSY_US = 0.02
# A PCIe packet of MQSim: 20 bytes of transaction, 6 of data-link and 2 of physical overhead for 128 of payload.
PACKET_OVERHEAD_BYTES = 28
PACKET_PAYLOAD_BYTES = 128
DOORBELL_BYTES, COMMAND_BYTES, COMPLETION_BYTES, ADDRESS_BYTES = 2, 72, 16, 4

SCHEMES = {
    f"{a}{b}{c}{d}": f"{a}{b}{c}{d}"
    for a in "CWDP"
    for b in "CWDP"
    for c in "CWDP"
    for d in "CWDP"
    if len({a, b, c, d}) == 4
}
POLICIES = {
    "GREEDY": "greedy",
    "RGA": "rga",
    "RANDOM": "random",
    "RANDOM_P": "random",
    "RANDOM_PP": "random",
    "FIFO": "fifo",
}
SCHEDULING = {"OUT_OF_ORDER": "mqsim-out-of-order", "PRIORITY_OUT_OF_ORDER": "mqsim-priority-out-of-order"}
PAGE_TYPES = {"SLC": ("LSB",), "MLC": ("LSB", "MSB"), "TLC": ("LSB", "CSB", "MSB")}

HOST_UNUSED = {
    "SATA_Processing_Delay": "only MQSim's SATA model reads it; Wordline's own is host.link = sata",
    "Enable_ResponseTime_Logging": "Wordline keeps every latency; ask for a row for each request instead",
    "ResponseTime_Logging_Period_Length": "Wordline keeps every latency; metrics.series_ms sets its samples' width",
}
NEVER_SUSPENDED = "MQSim never suspends a command, whatever this says; erase.yield and program.suspend do so here"
DEVICE_UNUSED = {
    "Seed": "MQSim uses it to warm its mapping cache up and for nothing else; `seed` is Wordline's",
    "IO_Queue_Depth": "a submission queue has no end here; response time counts from arrival (MQSim: end-to-end delay)",
    "CMT_Capacity": "Ideal_Mapping_Table is true",
    "CMT_Sharing_Mode": "Ideal_Mapping_Table is true",
    "Dynamic_Wearleveling_Enabled": "MQSim ignores it, and always takes the least worn block; see wear.dynamic",
    "Static_Wearleveling_Enabled": "MQSim ignores it, and hardly ever moves a block; see wear.static_threshold",
    "Static_Wearleveling_Threshold": "MQSim ignores it, and takes 100; see wear.static_threshold",
    "Preferred_suspend_erase_time_for_read": "MQSim looks for another spelling; " + NEVER_SUSPENDED,
    "Prefered_suspend_erase_time_for_read": NEVER_SUSPENDED,
    "Preferred_suspend_erase_time_for_write": NEVER_SUSPENDED,
    "Preferred_suspend_write_time_for_read": NEVER_SUSPENDED,
}
FLASH_UNUSED = {
    "CMD_Suspension_Support": NEVER_SUSPENDED,
    "Suspend_Erase_Time": NEVER_SUSPENDED,
    "Suspend_Program_Time": NEVER_SUSPENDED,
    "Block_PE_Cycles_Limit": "MQSim sizes a histogram by it; its blocks never wear out",
    "Page_Metadat_Capacity": "MQSim never moves these bytes; ssd.spare_bytes does so here",
}
PRECONDITIONED = (
    "the SSD is filled in order, then overwritten at random; MQSim draws the valid pages of each block "
    "from a formula and places them by each flow's own distribution"
)
CSB_UNUSED = "MQSim reads it for TLC only"


class Device(NamedTuple):
    """The properties of the device that the flows need, and its layer."""

    file: str
    section: ParameterSet
    channels: int
    chips: int
    dies: int
    planes: int
    blocks: int
    pages: int
    sectors_per_page: int
    overprovisioning: float
    fetch_size: int
    preconditioning: bool
    by_priority: bool
    """Its dies look at the priority of flows."""
    cache_bytes: int
    flush_buffer_bytes: int
    dram: Layer
    """Keys of its DRAM, for scenarios with a data cache."""
    doorbell_ns: int
    submit_ns: int
    layer: Layer


def read_device(path: Path, warnings: list[MqsimWarning]) -> Device:
    """Reads an `ssdconfig.xml`.

    Raises:
        MqsimError: The file is not XML, lacks a section, or holds a value that MQSim does not take.
    """
    file = str(path)
    root = parse(path)
    if root.tag != "Execution_Parameter_Set":
        raise MqsimError(
            file,
            root.line,
            root.tag,
            "is not an SSD configuration",
            "its outermost element must be <Execution_Parameter_Set>",
        )
    for node in root.children:
        if node.tag not in ("Host_Parameter_Set", "Device_Parameter_Set"):
            warnings.append(MqsimWarning(file, node.line, node.tag, "", "is no section of MQSim's; both ignore it"))
    host = ParameterSet(_section(root, "Host_Parameter_Set", file), file, warnings)
    device_node = _section(root, "Device_Parameter_Set", file)
    flash = ParameterSet(_section(device_node, "Flash_Parameter_Set", file), file, warnings)
    keys = ParameterSet(
        Node(device_node.tag, device_node.line, (n for n in device_node.children if n.tag != "Flash_Parameter_Set")),
        file,
        warnings,
    )
    layer = Layer()
    doorbell_ns, submit_ns = _link(host, layer)
    page_bytes = _geometry(keys, flash, layer)
    _flash_times(flash, layer)
    _channel(keys, layer)
    blocks = flash.integer("Block_No_Per_Plane", 2048, 4, 1_048_576)
    pages = flash.integer("Page_No_Per_Block", 256, 4, 65_535)
    overprovisioning = keys.number("Overprovisioning_Ratio", 0.07, 0.0, 0.9)
    layer.set("ssd.blocks_per_plane", blocks, flash.where("Block_No_Per_Plane"))
    layer.set("ssd.pages_per_block", pages, flash.where("Page_No_Per_Block"))
    layer.set("ssd.overprovisioning", overprovisioning, keys.where("Overprovisioning_Ratio"))
    planes = _planes(keys, flash)
    all_pages = planes * blocks * pages
    _translation(keys, layer, all_pages, page_bytes // 512)
    table_blocks = 0
    if keys.flag("Ideal_Mapping_Table", False):
        table_blocks = _table_blocks(all_pages, planes, pages, page_bytes, overprovisioning)
    _collection(keys, layer, blocks, overprovisioning, table_blocks)
    layer.set("gc.moves_in_flight", min(pages, 1024), "MQSim queues all pages of a victim at once")
    _habits(layer)
    _fixed_words(keys)
    preconditioning = keys.flag("Enabled_Preconditioning", True)
    if preconditioning:
        keys.warn("Enabled_Preconditioning", PRECONDITIONED)
    device = Device(
        file=file,
        section=keys,
        channels=keys.integer("Flash_Channel_Count", 8, 1, 64),
        chips=keys.integer("Chip_No_Per_Channel", 4, 1, 64),
        dies=flash.integer("Die_No_Per_Chip", 2, 1, 64),
        planes=flash.integer("Plane_No_Per_Die", 2, 1, 8),
        blocks=blocks,
        pages=pages,
        sectors_per_page=page_bytes // 512,
        overprovisioning=overprovisioning,
        fetch_size=keys.integer("Queue_Fetch_Size", 512, 1, 65_535),
        preconditioning=preconditioning,
        by_priority=_scheduling(keys, layer),
        cache_bytes=keys.integer("Data_Cache_Capacity", 536_870_912),
        flush_buffer_bytes=planes * page_bytes,
        dram=_dram(keys),
        doorbell_ns=doorbell_ns,
        submit_ns=submit_ns,
        layer=layer,
    )
    host.unused(HOST_UNUSED)
    keys.unused(DEVICE_UNUSED)
    flash.unused(
        FLASH_UNUSED
        | {f"Page_{op}_Latency_{page}": CSB_UNUSED for op in ("Read", "Program") for page in ("CSB", "MSB")}
    )
    return device


def _scheduling(keys: ParameterSet, layer: Layer) -> bool:
    """Sets the order at the dies; returns whether it looks at the priority of flows."""
    key = "Transaction_Scheduling_Policy"
    if keys.text(key, "OUT_OF_ORDER").strip().upper() == "FLIN":
        raise keys.error(
            key,
            "FLIN is not modelled; MQSim does not run it either, since its line is commented out in SSD_Device.cpp",
            "take OUT_OF_ORDER or PRIORITY_OUT_OF_ORDER",
        )
    policy = keys.word(key, SCHEDULING, "OUT_OF_ORDER")
    layer.set("schedule.policy", policy, keys.where(key))
    return policy == SCHEDULING["PRIORITY_OUT_OF_ORDER"]


def _dram(keys: ParameterSet) -> Layer:
    layer = Layer()
    burst = keys.integer("Data_Cache_DRAM_Data_Busrt_Size", 4, 1, 4096)
    # Two transfers per clock, each as wide as a burst.
    rate_mb_s = 2.0 * keys.integer("Data_Cache_DRAM_Data_Rate", 800, 1) * burst
    latency_ns = keys.integer("Data_Cache_DRAM_tRCD", 13) + keys.integer("Data_Cache_DRAM_tCL", 13)
    row = keys.integer("Data_Cache_DRAM_Row_Size", 8192, 512, 1 << 20)
    layer.set("dram.rate_mb_s", rate_mb_s, f"{keys.where('Data_Cache_DRAM_Data_Rate')}, two transfers a clock")
    layer.set("dram.latency_ns", latency_ns, f"{keys.where('Data_Cache_DRAM_tRCD')} and tCL")
    layer.set("dram.timing", "mqsim", "MQSim leaves out every second row of an access, and its last part")
    layer.set("dram.row_bytes", row, keys.where("Data_Cache_DRAM_Row_Size"))
    layer.set("dram.burst_bytes", burst, keys.where("Data_Cache_DRAM_Data_Busrt_Size"))
    layer.set("dram.precharge_ns", keys.integer("Data_Cache_DRAM_tRP", 13), keys.where("Data_Cache_DRAM_tRP"))
    return layer


def _habits(layer: Layer) -> None:
    """Sets behaviour that only MQSim has, for runs of MQSim's own files, so that results agree."""
    layer.set("nand.multiplane", "overtaking", "MQSim joins programs past older ones of the same block")
    layer.set("ftl.unmapped_read", "frontier", "MQSim gives a page never written the next place that a write would get")
    layer.set("ftl.sector_map", True, "MQSim keeps a bit for every sector that holds data")


def _section(parent: Node, tag: str, file: str) -> Node:
    node = parent.child(tag)
    if node is None:
        raise MqsimError(file, parent.line, tag, "is missing", f"add <{tag}> to <{parent.tag}>")
    return node


def _link(host: ParameterSet, layer: Layer) -> tuple[int, int]:
    """Sets the PCIe link; returns the time of a doorbell and of all transfers until a command is in the device."""
    lanes = host.integer("PCIe_Lane_Count", 4, 1, 64)
    lane_gb_s = host.number("PCIe_Lane_Bandwidth", 0.4, 1e-6, 1e6)

    def message_ns(payload_bytes: int) -> int:
        return int(math.ceil((payload_bytes + PACKET_OVERHEAD_BYTES) / lanes) / lane_gb_s)

    origin = f"{host.where('PCIe_Lane_Count')} and PCIe_Lane_Bandwidth"
    share = PACKET_PAYLOAD_BYTES / (PACKET_PAYLOAD_BYTES + PACKET_OVERHEAD_BYTES)
    doorbell_ns, request_ns = message_ns(DOORBELL_BYTES), message_ns(ADDRESS_BYTES)
    submit_ns = doorbell_ns + request_ns + message_ns(COMMAND_BYTES)
    layer.set("host.link_rate_mb_s", lanes * lane_gb_s * 1000.0 * share, f"{origin}; 28 bytes of overhead for 128")
    layer.set("host.complete_ns", message_ns(COMPLETION_BYTES), f"{origin}; a completion of 16 bytes")
    layer.set("host.link_request_ns", request_ns, f"{origin}; a read request of 4 bytes")
    return doorbell_ns, submit_ns


def _geometry(keys: ParameterSet, flash: ParameterSet, layer: Layer) -> int:
    page_bytes = flash.integer("Page_Capacity", 8192, 4096, 32_768)
    if page_bytes & (page_bytes - 1):
        raise flash.error("Page_Capacity", f"{page_bytes} is not a power of two", "take 4096, 8192, 16384 or 32768")
    layer.set("ssd.channels", keys.integer("Flash_Channel_Count", 8, 1, 64), keys.where("Flash_Channel_Count"))
    layer.set("ssd.chips_per_channel", keys.integer("Chip_No_Per_Channel", 4, 1, 64), keys.where("Chip_No_Per_Channel"))
    layer.set("ssd.dies_per_chip", flash.integer("Die_No_Per_Chip", 2, 1, 64), flash.where("Die_No_Per_Chip"))
    layer.set("ssd.planes_per_die", flash.integer("Plane_No_Per_Die", 2, 1, 8), flash.where("Plane_No_Per_Die"))
    layer.set("ssd.page_bytes", page_bytes, flash.where("Page_Capacity"))
    return page_bytes


def _flash_times(flash: ParameterSet, layer: Layer) -> None:
    technology = flash.word("Flash_Technology", {name: name for name in PAGE_TYPES}, "MLC")
    types = PAGE_TYPES[technology]
    read_us = [flash.integer(f"Page_Read_Latency_{t}", 75_000, 1) / 1000 + READY_BUSY_US for t in types]
    program_us = [flash.integer(f"Page_Program_Latency_{t}", 750_000, 1) / 1000 for t in types]
    if technology == "TLC":
        # LSB, CSB and MSB take 1, 2 and 4 senses; no page takes 3.
        read_us = [read_us[0], read_us[1], read_us[2], read_us[2]]
        if len(set(program_us)) > 1 or len(set(read_us)) > 1:
            flash.warn(
                "Flash_Technology", "page types go LSB, CSB, MSB in turn here; MQSim shifts them as shared wordlines do"
            )
    layer.set("coding.cell", technology.lower(), flash.where("Flash_Technology"))
    layer.set(
        "coding.scheme",
        {"SLC": "slc", "MLC": "mlc-1-2", "TLC": "tlc-1-2-4"}[technology],
        flash.where("Flash_Technology"),
    )
    layer.set(
        "nand.read_us",
        [round(us, 5) for us in read_us],
        f"{flash.where('Page_Read_Latency_LSB')} and further types, + 20 ns ready/busy",
    )
    layer.set("nand.program_us", program_us, f"{flash.where('Page_Program_Latency_LSB')} and further types")
    layer.set(
        "nand.erase_us", flash.integer("Block_Erase_Latency", 3_800_000, 1) / 1000, flash.where("Block_Erase_Latency")
    )


def _channel(keys: ParameterSet, layer: Layer) -> None:
    rate_mt_s = keys.integer("Channel_Transfer_Rate", 300, 1)
    width_bytes = keys.integer("Flash_Channel_Width", 1, 1, 64)
    # In MQSim, two transfers take twice the whole nanoseconds of one.
    whole_ns = 1000 // rate_mt_s
    if whole_ns == 0:
        keys.warn(
            "Channel_Transfer_Rate",
            "MQSim rounds a transfer down to 0 ns, so that data move in no time; taken as written here",
        )
        rate_mb_s = float(rate_mt_s * width_bytes)
    else:
        rate_mb_s = 1000.0 * width_bytes / whole_ns
        if abs(rate_mb_s - rate_mt_s * width_bytes) > 0.01 * rate_mb_s:
            keys.warn(
                "Channel_Transfer_Rate",
                f"MQSim rounds a transfer down to {whole_ns} ns, {rate_mb_s:.6g} MB/s; kept, so that results agree",
            )
    layer.set("channel.rate_mb_s", rate_mb_s, f"{keys.where('Channel_Transfer_Rate')}; {whole_ns} ns a transfer")


def _collection(keys: ParameterSet, layer: Layer, blocks: int, overprovisioning: float, table_blocks: int) -> None:
    """Sets GC.

    MQSim's mapping table occupies `table_blocks` where Wordline's is in DRAM: GC must start that much earlier.
    """
    name = keys.text("GC_Block_Selection_Policy", "RGA").upper()
    layer.set(
        "gc.policy", keys.word("GC_Block_Selection_Policy", POLICIES, "RGA"), keys.where("GC_Block_Selection_Policy")
    )
    if name in ("RANDOM_P", "RANDOM_PP"):
        keys.warn("GC_Block_Selection_Policy", "draws among all blocks that can be collected here, as RANDOM does")
    layer.set("gc.d", max(1, int(math.log2(blocks))), "MQSim's RGA: log2 of the blocks in a plane")
    free = max(int(keys.number("GC_Exec_Threshold", 0.05, 0.0, 0.9) * blocks), MIN_FREE_BLOCKS)
    hard = min(max(int(keys.number("GC_Hard_Threshold", 0.005, 0.0, 0.9) * blocks), 1), free)
    layer.set(
        "gc.threshold",
        _share(free + table_blocks, blocks),
        f"{keys.where('GC_Exec_Threshold')}: {free} of {blocks} blocks, and {table_blocks} of MQSim's mapping table",
    )
    layer.set(
        "gc.hard_threshold", _share(hard, blocks), f"{keys.where('GC_Hard_Threshold')}: {hard} blocks of {blocks}"
    )
    layer.set("gc.preemptible", keys.flag("Preemptible_GC_Enabled", True), keys.where("Preemptible_GC_Enabled"))
    copyback = keys.flag("Use_Copyback_for_GC", False)
    layer.set("gc.copyback", copyback, keys.where("Use_Copyback_for_GC"))
    if copyback:
        keys.warn("Use_Copyback_for_GC", "MQSim crashes on it; it works here")
    spare = overprovisioning * blocks
    if spare <= free + 4:
        keys.warn(
            "GC_Exec_Threshold",
            f"asks for {free} free blocks a plane, but over-provisioning leaves {spare:.1f}: "
            "a full SSD would collect without end; MQSim fails there",
        )


def _share(count: int, whole: int) -> float:
    """Returns a share that, times `whole` and rounded down, gives `count` again."""
    return math.ceil(count / whole * 1e9) / 1e9


def _planes(keys: ParameterSet, flash: ParameterSet) -> int:
    channels, chips = keys.integer("Flash_Channel_Count", 8, 1, 64), keys.integer("Chip_No_Per_Channel", 4, 1, 64)
    return channels * chips * flash.integer("Die_No_Per_Chip", 2, 1, 64) * flash.integer("Plane_No_Per_Die", 2, 1, 8)


def _translation(keys: ParameterSet, layer: Layer, pages: int, sectors: int) -> None:
    ideal = keys.flag("Ideal_Mapping_Table", False)
    allocation = keys.word("Plane_Allocation_Scheme", SCHEMES, "CWDP")
    layer.set("ftl.allocation", allocation, keys.where("Plane_Allocation_Scheme"))
    layer.set("ftl.mapping", "flat" if ideal else "dftl", keys.where("Ideal_Mapping_Table"))
    if ideal:
        return
    cmt_bytes = keys.integer("CMT_Capacity", 2_097_152)
    if keys.word("CMT_Sharing_Mode", {"SHARED": False, "EQUAL_PARTITIONING": True}, "SHARED"):
        keys.warn("CMT_Sharing_Mode", "flows share the cached mapping table here")
    address_bits = math.ceil(math.log2(pages))
    entry_bytes = (2 * address_bits + sectors + 7) // 8
    layer.set("ftl.cmt_bytes", cmt_bytes, keys.where("CMT_Capacity"))
    layer.set("ftl.map_transfer", "sector", "MQSim moves 512 bytes for a miss")
    layer.set("ftl.entry_bytes", entry_bytes, f"two page numbers of {address_bits} bits and {sectors} sector bits")
    keys.warn(
        "Ideal_Mapping_Table",
        "changed pages of the mapping table are written; MQSim queues these writes and never does them",
    )


def _table_blocks(pages: int, planes: int, pages_per_block: int, page_bytes: int, overprovisioning: float) -> int:
    """Returns the blocks per plane of MQSim's mapping table, which is in flash even if it is ideal."""
    entry_bytes = (math.ceil(math.log2(pages)) + page_bytes // 512 + 7) // 8
    table_pages = pages * (1.0 - overprovisioning) / (page_bytes // entry_bytes)
    return int(table_pages / planes / pages_per_block) + 1


def _fixed_words(keys: ParameterSet) -> None:
    keys.word("Memory_Type", {"FLASH": 0}, "FLASH")
    keys.word("Address_Mapping", {"PAGE_LEVEL": 0}, "PAGE_LEVEL")
    keys.word("Flash_Comm_Protocol", {"NVDDR2": 0}, "NVDDR2")
    if keys.word("HostInterface_Type", {"NVME": "nvme", "SATA": "sata"}, "NVME") == "sata":
        keys.warn(
            "HostInterface_Type",
            "MQSim's SATA and its delay are not mapped; taken as NVMe, and host.link = sata is another model",
        )
    if keys.word("Caching_Mechanism", {"ADVANCED": "advanced", "SIMPLE": "simple"}, "ADVANCED") == "simple":
        keys.warn(
            "Caching_Mechanism", "MQSim's simple cache aborts at its first write; the cache works here as with ADVANCED"
        )
    keys.word("Data_Cache_Sharing_Mode", {"SHARED": 0, "EQUAL_PARTITIONING": 0}, "SHARED")
