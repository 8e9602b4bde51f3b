"""What `nvme smart-log` and `nvme ocp smart-add-log` of nvme-cli print as JSON, of a result: the same keys.

Of these there are those that are simulated: no temperature, say. They are of the drive's life, as in `nvme_fdp`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DATA_UNIT_BYTES = 512_000
"""Data units of the SMART log, which are rounded up."""
WORD_BITS = 64


def smart_log(document: Mapping[str, Any], rated_pec: float | None) -> dict[str, Any]:
    """Returns the SMART log.

    Args:
        document: The JSON document of a result.
        rated_pec: P/E cycles that a block endures; None leaves the used percentage out.
    """
    life = document["life"]
    log = {
        "data_units_read": -(-life["reads"]["bytes"] // DATA_UNIT_BYTES),
        "data_units_written": -(-life["host_bytes"] // DATA_UNIT_BYTES),
        "host_read_commands": life["reads"]["count"],
        "host_write_commands": life["writes"]["count"],
        "power_cycles": life["power_losses"] + life["shutdowns"],
        "power_on_hours": int(life["time_s"] // 3600),
        "unsafe_shutdowns": life["power_losses"],
        "media_errors": life["uncorrectable_pages"],
    }
    if rated_pec is not None:
        # A vendor's estimate, which may be more than 100 and has 8 bits.
        log["percent_used"] = min(round(100 * life["pec"][1] / rated_pec), 255)
    return log


def smart_add_log(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns OCP's additional SMART log."""
    life, blocks = document["life"], document["blocks"]
    return {
        "Physical media units written": word(life["media_bytes"]),
        "Physical media units read": word(life["media_read_bytes"]),
        "XOR recovery count": life["rebuilt_pages"],
        "Uncorrectable read error count": life["uncorrectable_pages"],
        "Percent free blocks": 100 * (blocks["all"] - blocks["in_use"]) // blocks["all"],
        "Max User data erase counts": life["pec"][1],
        "Min User data erase counts": life["pec"][0],
    }


def word(number: int) -> dict[str, int]:
    """Returns a number of 128 bits in two parts."""
    return {"hi": number >> WORD_BITS, "lo": number & ((1 << WORD_BITS) - 1)}
