"""MQSim's `workload.xml`: scenarios of flows, each in its own address range."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..errors import MqsimError
from ..files import is_file
from ..output.layer import Value
from ..workload import Flow, Priority, Workload, trace
from .document import MqsimWarning, Node, ParameterSet, parse
from .ssdconfig import Device

SECTOR_BYTES = 512
NS_PER_S = 1_000_000_000
# No run reaches this many requests: a flow that MQSim stops by time stops by host.duration_s.
UNLIMITED_REQUESTS = 10**15
# The 16 bits of MQSim's commands cut longer requests.
REQUEST_SECTORS_MAX = 65_535
# Number of sizes that represent a normal distribution.
SIZES_MAX = 256

CACHE_MODES = {"TURNED_OFF": "off", "WRITE_CACHE": "write", "READ_CACHE": "read", "WRITE_READ_CACHE": "read-write"}
PRIORITIES: dict[str, Priority] = {"URGENT": "urgent", "HIGH": "high", "MEDIUM": "medium", "LOW": "low"}
TIME_SCALES = {"PICOSECOND": 0.001, "NANOSECOND": 1.0, "MICROSECOND": 1000.0}
INTENSITY = "is no key of MQSim's, though its shipped workload.xml has it; the rate of a BANDWIDTH flow is <Bandwidth>"


class MqsimFlow(NamedTuple):
    """A flow of a scenario, and what is said here of the whole SSD.

    Attributes:
        flow: The flow, with the address range behind that of the one before. A trace is read as it is in full.
        duration_s: No request after this much simulated time; 0: when the requests end.
        share: This part of a trace's lines is replayed, from the beginning.
        cache_mode: As `cache.mode`.
        occupancy: Share of its range that preconditioning fills.
    """

    flow: Flow
    duration_s: float = 0.0
    share: float = 1.0
    cache_mode: str = "off"
    occupancy: float = 0.0

    @property
    def settings(self) -> dict[str, Any]:
        """The keys of `[workload]`; none of a trace."""
        return dict(self.flow.workload.settings) if isinstance(self.flow.workload, Workload) else {}


Resources = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]


class Definition(NamedTuple):
    """A flow as in the file, before it gets an address range."""

    keys: ParameterSet
    synthetic: bool
    resources: Resources

    def planes(self) -> set[tuple[int, int, int, int]]:
        """Returns every plane that the flow uses."""
        channels, chips, dies, planes = self.resources
        return {(c, w, d, p) for c in channels for w in chips for d in dies for p in planes}


def read_scenarios(path: Path, device: Device, warnings: list[MqsimWarning]) -> list[list[Definition]]:
    """Returns the flows of every scenario of a `workload.xml`.

    Raises:
        MqsimError: The file is not XML, or has no scenario or flow.
    """
    file = str(path)
    root = parse(path)
    if root.tag != "MQSim_IO_Scenarios":
        raise MqsimError(
            file, root.line, root.tag, "is not a workload", "its outermost element must be <MQSim_IO_Scenarios>"
        )
    scenarios = []
    for scenario in root.children:
        if scenario.tag != "IO_Scenario":
            warnings.append(
                MqsimWarning(file, scenario.line, scenario.tag, "", "is not an <IO_Scenario>; both ignore it")
            )
            continue
        flows = [_define(node, file, device, warnings) for node in scenario.children]
        if not flows:
            raise MqsimError(
                file,
                scenario.line,
                "IO_Scenario",
                "has no flow",
                "add an <IO_Flow_Parameter_Set_Synthetic> or <IO_Flow_Parameter_Set_Trace_Based>",
            )
        scenarios.append(flows)
    if not scenarios:
        raise MqsimError(file, root.line, "MQSim_IO_Scenarios", "has no scenario", "add an <IO_Scenario>")
    return scenarios


def _define(node: Node, file: str, device: Device, warnings: list[MqsimWarning]) -> Definition:
    kinds = {"IO_Flow_Parameter_Set_Synthetic": True, "IO_Flow_Parameter_Set_Trace_Based": False}
    if node.tag not in kinds:
        raise MqsimError(file, node.line, node.tag, "is no kind of flow", f"write one of {', '.join(kinds)}")
    keys = ParameterSet(node, file, warnings)
    resources = (
        keys.ids("Channel_IDs", device.channels),
        keys.ids("Chip_IDs", device.chips),
        keys.ids("Die_IDs", device.dies),
        keys.ids("Plane_IDs", device.planes),
    )
    return Definition(keys, kinds[node.tag], resources)


def read_flows(definitions: list[Definition], device: Device, folder: Path) -> list[MqsimFlow]:
    """Returns the flows of one scenario, each with its address range after that of the previous flow.

    Raises:
        MqsimError: A key that MQSim needs is missing, or has a value that MQSim does not take.
    """
    users: dict[tuple[int, int, int, int], int] = {}
    for definition in definitions:
        for plane in definition.planes():
            users[plane] = users.get(plane, 0) + 1
    flows = []
    first_sector = 0
    for number, definition in enumerate(definitions):
        # MQSim's own arithmetic: each plane's sectors are rounded down separately.
        plane_sectors = device.blocks * device.pages * device.sectors_per_page
        count = sum(
            int(plane_sectors * (1.0 - device.overprovisioning) * 1.0 / float(users[plane]))
            for plane in definition.planes()
        )
        # MQSim counts pages from each flow's own start, so a flow starts at a page boundary.
        sectors = count - count % device.sectors_per_page
        read = _flow(definition, f"flow{number}", count, device, folder)
        flows.append(read._replace(flow=replace(read.flow, first_sector=first_sector, sectors=sectors)))
        first_sector += sectors
    return flows


def _flow(definition: Definition, name: str, count: int, device: Device, folder: Path) -> MqsimFlow:
    keys = definition.keys
    priority = keys.word("Priority_Class", PRIORITIES)
    cache_mode = keys.word("Device_Level_Data_Caching_Mode", CACHE_MODES)
    reasons: dict[str, str] = {}
    occupancy = 0.0
    if device.preconditioning:
        occupancy = keys.integer("Initial_Occupancy_Percentage", None, 0, 100) / 100
    else:
        reasons["Initial_Occupancy_Percentage"] = "only preconditioning reads it, and Enabled_Preconditioning is false"
    read = _synthetic(keys, name, count, reasons) if definition.synthetic else _trace(keys, name, folder)
    keys.unused(reasons)
    return read._replace(flow=replace(read.flow, priority=priority), cache_mode=cache_mode, occupancy=occupancy)


def _synthetic(keys: ParameterSet, name: str, count: int, reasons: dict[str, str]) -> MqsimFlow:
    """Returns a synthetic flow; puts into `reasons` why some of its keys have no meaning."""
    reasons["Intensity"] = INTENSITY
    workload: dict[str, Value] = {"name": name}
    size_sectors = keys.integer("Average_Request_Size", None, 1, REQUEST_SECTORS_MAX)
    percent = keys.integer("Working_Set_Percentage")
    if not 1 <= percent <= 100:
        keys.warn("Working_Set_Percentage", "is not between 1 and 100; MQSim takes 100")
        percent = 100
    footprint = int((count - 1) * (percent / 100.0))
    if footprint < size_sectors:
        raise keys.error(
            "Working_Set_Percentage",
            f"leaves {footprint} sectors, less than one request",
            "raise it, or take a larger SSD",
        )
    workload["requests"], duration_s = _stop(keys, reasons)
    workload["seed"] = keys.integer("Seed")
    workload["read_ratio"] = keys.integer("Read_Percentage", None, 0, 100) / 100
    workload["footprint_bytes"] = footprint * SECTOR_BYTES
    _addresses(keys, workload, reasons)
    _sizes(keys, workload, size_sectors, reasons)
    depth = None
    if keys.word("Synthetic_Generator_Type", {"QUEUE_DEPTH": True, "BANDWIDTH": False}):
        depth = keys.integer("Average_No_of_Reqs_in_Queue", None, 1, 65_535)
        reasons["Bandwidth"] = "only a BANDWIDTH flow reads it"
    else:
        if keys.has("Intensity") and not keys.has("Bandwidth"):
            raise keys.error("Intensity", INTENSITY, "rename it to Bandwidth")
        bandwidth = keys.integer("Bandwidth")
        per_second = bandwidth // SECTOR_BYTES // size_sectors
        if not 0 < per_second <= NS_PER_S:
            raise keys.error(
                "Bandwidth",
                f"{bandwidth} bytes/s are {per_second} requests/s",
                f"take at least one request a second, {size_sectors * SECTOR_BYTES} bytes/s",
            )
        workload["arrival"] = "exponential"
        workload["inter_arrival_us"] = (NS_PER_S // per_second) / 1000
        reasons["Average_No_of_Reqs_in_Queue"] = "only a QUEUE_DEPTH flow reads it"
    mode: Literal["open", "closed"] = "open" if depth is None else "closed"
    return MqsimFlow(Flow(name, Workload(None, tuple(workload.items())), mode, depth), duration_s)


def _stop(keys: ParameterSet, reasons: dict[str, str]) -> tuple[int, float]:
    """Returns the number of requests, and the duration of a flow that stops by time."""
    stop_ns = keys.integer("Stop_Time")
    if stop_ns > 0:
        reasons["Total_Requests_To_Generate"] = "Stop_Time is set, and MQSim then stops by time alone"
        return UNLIMITED_REQUESTS, stop_ns / NS_PER_S
    return keys.integer("Total_Requests_To_Generate", None, 1), 0.0


def _addresses(keys: ParameterSet, workload: dict[str, Value], reasons: dict[str, str]) -> None:
    pattern = keys.word(
        "Address_Distribution", {"RANDOM_UNIFORM": "random", "STREAMING": "sequential", "RANDOM_HOTCOLD": "hot-cold"}
    )
    hot_percent = 0
    if pattern == "hot-cold":
        hot_percent = keys.integer("Percentage_of_Hot_Region", None, 0, 100)
        if hot_percent in (0, 100):
            keys.warn("Percentage_of_Hot_Region", "leaves one region only; taken as RANDOM_UNIFORM")
            pattern = "random"
    else:
        reasons["Percentage_of_Hot_Region"] = "only RANDOM_HOTCOLD reads it"
    workload["pattern"] = pattern
    if pattern == "hot-cold":
        workload["hot_fraction"] = hot_percent / 100
        workload["hot_access_fraction"] = (100 - hot_percent) / 100
    if keys.flag("Generated_Aligned_Addresses"):
        workload["align_bytes"] = keys.integer("Address_Alignment_Unit", None, 1, 2_097_152) * SECTOR_BYTES
    else:
        workload["align_bytes"] = SECTOR_BYTES
        reasons["Address_Alignment_Unit"] = "Generated_Aligned_Addresses is false"


def _sizes(keys: ParameterSet, workload: dict[str, Value], size_sectors: int, reasons: dict[str, str]) -> None:
    normal = keys.word("Request_Size_Distribution", {"FIXED": False, "NORMAL": True})
    deviation = keys.integer("Variance_Request_Size") if normal else 0
    if not normal:
        reasons["Variance_Request_Size"] = "only NORMAL reads it"
    if deviation == 0:
        workload["size_distribution"] = "fixed"
        workload["read_block_bytes"] = size_sectors * SECTOR_BYTES
        return
    keys.warn(
        "Variance_Request_Size",
        "is a standard deviation, in MQSim too; sizes end at 4 of them and at one sector (MQSim: negative ones wrap)",
    )
    workload["size_distribution"] = "mix"
    workload["read_block_mix"] = [
        [sectors * SECTOR_BYTES, weight] for sectors, weight in normal_sizes(size_sectors, deviation)
    ]


def normal_sizes(mean: int, deviation: int) -> list[tuple[int, float]]:
    """Returns whole sizes of at least 1 and their probabilities: a normal distribution, rounded up as in MQSim."""

    def below(size: int) -> float:
        return 0.5 * math.erfc((mean - size) / (deviation * math.sqrt(2.0)))

    low, high = max(1, mean - 4 * deviation), min(REQUEST_SECTORS_MAX, mean + 4 * deviation)
    step = -(-(high - low + 1) // SIZES_MAX)
    sizes = []
    done = 0.0
    for first in range(low, high + 1, step):
        last = min(first + step - 1, high)
        upto = 1.0 if last == high else below(last)
        sizes.append(((first + last) // 2, round(upto - done, 12)))
        done = upto
    return sizes


def _trace(keys: ParameterSet, name: str, folder: Path) -> MqsimFlow:
    path = keys.text("File_Path")
    # MQSim searches from its working folder; most people mean a file next to the workload.
    file = next((place for place in (Path(path), folder / path) if is_file(place)), Path(path))
    time_scale = keys.word("Time_Unit", TIME_SCALES, "NANOSECOND")
    if time_scale != 1.0:
        keys.warn("Time_Unit", "MQSim takes every time as nanoseconds; the unit counts here")
    rounds = keys.integer("Relay_Count", None, 1, 1_000_000)
    percent = keys.integer("Percentage_To_Be_Executed", None, 1)
    if percent > 100:
        keys.warn("Percentage_To_Be_Executed", "is more than 100; all requests are replayed")
    elif percent < 100 and rounds > 1:
        keys.warn("Percentage_To_Be_Executed", "Relay_Count is more than 1, and MQSim then replays whole traces")
        percent = 100
    read = trace(file, format="mqsim", wrap=True, rounds=rounds)
    return MqsimFlow(Flow(name, read, "open", time_scale=time_scale), share=min(percent, 100) / 100)
