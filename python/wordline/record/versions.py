"""The format of `result.json`, version by version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ..errors import RecordError
from ..result import SCHEMA_VERSION
from ..stats.columns import PERCENTILES
from ..stats.run import beyond

if TYPE_CHECKING:
    from ..document import Document

__all__ = ["current"]


def current(document: dict[str, Any]) -> Document:
    """Converts a document of any version to the current one.

    Raises:
        RecordError: A later version wrote it.
    """
    version = document.get("schema_version", 1)
    if version > SCHEMA_VERSION:
        raise RecordError(f"a result of schema version {version}, this Wordline reads up to {SCHEMA_VERSION}; update")
    for changed in CHANGES[version - 1 :]:
        document = changed(document)
    return cast("Document", document)


# Version 1 had no version number, no `options` and no full description of workloads; its tables had `upper_us`.
def _from_1(document: dict[str, Any]) -> dict[str, Any]:
    workload = dict(document["workload"])
    workload["flows"] = [_flow_from_1(each) for each in workload["flows"]]
    options = {"check": bool(document.get("checked")), "log_requests": False, "timeline_us": None}
    return {**document, "schema_version": 2, "options": options, "workload": workload}


def _flow_from_1(flow: dict[str, Any]) -> dict[str, Any]:
    if flow["synthetic"]:
        return {**flow, "preset": None, "settings": flow["workload"]}
    return {**flow, "paths": flow["source"].split(" ")}


# Version 2 counted the whole run with its warm-up and what came after it, and write amplification in pages alone.
def _from_2(document: dict[str, Any]) -> dict[str, Any]:
    name = "write_amplification"
    window = {"start_s": 0.0, "end_s": document["simulated_s"]}
    changed = {**document, "schema_version": 3, "window": window, name: None, f"{name}_pages": document[name]}
    values = (document.get("uncertainty") or {}).get("values")
    if values and name in values:
        inside = {**values, name: None, f"{name}_pages": values[name]}
        changed["uncertainty"] = {**document["uncertainty"], "values": inside}
    return changed


# Version 3 had the largest value for a percentile that nothing lies beyond.
def _from_3(document: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = _without_unknown(document)
    return {**changed, "schema_version": 4}


def _without_unknown(part: Any) -> Any:  # noqa: ANN401 - JSON
    """Returns a part of a document without percentiles that nothing lies beyond, by its own count or its requests."""
    if isinstance(part, list):
        return [_without_unknown(each) for each in part]
    if not isinstance(part, dict):
        return part
    made = {name: _without_unknown(each) for name, each in part.items()}
    if isinstance(made.get("count"), int) and "p50" in made:
        return _known(made, made["count"])
    requests, times = made.get("requests"), made.get("response_us")
    if isinstance(requests, dict) and isinstance(times, dict):
        of_ops = {op: _known(each, requests[op]) for op, each in times.items() if op in requests}
        made["response_us"] = times | of_ops
    return made


def _known(spread: dict[str, Any], count: int) -> dict[str, Any]:
    return {name: None if name in PERCENTILES and not beyond(count, name) else each for name, each in spread.items()}


CHANGES = (_from_1, _from_2, _from_3)
"""From each version to the next."""
