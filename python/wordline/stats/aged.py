"""What aging has left: whether the drive was at the equilibrium of its workload, and whether the run agrees with it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from .balance import flash_bytes

__all__ = [
    "differences_from_aging",
    "is_known",
    "requests_from_rest",
    "why_aging_knows_more",
    "why_not_aged",
    "within_rest",
]

AGED_MAX = 0.03
"""The write amplification of aging and of the run may differ by so much without a word."""
REST_MIN = 0.01
"""Requests before the drive is as busy as aging had made it do not matter below this share of the run."""
REST_TOLD = 0.05
"""A run of which more is from rest says so, whatever its write amplification, whose interval may be wide."""
REST_MAX = 0.5
"""A run of which more is from rest does not show the equilibrium, however level it is."""
WRITES_MIN = 100
"""Writes of a run that says something of write amplification."""
LONGER = '--until "wa ±10%"'
"""The option that runs until write amplification is known."""


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
    """Says where the run has another write amplification than its drive was aged to, or begins long before it."""
    aged = _aged_amplification(document)
    found = document["write_amplification"]
    if not aged or found is None or document["requests"]["write"] < WRITES_MIN:
        return
    low, high = _ends(document)
    interval = f", {low:.2f} to {high:.2f}," if is_known(document) else ""
    differ = f"{found:.2f}{interval} and that of aging {aged:.2f} ({found / aged - 1.0:+.0%})"
    timed = document["precondition"]["steady"].get("timed")
    from_rest = _share_from_rest(document, timed) if timed else 0.0
    is_alike = not _differs(document)
    if timed and from_rest >= (REST_TOLD if is_alike else REST_MIN):
        yield f"{_from_rest(document, timed, from_rest)}; write amplification of the run is {differ}"
    elif not is_alike:
        yield f"write amplification of the run is {differ}: {_why_another(document, timed)}"


def why_aging_knows_more(document: Mapping[str, Any]) -> str | None:
    """Returns why the number of a level aging with time is to be taken, and not that of the run; None if it is not."""
    aged = document["precondition"].get("steady") or {}
    timed = aged.get("timed")
    if not timed or not timed["is_level"] or not aged["is_flat"] or not _differs(document):
        return None
    # As a share of all blocks, which are a little more than what the host sees.
    drive_writes = document["written_bytes"]["host"] / (flash_bytes(document) or math.inf)
    aged_drive_writes = aged["rounds"] * aged["round_drive_writes"]
    if drive_writes >= aged_drive_writes:
        return None
    difference = document["write_amplification"] / aged["write_amplification"] - 1.0
    return f"it differs by {difference:+.0%} from that of aging, which was level over more writes than the run has"


def _aged_amplification(document: Mapping[str, Any]) -> float | None:
    value: float | None = (document["precondition"].get("steady") or {}).get("write_amplification")
    return value


def _ends(document: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Returns the ends of the interval of the run's write amplification."""
    within = ((document.get("uncertainty") or {}).get("values") or {}).get("write_amplification") or {}
    return within.get("low"), within.get("high")


def is_known(document: Mapping[str, Any]) -> bool:
    """Whether the write amplification of the run has an interval."""
    return None not in _ends(document)


def _differs(document: Mapping[str, Any]) -> bool:
    """Whether the run has another write amplification than its drive was aged to, beyond chance."""
    aged, found = _aged_amplification(document), document["write_amplification"]
    if not aged or found is None:
        return False
    low, high = _ends(document)
    is_within = low is not None and high is not None and low <= aged <= high
    return not is_within and abs(found / aged - 1.0) > AGED_MAX


def _why_another(document: Mapping[str, Any], timed: Mapping[str, Any] | None) -> str:
    """Returns why a run has another write amplification than its drive was aged to, and which one to take."""
    verdict = ((document.get("steady") or {}).get("write_amplification") or {}).get("verdict")
    if not timed:
        why = "aging had no write cache, schedule or arrival times (precondition.timed_max)"
    elif knows_more := why_aging_knows_more(document):
        why = "aging was level over more writes than the run has"
    else:
        why = "the drive is in another state than aging left it in"
    if verdict == "drifting":
        advice = "the run is not level yet: let host.warmup_requests leave out its beginning, or run longer"
    elif not is_known(document):
        advice = f"the run is too short to know its own, so use that of aging, or run longer, as with {LONGER}"
    elif timed and knows_more:
        advice = "use that of aging, or run longer"
    elif verdict == "steady":
        advice = "the run is level, so use its number"
    else:
        advice = f"the run is too short to tell, so run longer, as with {LONGER}"
    return f"{why}; {advice}"


def within_rest(document: Mapping[str, Any]) -> str | None:
    """Returns why a run shows no equilibrium that is mostly from rest; None if it is not."""
    timed = (document["precondition"].get("steady") or {}).get("timed")
    if not timed or _share_from_rest(document, timed) <= REST_MAX:
        return None
    return "most of the run goes to the empty write cache and to room that garbage collection had won before it"


def requests_from_rest(document: Mapping[str, Any]) -> int:
    """Returns how many requests a warm-up leaves out so that hardly any of the run is from rest; 0 if that is so."""
    timed = (document["precondition"].get("steady") or {}).get("timed")
    if not timed or _share_from_rest(document, timed) < REST_MIN:
        return 0
    return _warmup_requests(document, timed)


def _warmup_requests(document: Mapping[str, Any], timed: Mapping[str, Any]) -> int:
    return _rounded_up(timed["rest_bytes"] * document["requests"]["all"] / document["written_bytes"]["host"])


def _share_from_rest(document: Mapping[str, Any], timed: Mapping[str, Any]) -> float:
    """Returns the share of the counted requests that come before the drive is as busy as aging had made it."""
    rest_bytes = timed.get("rest_bytes", 0)
    if not rest_bytes or not (host_bytes := document["written_bytes"]["host"]):
        return 0.0
    left_out = document["requests"].get("warmup", 0) / document["requests"]["all"]
    return max(float(rest_bytes / host_bytes - left_out), 0.0)


def _from_rest(document: Mapping[str, Any], timed: Mapping[str, Any], share: float) -> str:
    """Returns how much of the run is from rest, and the settings that leave it out."""
    rest_bytes, counted = timed["rest_bytes"], document["requests"]["all"]
    warmup = _warmup_requests(document, timed)
    whole = document["requests"].get("warmup", 0) + counted
    settings = f"--set host.warmup_requests={warmup}"
    if warmup > REST_MAX * whole:
        settings += f" -n {warmup + _rounded_up(counted)}"
        flows = document.get("workload", {}).get("flows", ())
        if not all("workload" in each for each in flows):
            settings += " (a trace or a job must have so many)"
    return (
        f"the run begins from rest: up to {rest_bytes / 1e6:,.1f} MB of writes, {min(share, 1.0):.0%} of what it "
        f"wrote, go to the empty write cache and to room that GC had won; {settings} leaves them out"
    )


def _rounded_up(number: float) -> int:
    """Returns a number with two digits that are not 0, and no smaller."""
    step: int = 10 ** max(len(str(math.floor(max(number, 1.0)))) - 2, 0)
    return math.ceil(number / step) * step
