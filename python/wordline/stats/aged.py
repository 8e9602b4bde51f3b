"""What aging has left: whether the drive was at the equilibrium of its workload, and whether the run agrees with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["differences_from_aging", "why_not_aged", "within_rest"]

AGED_MAX = 0.03
"""The write amplification of aging and of the run may differ by so much without a word."""
REST_MIN = 0.01
"""Requests before the drive is as busy as aging had made it do not matter below this share of the run."""
REST_MAX = 0.5
"""A run of which more is from rest does not show the equilibrium, however level it is."""
WRITES_MIN = 100
"""Writes of a run that says something of write amplification."""


def why_not_aged(document: Mapping[str, Any]) -> str | None:
    """Returns why a drive was not at the equilibrium of its workload when a run began; None if nothing says so."""
    aged = document["precondition"].get("steady")
    if not aged or aged["is_flat"] or document["write_amplification"] is None:
        return None
    if (left := aged.get("drive_writes_left")) is None:
        if (timed := aged.get("timed")) and not timed["is_level"]:
            return f"write amplification was not level after {timed['drive_writes']:.1f} drive writes with time"
        return "write amplification was not flat when aging ended"
    share = f"{aged['old_share']:.0%} of the data lose units where garbage collection has yet to take them"
    return f"{share}, for about {left:,.0f} drive writes more: write amplification will be another one"


def differences_from_aging(document: Mapping[str, Any]) -> Iterator[str]:
    """Says where the run has another write amplification than its drive was aged to."""
    aged = (document["precondition"].get("steady") or {}).get("write_amplification")
    found = document["write_amplification"]
    if not aged or found is None or document["requests"]["write"] < WRITES_MIN:
        return
    within = ((document["uncertainty"] or {}).get("values") or {}).get("write_amplification") or {}
    low, high = within.get("low"), within.get("high")
    is_known = low is not None and high is not None
    if abs(found / aged - 1.0) <= AGED_MAX or (is_known and low <= aged <= high):
        return
    is_level = ((document.get("steady") or {}).get("write_amplification") or {}).get("verdict") == "steady"
    interval = f", {low:.2f} to {high:.2f}," if is_known else ""
    differ = f"{found:.2f}{interval} and that of aging {aged:.2f} ({found / aged - 1.0:+.0%})"
    if timed := document["precondition"]["steady"].get("timed"):
        why = _after_rest(document, timed) or "the drive is in another state than aging left it in"
    else:
        why = "aging had no write cache, schedule or arrival times (precondition.timed_max)"
    advice = (
        "the run is level, so use its number"
        if is_level
        else "the run is not level yet: let host.warmup_requests leave out its beginning, or run longer"
    )
    yield f"write amplification of the run is {differ}: {why}; {advice}"


def within_rest(document: Mapping[str, Any]) -> str | None:
    """Returns why a run shows no equilibrium that is mostly from rest; None if it is not."""
    timed = (document["precondition"].get("steady") or {}).get("timed")
    if not timed or _share_from_rest(document, timed) <= REST_MAX:
        return None
    return "most of the run goes to the empty write cache and to room that garbage collection had won before it"


def _share_from_rest(document: Mapping[str, Any], timed: Mapping[str, Any]) -> float:
    """Returns the share of the counted requests that come before the drive is as busy as aging had made it."""
    rest_bytes = timed.get("rest_bytes", 0)
    if not rest_bytes or not (host_bytes := document["written_bytes"]["host"]):
        return 0.0
    left_out = document["requests"].get("warmup", 0) / document["requests"]["all"]
    return max(float(rest_bytes / host_bytes - left_out), 0.0)


def _after_rest(document: Mapping[str, Any], timed: Mapping[str, Any]) -> str | None:
    """The beginning of the run, which is from rest, where that is much of it."""
    if not timed.get("rest_bytes") or _share_from_rest(document, timed) < REST_MIN:
        return None
    rest_bytes = timed["rest_bytes"]
    requests = document["requests"]["all"] * rest_bytes / document["written_bytes"]["host"]
    return (
        f"the run begins from rest, and up to {rest_bytes / 1e6:,.1f} MB of writes, {requests:,.0f} requests or so, "
        "go to the empty write cache and to room that GC had won"
    )
