"""The cases of the comparison: generated pairs of files that both MQSim and Wordline read.

MQSim needs every key of a flow. The device file has the keys that matter with the data cache off and an ideal mapping
table, in MQSim's spelling. Unless a case changes them, values are those of MQSim's default device.
"""
# ruff: noqa: INP001

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

DEPTHS = (1, 2, 4, 8, 16, 32, 64)
KINDS = {"read": 100, "write": 0, "mix": 70}
"""Names of the kinds of requests, with the percentage of reads."""

HOST = {"PCIe_Lane_Bandwidth": "1.0", "PCIe_Lane_Count": "4"}
DEVICE = {
    "Enabled_Preconditioning": "false",
    "Memory_Type": "FLASH",
    "HostInterface_Type": "NVME",
    "IO_Queue_Depth": "65535",
    "Queue_Fetch_Size": "512",
    "Caching_Mechanism": "ADVANCED",
    "Data_Cache_Capacity": "16777216",
    "Data_Cache_DRAM_Data_Rate": "100",
    "Data_Cache_DRAM_Data_Busrt_Size": "1",
    "Data_Cache_DRAM_tRCD": "13",
    "Data_Cache_DRAM_tCL": "13",
    "Data_Cache_DRAM_tRP": "13",
    "Data_Cache_DRAM_Row_Size": "8192",
    "Address_Mapping": "PAGE_LEVEL",
    "Ideal_Mapping_Table": "true",
    "CMT_Capacity": "2097152",
    "Plane_Allocation_Scheme": "CWDP",
    "Transaction_Scheduling_Policy": "PRIORITY_OUT_OF_ORDER",
    "Overprovisioning_Ratio": "0.07",
    "GC_Exec_Threshold": "0.05",
    "GC_Hard_Threshold": "0.005",
    "GC_Block_Selection_Policy": "RGA",
    "Use_Copyback_for_GC": "false",
    "Preemptible_GC_Enabled": "false",
    "Flash_Channel_Count": "8",
    "Flash_Channel_Width": "1",
    "Channel_Transfer_Rate": "333",
    "Chip_No_Per_Channel": "4",
    "Flash_Comm_Protocol": "NVDDR2",
}
FLASH = {
    "Flash_Technology": "MLC",
    **{f"Page_Read_Latency_{page}": "75000" for page in ("LSB", "CSB", "MSB")},
    **{f"Page_Program_Latency_{page}": "750000" for page in ("LSB", "CSB", "MSB")},
    "Block_Erase_Latency": "3800000",
    "Die_No_Per_Chip": "2",
    "Plane_No_Per_Die": "2",
    "Block_No_Per_Plane": "2048",
    "Page_No_Per_Block": "256",
    "Page_Capacity": "8192",
}
SEEDS = (798, 31, 4177, 90210, 5, 1234, 60, 2026)
"""The first is that of the workload which MQSim ships."""


@dataclass(frozen=True)
class Case:
    """One comparison: a device, and what is asked of it."""

    name: str
    group: str
    read_percent: int = 0
    sectors: int = 8
    align_sectors: int = 16
    queue_depth: int = 1
    requests: int = 60_000
    working_set_percent: int = 50
    seeds: int = 1
    trace: Path | None = None
    device: dict[str, str] = field(default_factory=dict)
    flows: tuple[dict[str, str], ...] = ({},)
    """Keys of each flow that differ from those of the case."""


