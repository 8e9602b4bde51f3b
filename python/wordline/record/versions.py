"""The format of `result.json`, version by version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ..errors import RecordError
from ..result import SCHEMA_VERSION

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


CHANGES = (_from_1, _from_2)
"""From each version to the next."""
