"""The format of `result.json`, version by version."""

from __future__ import annotations

from typing import Any

from ..errors import RecordError
from ..result import SCHEMA_VERSION

__all__ = ["current"]


def current(document: dict[str, Any]) -> dict[str, Any]:
    """Converts a document of any version to the current one.

    Raises:
        RecordError: A later version wrote it.
    """
    version = document.get("schema_version", 1)
    if version > SCHEMA_VERSION:
        raise RecordError(f"a result of schema version {version}, this Wordline reads up to {SCHEMA_VERSION}; update")
    return document if version == SCHEMA_VERSION else _from_1(document)


# Version 1 had no version number, no `options` and no full description of workloads; its tables had `upper_us`.
def _from_1(document: dict[str, Any]) -> dict[str, Any]:
    workload = dict(document["workload"])
    workload["flows"] = [_flow_from_1(each) for each in workload["flows"]]
    options = {"check": bool(document.get("checked")), "log_requests": False, "timeline_us": None}
    return {**document, "schema_version": SCHEMA_VERSION, "options": options, "workload": workload}


def _flow_from_1(flow: dict[str, Any]) -> dict[str, Any]:
    if flow["synthetic"]:
        return {**flow, "preset": None, "settings": flow["workload"]}
    return {**flow, "paths": flow["source"].split(" ")}
