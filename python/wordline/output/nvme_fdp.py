"""What `nvme fdp stats`, `status` and `usage` of nvme-cli print as JSON, of the drive of a result: the same keys.

Statistics are those of the whole run, from the end of preconditioning to rest. NVMe counts no bytes by handle, but the
result does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SECTOR_BYTES = 512
HOST_SPECIFIED = 1
"""The attribute (RUHA) of a reclaim unit handle that hosts write to by name."""
UNUSED = 0


def logs(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the logs by name; none of a drive without Flexible Data Placement.

    Args:
        document: The JSON document of a result.
    """
    placement = document.get("placement")
    if placement is None or placement["isolation"] is None:
        return {}
    parts = [document["written_bytes"]]
    parts += [document["outside"][name]["written_bytes"] for name in ("warmup", "remainder")]
    handles = placement["handles"]
    used = [each["written_bytes"]["host"] > 0 for each in handles]
    return {
        "stats": {
            "hbmw": sum(part["host"] for part in parts),
            "mbmw": sum(part["media"] for part in parts),
            "mbe": sum(part["erased"] for part in parts),
        },
        "status": {
            "nruhsd": len(handles),
            "ruhss": [
                {
                    "pid": each["handle"],
                    "ruhid": each["handle"],
                    # There is no time limit that is known beforehand.
                    "earutr": 0,
                    "ruamw": each["available_bytes"] // SECTOR_BYTES,
                }
                for each in handles
            ],
        },
        "usage": {
            "nruh": len(handles),
            "ruhus": [{"ruha": HOST_SPECIFIED if is_used else UNUSED} for is_used in used],
        },
    }
