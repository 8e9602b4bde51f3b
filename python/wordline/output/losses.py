"""What a run lost: data, requests, and what else a loss of power took."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .numbers import count, dig, seconds, size

__all__ = ["LOSSES", "MEANING", "columns", "power", "refused"]

FAILED = ("aborted_power_loss", "unrecovered_read_error")
"""How requests end that the drive did not serve. Those that wait when it is switched off in order are not its fault."""
REFUSED = (
    "invalid_field",
    "invalid_opcode",
    "lba_out_of_range",
    "too_many_active_zones",
    "too_many_open_zones",
    "invalid_zone_transition",
    "zone_boundary_error",
    "zone_invalid_write",
    "zone_is_full",
    "zone_is_offline",
    "zone_is_read_only",
)
"""How requests end that the drive refuses, for it could never serve them. Zones end them so."""


def lost_pages(document: Mapping[str, Any]) -> int:
    """Pages whose newest data are gone: with the power, or since they outlived their retention."""
    # Counted as lost when power is back, or when they are written again.
    places = (("power", "cut", "lost_cache_pages"), ("counters", "ftl", "lost_pages"))
    return sum(_whole(dig(document, *place)) for place in places)


def failed_requests(document: Mapping[str, Any]) -> int:
    """Requests that ended with an error of the drive."""
    return sum(_whole(dig(document, "requests", "by_status", status)) for status in (*FAILED, *REFUSED))


def _whole(value: float | None) -> int:
    """A mean of several seeds is not nothing where one of them has something."""
    return math.ceil(value or 0)


LOSSES: Mapping[str, Callable[[Mapping[str, Any]], int]] = {"lost pages": lost_pages, "failed": failed_requests}
"""Columns of a comparison, of which a reader must know before all others."""
MEANING = (
    "lost pages: data that a power cut took, or that outlived their retention",
    "failed: requests that ended with an error. Like lost pages they save the drive time, so other numbers look better",
)
"""What the columns mean, a line each: nothing is wrapped where there is no terminal."""


def columns(documents: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """What each run lost, by column; nothing where no run has lost anything."""
    counted = {label: [of(document) for document in documents] for label, of in LOSSES.items()}
    return {label: [count(value) for value in values] for label, values in counted.items() if any(values)}


def refused(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The requests that the drive refused, by its reason: a label, then a line."""
    counted = {status: _whole(dig(document, "requests", "by_status", status)) for status in REFUSED}
    parts = [f"{count(number)} ({status.replace('_', ' ')})" for status, number in counted.items() if number]
    return [("refused", f"{', '.join(parts)}: these requests are in no other number")] if parts else []


def power(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a loss of power took, and how the drive came back: a label, then a line."""
    lines = []
    if (cut := dig(document, "power", "cut")) is not None:
        lines.append(_taken(document, cut))
    if (up := dig(document, "power", "power_up")) is not None:
        lines.append(_back(up))
    if (off := dig(document, "power", "shutdown")) is not None:
        lines.append(_switched_off(document, off))
    return [("" if number else "power", text) for number, text in enumerate(lines)]


def _taken(document: Mapping[str, Any], cut: Mapping[str, Any]) -> str:
    lost, failed = _whole(cut.get("lost_cache_pages")), _whole(dig(document, "requests", "by_status", FAILED[0]))
    # Results of earlier versions have no bytes.
    amount = f" ({size(cut['lost_bytes'])})" if "lost_bytes" in cut else ""
    parts = [f"a cut took {count(lost)} pages{amount} that were not on flash" if lost else "a cut took no data"]
    parts.append(f"{count(failed)} requests failed")
    if cut.get("dumped_bytes"):
        parts.append(f"backup power dumped {size(cut['dumped_bytes'])} in {seconds(cut['dump_s'])}")
    return ", ".join(parts)


def _back(up: Mapping[str, Any]) -> str:
    parts = [f"the host was served {seconds(up['time_s'])} after power was back"]
    # Earlier versions had no replay.
    if replay_ms := up.get("replay_ms"):
        parts.append(f"replay {seconds(replay_ms / 1e3)} with {count(up['replay_reads'])} reads of flash")
    if up["rewritten_pages"]:
        parts.append(f"{count(up['rewritten_pages'])} fast pages programmed again")
    if up["lost_pages"]:
        parts.append(f"{count(_whole(up['lost_pages']))} pages had outlived their retention")
    return ", ".join(parts)


def _switched_off(document: Mapping[str, Any], off: Mapping[str, Any]) -> str:
    waiting = dig(document, "requests", "by_status", "aborted_sq_deletion")
    parts = [f"switched off in {seconds(off['time_s'])}"]
    if off["map_writes"]:
        parts.append(f"{count(off['map_writes'])} pages of the mapping table written")
    if off["rewritten_pages"]:
        parts.append(f"{count(off['rewritten_pages'])} fast pages programmed again")
    if waiting:
        parts.append(f"{count(waiting)} requests were still waiting")
    return ", ".join(parts)
