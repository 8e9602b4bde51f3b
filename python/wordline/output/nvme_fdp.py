"""What `nvme fdp` of nvme-cli prints as JSON, of the drive of a result: the same keys.

They are of the drive's life: all runs since it was new, without what preconditioning wrote. NVMe counts no bytes by
handle, but the result does.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

SECTOR_BYTES = 512
HOST_SPECIFIED = 1
"""The attribute (RUHA) of a reclaim unit handle that hosts write to by name."""
UNUSED = 0
INITIALLY_ISOLATED = 1
"""Types (RUHT) of reclaim unit handles."""
PERSISTENTLY_ISOLATED = 2
CONFIGURATION_VALID = 0x80
"""Of the attributes (FDPA) of a configuration. The lower four bits say how many bits of an identifier name a group."""
NAMESPACE = 1
IDENTIFIER_VALID, NAMESPACE_VALID = 1, 2
"""Flags (FDPEF) of an event."""
MEDIA_REALLOCATED = 0x80
MOST_MOVED = 0xFFFF
"""The field for the logical blocks that were moved has 16 bits."""


def logs(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the logs by name; none of a drive without Flexible Data Placement.

    Args:
        document: The JSON document of a result.
    """
    placement = document.get("placement")
    if placement is None or placement["isolation"] is None:
        return {}
    handles = placement["handles"]
    of_first_group = [each for each in handles if each["reclaim_group"] == 0]
    return {
        "configs": configs(placement, of_first_group),
        "stats": {
            "hbmw": document["life"]["host_bytes"],
            "mbmw": document["life"]["media_bytes"],
            "mbe": document["life"]["erased_bytes"],
        },
        "status": {
            "nruhsd": len(handles),
            "ruhss": [
                {
                    "pid": each["placement_identifier"],
                    "ruhid": each["handle"],
                    "earutr": ceil(each["time_left_s"] or 0),
                    "ruamw": each["available_bytes"] // SECTOR_BYTES,
                }
                for each in handles
            ],
        },
        "usage": {
            "nruh": len(of_first_group),
            "ruhus": [{"ruha": HOST_SPECIFIED if is_used(each) else UNUSED} for each in of_first_group],
        },
        "events": {
            "n": len(placement["event_log"]),
            "events": [event(each) for each in placement["event_log"]],
        },
    }


def configs(placement: Mapping[str, Any], of_first_group: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the only configuration of a drive."""
    groups = placement["reclaim_groups"]
    types = [PERSISTENTLY_ISOLATED if each["is_persistent"] else INITIALLY_ISOLATED for each in of_first_group]
    config = {
        "fdpa": CONFIGURATION_VALID | (groups - 1).bit_length(),
        "vss": 0,
        "nrg": groups,
        "nruh": len(types),
        "nnss": 1,
        "runs": placement["reclaim_unit_bytes"],
        "erutl": ceil(placement["time_limit_s"] or 0),
        "ruhs": [{"ruht": each} for each in types],
    }
    # Their number is counted from 0.
    return {"n": 0, "configs": [config]}


def is_used(handle: Mapping[str, Any]) -> bool:
    """Returns True for a handle that the host has written to; earlier results say it of their own run alone."""
    return bool(handle.get("is_used", handle["written_bytes"]["host"] > 0))


def event(logged: Mapping[str, Any]) -> dict[str, Any]:
    """Returns an event; its time is in ms since the drive was new."""
    identifier = logged["placement_identifier"]
    flags = NAMESPACE_VALID | (0 if identifier is None else IDENTIFIER_VALID)
    entry = {
        "type": logged["type"],
        "fdpef": flags,
        "pid": identifier or 0,
        "timestamp": int(logged["at_s"] * 1e3),
        "nsid": NAMESPACE,
    }
    if logged["type"] == MEDIA_REALLOCATED:
        entry["nlbam"] = min(logged["moved_bytes"] // SECTOR_BYTES, MOST_MOVED)
        if logged["sector"] is not None:
            entry["lba"] = logged["sector"]
    return entry
