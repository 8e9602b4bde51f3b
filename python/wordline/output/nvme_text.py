"""The logs of `nvme_fdp` and `nvme_smart` as text, in the lines that nvme-cli prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .nvme_fdp import IDENTIFIER_VALID, INITIALLY_ISOLATED, NAMESPACE_VALID
from .nvme_smart import DATA_UNIT_BYTES

Log = Mapping[str, Any]
USED = {0: "Unused", 1: "Host Specified", 2: "Controller Specified"}
EVENTS = {
    0x00: "Reclaim Unit Not Fully Written",
    0x01: "Reclaim Unit Active Time Limit Exceeded",
    0x02: "Controller Level Reset Modified Reclaim Unit Handles",
    0x03: "Invalid Placement Identifier",
    0x80: "Media Reallocated",
    0x81: "Implicitly Modified Reclaim Unit Handle",
}
TAB = 8
SMART_NAME, ADDED_NAME = 40, 48
"""Columns at which the numbers of both SMART logs begin."""
SMART_NAMES = {
    "percent_used": "percentage_used",
    "data_units_read": "Data Units Read",
    "data_units_written": "Data Units Written",
}
MEDIA_UNITS = ("Physical media units written", "Physical media units read")


def configs(log: Log) -> Iterator[str]:
    """The configurations of a drive, of which it has one."""
    for config in log["configs"]:
        yield f"FDP Attributes: {_hex(config['fdpa'])}"
        yield f"Vendor Specific Size: {config['vss']}"
        yield f"Number of Reclaim Groups: {config['nrg']}"
        yield f"Number of Reclaim Unit Handles: {config['nruh']}"
        yield f"Number of Namespaces Supported: {config['nnss']}"
        yield f"Reclaim Unit Nominal Size: {config['runs']}"
        yield f"Estimated Reclaim Unit Time Limit: {config['erutl']}"
        yield "Reclaim Unit Handle List:"
        for place, handle in enumerate(config["ruhs"]):
            kind = "Initially" if handle["ruht"] == INITIALLY_ISOLATED else "Persistently"
            yield f"  [{place}]: {kind} Isolated"


def stats(log: Log) -> Iterator[str]:
    """Bytes that the host wrote, that were programmed, and that were erased."""
    yield f"Host Bytes with Metadata Written (HBMW): {log['hbmw']}"
    yield f"Media Bytes with Metadata Written (MBMW): {log['mbmw']}"
    yield f"Media Bytes Erased (MBE): {log['mbe']}"


def status(log: Log) -> Iterator[str]:
    """What is left of the reclaim unit of each placement identifier."""
    for each in log["ruhss"]:
        yield f"Placement Identifier {each['pid']}; Reclaim Unit Handle Identifier {each['ruhid']}"
        yield f"  Estimated Active Reclaim Unit Time Remaining (EARUTR): {each['earutr']}"
        yield f"  Reclaim Unit Available Media Writes (RUAMW): {each['ruamw']}"
        yield ""


def usage(log: Log) -> Iterator[str]:
    """Which handles the host has written to."""
    for place, each in enumerate(log["ruhus"]):
        yield f"Reclaim Unit Handle {place} Attributes: {_hex(each['ruha'])} ({USED[each['ruha']]})"


def events(log: Log) -> Iterator[str]:
    """Events, whose times are of no calendar: nvme-cli's sign for that is a dash."""
    for place, each in enumerate(log["events"]):
        yield f"Event[{place}]"
        yield f"  Event Type: {_hex(each['type'])} ({EVENTS[each['type']]})"
        yield f"  Event Timestamp: {each['timestamp']} (-)"
        if each["fdpef"] & IDENTIFIER_VALID:
            yield f"  Placement Identifier (PID): {_hex(each['pid'])}"
        if each["fdpef"] & NAMESPACE_VALID:
            yield f"  Namespace Identifier (NSID): {each['nsid']}"
        if "nlbam" in each:
            yield f"  Number of LBAs Moved (NLBAM): {each['nlbam']}"
        if "lba" in each:
            yield f"  Logical Block Address (LBA): {_hex(each['lba'])}"
        yield ""


def smart_log(log: Log, drive: str) -> Iterator[str]:
    """The SMART log; its head names the drive, as that of nvme-cli does."""
    yield f"Smart Log for NVME device:{drive} namespace-id:ffffffff"
    for key, value in log.items():
        shown = str(value)
        if key == "percent_used":
            shown += "%"
        if key.startswith("data_units"):
            shown += f" ({_size(value * DATA_UNIT_BYTES)})"
        yield f"{_tabbed(SMART_NAMES.get(key, key), SMART_NAME)}: {shown}"


def smart_add_log(log: Log) -> Iterator[str]:
    """OCP's additional SMART log."""
    yield "SMART Cloud Attributes :-"
    for key, value in log.items():
        if key in MEDIA_UNITS:
            yield f"  {key:<{len(MEDIA_UNITS[0])}} -\t\t{value['hi']} {value['lo']}"
        else:
            yield f"{_tabbed(f'  {key}', ADDED_NAME)}{value}"
    yield ""


FDP: dict[str, Callable[[Log], Iterator[str]]] = {
    "configs": configs,
    "stats": stats,
    "status": status,
    "usage": usage,
    "events": events,
}


def _hex(number: int) -> str:
    """A number as printf's %#x gives it: zero has no prefix."""
    return f"{number:#x}" if number else "0"


def _tabbed(name: str, column: int) -> str:
    """A name and as many tabs as reach a column."""
    return name + "\t" * -((len(name) - column) // TAB)


def _size(count_bytes: float) -> str:
    """A size with two digits behind the point, in the largest decimal unit."""
    for exponent, unit in ((15, "P"), (12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if count_bytes >= 10**exponent:
            return f"{count_bytes / 10**exponent:.2f} {unit}B"
    return f"{count_bytes:.2f} B"
