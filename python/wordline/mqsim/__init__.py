"""MQSim's file pairs, as Wordline's configuration and flows.

`load` reads an `ssdconfig.xml` and a `workload.xml`. Each scenario becomes plain data: a layer of TOML on top of the
preset `mqsim`, the flows, and a warning for every key that has no meaning here or that MQSim itself ignores. MQSim's
rounding is kept. Where MQSim is plainly wrong, Wordline follows physics, and a warning says so.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ..errors import MqsimError
from ..output.layer import Layer
from .document import MqsimWarning
from .ssdconfig import Device, read_device
from .workload import UNLIMITED_REQUESTS, Definition, MqsimFlow, read_flows, read_scenarios

__all__ = ["UNLIMITED_REQUESTS", "MqsimError", "MqsimFlow", "MqsimWarning", "Scenario", "load"]

# Random overwrites, as a multiple of the filled data, after which GC is near its steady state.
STEADY_OVERWRITES = 2.0
# Open blocks of the host in a plane, at most.
STREAMS_MAX = 16


class Scenario(NamedTuple):
    """One `IO_Scenario`: a separate run on a fresh SSD."""

    name: str
    layer: str
    """TOML on top of the preset `mqsim`; each value's comment names its source."""
    flows: list[MqsimFlow]
    warnings: list[MqsimWarning]


def load(ssdconfig: Path | str, workload: Path | str) -> list[Scenario]:
    """Reads an MQSim pair.

    Raises:
        MqsimError: The file cannot be read, is not XML, lacks a key that MQSim needs, or holds a value that MQSim does
            not take. It names file, line, key and fix.
    """
    device_warnings: list[MqsimWarning] = []
    device = read_device(Path(ssdconfig), device_warnings)
    file_warnings: list[MqsimWarning] = []
    definitions = read_scenarios(Path(workload), device, file_warnings)
    scenarios = []
    for number, flows in enumerate(definitions, 1):
        warnings = [*device_warnings, *file_warnings]
        for definition in flows:
            definition.keys.warnings = warnings
        scenarios.append(_scenario(f"scenario{number}", flows, device, warnings, Path(workload)))
    return scenarios


def _scenario(
    name: str, definitions: list[Definition], device: Device, warnings: list[MqsimWarning], path: Path
) -> Scenario:
    flows = read_flows(definitions, device, path.parent)
    layer = Layer()
    layer.update(device.layer)
    groups = reclaim_groups(definitions) if device.preconditioning else None
    if groups is None:
        _resources(definitions, layer)
    else:
        flows = _apart(definitions, flows, groups, layer)
    _host(definitions, flows, device, layer, shares_blocks=groups is None)
    _cache(definitions, flows, device, layer)
    _precondition(flows, device, layer)
    return Scenario(name, layer.text(), flows, warnings)


def reclaim_groups(definitions: list[Definition]) -> list[int] | None:
    """Returns the number of each flow's set of channels, where these are several, as large and apart; else None."""
    sets = list(dict.fromkeys(frozenset(each.resources[0]) for each in definitions))
    rest = {each.resources[1:] for each in definitions}
    is_apart = sum(map(len, sets)) == len(frozenset().union(*sets)) and len({len(each) for each in sets}) == 1
    if len(sets) == 1 or len(rest) > 1 or not is_apart:
        return None
    return [sets.index(frozenset(each.resources[0])) for each in definitions]


def _apart(definitions: list[Definition], flows: list[MqsimFlow], groups: list[int], layer: Layer) -> list[MqsimFlow]:
    """Gives sets of channels to the flows that have them, as reclaim groups, and each flow blocks of its own there."""
    first = definitions[0]
    where = first.keys.where("Channel_IDs")
    channels = len(first.resources[0]) * (max(groups) + 1)
    layer.set("ssd.channels", channels, f"{where}: those of all flows")
    _same(first, layer, "the same for all flows")
    handles = max(groups.count(group) for group in groups)
    layer.set("fdp.isolation", "persistently", "in MQSim each flow fills blocks of its own, also when its data move")
    layer.set("fdp.handles", handles, "the most flows on a set of channels")
    layer.set("fdp.reclaim_groups", max(groups) + 1, f"{where}: flows have sets of channels of their own")
    placed = []
    for place, (group, each) in enumerate(zip(groups, flows, strict=True)):
        handle = group * handles + groups[:place].count(group) + 1
        placed.append(each._replace(flow=replace(each.flow, handles=(handle,))))
    return placed


def _same(first: Definition, layer: Layer, why: str) -> None:
    """Cuts chips, dies and planes of an SSD to those of a flow."""
    names = (
        ("ssd.chips_per_channel", "Chip_IDs"),
        ("ssd.dies_per_chip", "Die_IDs"),
        ("ssd.planes_per_die", "Plane_IDs"),
    )
    for (key, name), ids in zip(names, first.resources[1:], strict=True):
        layer.set(key, len(ids), f"{first.keys.where(name)}, {why}")


def _resources(definitions: list[Definition], layer: Layer) -> None:
    """Cuts an SSD to the part that all flows use, if they use the same part."""
    first = definitions[0]
    if any(definition.resources != first.resources for definition in definitions):
        for definition in definitions:
            definition.keys.warn(
                "Channel_IDs",
                "flows use different parts of the SSD; here all share the whole SSD, each in its own addresses",
            )
        return
    why = "the same for all flows"
    layer.set("ssd.channels", len(first.resources[0]), f"{first.keys.where('Channel_IDs')}, {why}")
    _same(first, layer, why)