def random_cases() -> list[Case]:
    """Requests of 4 and 8 KiB at every queue depth, and large ones at some, over half of an empty device."""
    cases = []
    for kib, depths, requests in (
        (4, DEPTHS, 60_000),
        (8, DEPTHS, 60_000),
        (64, (1, 8, 32), 50_000),
        (256, (1, 8, 32), 20_000),
    ):
        for kind, percent in KINDS.items():
            for depth in depths:
                # Means of these differ by 1 % from seed to seed; those of mixes do so by their share of writes alone.
                pages_waiting = depth * max(1, kib // 8)
                is_noisy = kind == "mix" or pages_waiting >= {"read": 256, "write": 64}[kind]
                seeds = 8 if pages_waiting >= 1024 else 4 if is_noisy else 1
                cases.append(
                    Case(
                        f"{kind}-{kib}k-qd{depth}",
                        "random",
                        percent,
                        kib * 2,
                        max(16, kib * 2),
                        depth,
                        requests,
                        seeds=seeds,
                    )
                )
    return cases


def speed_cases() -> list[Case]:
    """Runs that are long beside the start of either program."""
    return [
        Case(f"{kind}-4k-qd32-1M", "speed", percent, queue_depth=32, requests=1_000_000)
        for kind, percent in KINDS.items()
    ]


def gc_cases() -> list[Case]:
    """Random writes of pages over all of a small SSD, at queue depth 1, where MQSim loses no request."""
    cases = []
    for policy, blocks, spare in (
        ("GREEDY", 128, "0.28"),
        ("GREEDY", 128, "0.40"),
        ("RGA", 128, "0.28"),
        ("GREEDY", 256, "0.15"),
        ("GREEDY", 512, "0.15"),
        ("RGA", 512, "0.15"),
        ("GREEDY", 512, "0.28"),
    ):
        device = {
            "Flash_Channel_Count": "2",
            "Chip_No_Per_Channel": "2",
            "Block_No_Per_Plane": str(blocks),
            "Page_No_Per_Block": "64",
            "Overprovisioning_Ratio": spare,
            "GC_Block_Selection_Policy": policy,
        }
        name = f"gc-{policy.lower()}-{blocks}blocks-op{round(float(spare) * 100)}"
        requests = blocks * 4_000
        cases.append(Case(name, "gc", 0, 16, requests=requests, working_set_percent=100, device=device))
    return cases


def _flows(*priorities: str, mode: str = "TURNED_OFF") -> tuple[dict[str, str], ...]:
    return tuple({"Priority_Class": one, "Device_Level_Data_Caching_Mode": mode} for one in priorities)


def cache_cases() -> list[Case]:
    """The three modes of the data cache: without hits, with hits, and requests longer than a row of its DRAM."""
    cases = []
    for word, mode in (("write", "WRITE_CACHE"), ("read", "READ_CACHE"), ("both", "WRITE_READ_CACHE")):
        flows = _flows("HIGH", mode=mode)
        # Where what is read was written, its data would fill the shipped DRAM's queue without end; one hit behind it
        # would decide the mean.
        device = {} if word == "write" else {"Data_Cache_DRAM_Data_Rate": "800", "Data_Cache_DRAM_Data_Busrt_Size": "4"}
        for kind, percent in KINDS.items():
            for depth in (1, 32):
                seeds = 4 if kind == "mix" else 1
                name = f"cache-{word}-{kind}-4k-qd{depth}"
                cases.append(
                    Case(name, "options", percent, 8, 16, depth, 20_000, seeds=seeds, device=device, flows=flows)
                )
        if word != "write":
            # Nobody has written what is read here, so MQSim never finds it in the cache, and its DRAM is idle:
            # it may be as slow as the shipped one.
            name = f"cache-{word}-read-4k-qd64-shipped"
            cases.append(Case(name, "options", 100, 8, 16, 64, 20_000, 5, flows=flows))
        small = {**device, "Block_No_Per_Plane": "128", "Page_No_Per_Block": "64"}
        if word == "write":
            # 1 % of the device is a few times the cache: some pages are there, and it fills.
            name = "cache-write-hits-mix-4k-qd4"
            cases.append(Case(name, "options", 70, 8, 16, 4, 60_000, 1, seeds=4, device=small, flows=flows))
            continue
        # MQSim knows what it reads by the page number in the flash, so it finds only pages again that were written: two
        # of five here. Each read of another page takes a page of the flash; so few of them begin no collection. The
        # cache holds all that is read; what left it would crash MQSim.
        small |= {"Enabled_Preconditioning": "true", "Data_Cache_Capacity": "1073741824"}
        used = tuple({**flow, "Initial_Occupancy_Percentage": "40"} for flow in flows)
        for depth in (4, 32):
            name = f"cache-{word}-hits-read-4k-qd{depth}"
            cases.append(Case(name, "differs", 100, 8, 16, depth, 100_000, 10, seeds=2, device=small, flows=used))
    flows = _flows("HIGH", mode="WRITE_CACHE")
    for kib in (16, 32, 64):
        cases.append(Case(f"cache-write-write-{kib}k-qd1", "options", 0, 2 * kib, 2 * kib, 1, 10_000, flows=flows))
    return cases


def mapping_cases() -> list[Case]:
    """A cached mapping table, in which all entries of the run fit, or a third of them."""
    cases = []
    for word, size, group in (("2mib", "2097152", "options"), ("64kib", "65536", "differs")):
        device = {"Ideal_Mapping_Table": "false", "CMT_Capacity": size}
        for kind, percent in KINDS.items():
            for depth in (1, 16):
                name = f"cmt-{word}-{kind}-4k-qd{depth}"
                seeds = 4 if kind == "mix" else 1
                cases.append(Case(name, group, percent, 8, 16, depth, 20_000, seeds=seeds, device=device))
    return cases


def flow_cases() -> list[Case]:
    """Both schedulers, with one flow, two and four, of the same priority and of different ones."""
    cases = []
    for word, policy in (("ooo", "OUT_OF_ORDER"), ("priority", "PRIORITY_OUT_OF_ORDER")):
        device = {"Transaction_Scheduling_Policy": policy}
        for name, priorities in (
            ("1", ("HIGH",)),
            ("2-high", ("HIGH", "HIGH")),
            ("2-urgent-low", ("URGENT", "LOW")),
            ("2-high-low", ("HIGH", "LOW")),
            ("4-high", ("HIGH",) * 4),
            ("4-all", ("URGENT", "HIGH", "MEDIUM", "LOW")),
        ):
            for kind, percent in (("read", 100), ("mix", 50)):
                depth = 64 // len(priorities)
                cases.append(
                    Case(
                        f"{word}-{name}-{kind}-qd{depth}",
                        "options",
                        percent,
                        8,
                        16,
                        depth,
                        20_000,
                        seeds=2,
                        device=device,
                        flows=_flows(*priorities),
                    )
                )
    # With a write cache, programs wait at every chip.
    cached = _flows("URGENT", "LOW", mode="WRITE_CACHE")
    cases.append(Case("priority-2-urgent-low-cache-mix-qd16", "differs", 50, 8, 16, 16, 20_000, seeds=2, flows=cached))
    return cases


def used_cases() -> list[Case]:
    """A small device that MQSim has filled before the run."""
    device = {"Enabled_Preconditioning": "true", "Block_No_Per_Plane": "128", "Page_No_Per_Block": "64"}
    used = {"Initial_Occupancy_Percentage": "70"}
    reads = [
        Case(f"used-read-4k-qd{depth}", "options", 100, 8, 16, depth, 20_000, 50, device=device, flows=(used,))
        for depth in (1, 16, 64)
    ]
    # Ten times as many: reads of pages that were never written take up the flash, until MQSim collects garbage.
    reads.append(
        Case("used-read-4k-qd4-long", "differs", 100, 8, 16, 4, 200_000, 50, seeds=2, device=device, flows=(used,))
    )
    device = {
        "Enabled_Preconditioning": "true",
        "Flash_Channel_Count": "2",
        "Chip_No_Per_Channel": "2",
        "Block_No_Per_Plane": "512",
        "Page_No_Per_Block": "64",
        "Overprovisioning_Ratio": "0.28",
        "GC_Block_Selection_Policy": "GREEDY",
    }
    full = {"Initial_Occupancy_Percentage": "100"}
    writes = Case("used-write-8k-qd1", "differs", 0, 16, 16, 1, 100_000, 100, device=device, flows=(full,))
    return [*reads, writes]


def trace_case(path: Path) -> Case:
    """A trace in MQSim's format."""
    return Case(f"trace-{path.stem}", "trace", trace=path.resolve())


def write_pair(case: Case, seed: int, folder: Path) -> tuple[Path, Path]:
    """Writes `ssdconfig.xml` and `workload.xml` into a folder."""
    ssdconfig, workload = folder / "ssdconfig.xml", folder / "workload.xml"
    root = ET.Element("Execution_Parameter_Set")
    _fill(ET.SubElement(root, "Host_Parameter_Set"), HOST)
    device = ET.SubElement(root, "Device_Parameter_Set")
    _fill(device, {**DEVICE, **{key: value for key, value in case.device.items() if key in DEVICE}})
    flash = {**FLASH, **{key: value for key, value in case.device.items() if key in FLASH}}
    _fill(ET.SubElement(device, "Flash_Parameter_Set"), flash)
    _write(root, ssdconfig)
    root = ET.Element("MQSim_IO_Scenarios")
    scenario = ET.SubElement(root, "IO_Scenario")
    kind = "Synthetic" if case.trace is None else "Trace_Based"
    for number, changes in enumerate(case.flows):
        flow = ET.SubElement(scenario, f"IO_Flow_Parameter_Set_{kind}")
        own = _synthetic(case, seed + number) if case.trace is None else _trace(case.trace)
        _fill(flow, {**_common({**DEVICE, **flash, **case.device}), **own, **changes})
    _write(root, workload)
    return ssdconfig, workload


def _common(device: dict[str, str]) -> dict[str, str]:
    counts = {
        "Channel_IDs": "Flash_Channel_Count",
        "Chip_IDs": "Chip_No_Per_Channel",
        "Die_IDs": "Die_No_Per_Chip",
        "Plane_IDs": "Plane_No_Per_Die",
    }
    return {
        "Priority_Class": "HIGH",
        "Device_Level_Data_Caching_Mode": "TURNED_OFF",
        **{key: ",".join(str(i) for i in range(int(device[count]))) for key, count in counts.items()},
        "Initial_Occupancy_Percentage": "50",
    }


def _synthetic(case: Case, seed: int) -> dict[str, str]:
    return {
        "Working_Set_Percentage": str(case.working_set_percent),
        "Synthetic_Generator_Type": "QUEUE_DEPTH",
        "Read_Percentage": str(case.read_percent),
        "Address_Distribution": "RANDOM_UNIFORM",
        "Percentage_of_Hot_Region": "0",
        "Generated_Aligned_Addresses": "true",
        "Address_Alignment_Unit": str(case.align_sectors),
        "Request_Size_Distribution": "FIXED",
        "Average_Request_Size": str(case.sectors),
        "Variance_Request_Size": "0",
        "Seed": str(seed),
        "Average_No_of_Reqs_in_Queue": str(case.queue_depth),
        "Bandwidth": "262144",
        "Stop_Time": "0",
        "Total_Requests_To_Generate": str(case.requests),
    }


def _trace(path: Path) -> dict[str, str]:
    return {
        "File_Path": str(path),
        "Percentage_To_Be_Executed": "100",
        "Relay_Count": "1",
        "Time_Unit": "NANOSECOND",
    }


def _fill(parent: ET.Element, keys: dict[str, str]) -> None:
    for key, value in keys.items():
        ET.SubElement(parent, key).text = value


def _write(root: ET.Element, path: Path) -> None:
    ET.indent(root)
    # MQSim knows this encoding's name and writes it itself.
    ET.ElementTree(root).write(path, encoding="us-ascii", xml_declaration=True)