def _host(
    definitions: list[Definition], flows: list[MqsimFlow], device: Device, layer: Layer, *, shares_blocks: bool
) -> None:
    modes = {each.flow.mode for each in flows}
    depths = [each.flow.queue_depth or 0 for each in flows]
    closed = "closed" in modes
    if len(modes) == 1:
        layer.set("host.mode", flows[0].flow.mode, "the kind of the scenario's flows")
    if closed:
        layer.set("host.queue_depth", max(depths), "the deepest of the scenario's flows")
    # In a closed loop the doorbell of the last completion is sent before that of the next request.
    layer.set(
        "host.submit_ns",
        device.submit_ns + (device.doorbell_ns if closed else 0),
        "PCIe messages until the command is in the device",
    )
    fetch = device.fetch_size * len(flows)
    layer.set("host.device_queue_depth", fetch, f"{device.section.where('Queue_Fetch_Size')}, for each of {len(flows)}")
    if len(flows) > 1 and shares_blocks:
        layer.set("ftl.streams", min(len(flows), STREAMS_MAX), "in MQSim each flow fills blocks of its own")
    if len({each.flow.priority for each in flows}) > 1 and not device.by_priority:
        outstanding = sum(depths)
        taken = f"the device takes {fetch} requests at once (Queue_Fetch_Size for each of {len(flows)} flows)"
        if closed and outstanding <= fetch:
            taken += f", and no more than {outstanding} are outstanding"
        for definition in definitions:
            definition.keys.warn(
                "Priority_Class",
                f"has no effect, in MQSim neither: OUT_OF_ORDER looks at no priority, and {taken}; "
                "Transaction_Scheduling_Policy PRIORITY_OUT_OF_ORDER looks at it",
            )
    for definition, each in zip(definitions, flows, strict=True):
        if device.by_priority and each.flow.priority in {"medium", "low"}:
            definition.keys.warn(
                "Priority_Class",
                "here all of its requests are served; MQSim passes a chip over every second time where only LOW "
                "waits, which slows it where writes wait, too, and never serves a few requests",
            )
    durations = [each.duration_s for each in flows]
    longest = max(durations)
    if longest > 0.0:
        layer.set("host.duration_s", longest, "the longest Stop_Time of the scenario's flows")
        for definition, seconds in zip(definitions, durations, strict=True):
            if definition.synthetic and seconds != longest:
                definition.keys.warn(
                    "Stop_Time",
                    f"all flows of a scenario stop at {longest:g} s here, unless they run out of requests before",
                )
            elif not definition.synthetic:
                definition.keys.warn("File_Path", f"another flow has a Stop_Time: the trace ends at {longest:g} s, too")


def _cache(definitions: list[Definition], flows: list[MqsimFlow], device: Device, layer: Layer) -> None:
    modes = {each.cache_mode for each in flows}
    served = {mode for flow in modes for mode in flow.split("-")} - {"off"}
    mode = "read-write" if len(served) == 2 else next(iter(served), "off")
    first = definitions[0].keys
    layer.set("cache.mode", mode, first.where("Device_Level_Data_Caching_Mode"))
    if mode == "off":
        return
    where = device.section.where
    layer.set("cache.capacity_bytes", device.cache_bytes, where("Data_Cache_Capacity"))
    layer.update(device.dram)
    if "read" in served:
        layer.set(
            "cache.keeps_unwritten",
            False,
            "in MQSim a page that nobody has written carries no address: no read finds its data in the cache",
        )
    if len(modes) > 1:
        first.warn(
            "Device_Level_Data_Caching_Mode",
            f"flows have different modes; the one cache works as {mode} for all of them here",
        )
    if "write" in served:
        layer.set("cache.flush", "hot-cold", "MQSim keeps a page that is written again within a second")
        layer.set("cache.hot_window_ms", 1000.0, "MQSim forgets each second which pages were written")
        layer.set("cache.flush_buffer_bytes", device.flush_buffer_bytes, "in MQSim, a page for each plane")
    first.warn(
        "Device_Level_Data_Caching_Mode",
        "MQSim charges an access of its DRAM for every second row alone, and hardly for a part of a row behind the "
        "first; kept, so that results agree (dram.timing)",
    )
    if len(flows) > 1 and device.section.text("Data_Cache_Sharing_Mode", "SHARED").upper() != "SHARED":
        first.warn(
            "Device_Level_Data_Caching_Mode",
            "Data_Cache_Sharing_Mode divides the cache between flows; they share it here",
        )


def _precondition(flows: list[MqsimFlow], device: Device, layer: Layer) -> None:
    if not device.preconditioning:
        layer.set("precondition.fill", "lazy", device.section.where("Enabled_Preconditioning"))
        return
    sectors = [each.flow.sectors or 0 for each in flows]
    filled = sum(each.occupancy * count for each, count in zip(flows, sectors, strict=True))
    fill = round(filled / sum(sectors), 9)
    writes = any(each.settings.get("read_ratio", 0.0) != 1.0 for each in flows)
    layer.set("precondition.fill", fill, "Initial_Occupancy_Percentage of the scenario's flows")
    layer.set(
        "precondition.overwrite",
        fill * STEADY_OVERWRITES if writes else 0.0,
        "towards GC's steady state; reads need none",
    )
