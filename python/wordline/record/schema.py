"""The JSON Schema (2020-12) of `result.json`, made from the list of its fields."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any

from ..result import SCHEMA_VERSION
from ..stats.columns import OPS

__all__ = ["DIALECT", "fields", "result_schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
PHASES = ("power_up", "shutdown")
PARTS = ("warmup", "remainder")
"""Parts of a run outside the window."""
NULLABLE = (
    *(f"{rate}.{op}" for rate in ("iops", "bandwidth_mb_s") for op in OPS),
    "write_amplification",
    "write_amplification_pages",
    "counters.cache",
    "outside.warmup.counters.cache",
    "outside.remainder.counters.cache",
    "precondition.steady",
    *(f"precondition.steady.{name}" for name in ("write_amplification", "spread", "change")),
    "program",
    "power",
    "power.cut",
    "power.power_up",
    "power.shutdown",
)
"""Parts that are null if they do not apply; for the last one also the intervals."""
ENDS = {"low": {"type": ["number", "null"]}, "high": {"type": ["number", "null"]}, "by_seed": {"type": "array"}}
VERDICT = {
    "type": ["object", "null"],
    "properties": {
        "verdict": {"enum": ["steady", "drifting", "too short"]},
        "reason": {"type": "string"},
        "warmup_requests": {"type": "number", "description": "requests that MSER leaves out"},
        "is_balanced": {
            "type": "boolean",
            "description": "false where garbage collection frees less or more than is programmed; there only then",
        },
        "drift": {"type": ["number", "null"], "description": "change of the fitted line over the run, as a share"},
    },
    "required": ["verdict", "reason"],
}
INTERVALS = (
    "intervals of confidence, at the paths of their numbers in `values`: `low` and `high`, null where an interval has "
    "no end; of several seeds also `by_seed`"
)
SAID: dict[str, Any] = {
    "schema_version": {"const": SCHEMA_VERSION, "description": "version of this form"},
    "checked": {"type": "boolean", "description": "whether every read was checked"},
    "stand_in": {
        "type": ["string", "null"],
        "description": "the chip whose errors, wear and retention take the place of the SSD's own (`cells.stand_in`)",
    },
    "partial": {"const": True, "description": "the run was interrupted; there only then"},
    "warnings": {
        "type": "array",
        "items": {"type": "string"},
        "description": "what a reader of the numbers should know",
    },
    "options": {
        "type": "object",
        "description": "what the run was asked to do besides",
        "properties": {
            "check": {"type": "boolean"},
            "log_requests": {"type": "boolean"},
            "timeline_us": {"type": ["array", "null"], "items": {"type": "number"}},
            "seeds": {"type": "array", "items": {"type": "integer"}, "description": "there where there are several"},
            "load_state": {
                "type": "object",
                "description": "the state of the SSD that the run began on; there only then",
                "properties": {
                    "path": {"type": "string"},
                    "bytes": {"type": "integer"},
                    "sha256": {"type": "string"},
                },
                "required": ["path", "bytes", "sha256"],
                "additionalProperties": False,
            },
        },
        "required": ["check", "log_requests", "timeline_us"],
        "additionalProperties": False,
    },
    "uncertainty": {
        "type": "object",
        "description": INTERVALS,
        "properties": {
            "level": {"type": "number"},
            "method": {"enum": ["batches", "seeds"]},
            "count": {"type": "integer", "description": "batches or seeds"},
            "seeds": {"type": "array", "items": {"type": "integer"}},
            "values": {"$ref": "#/$defs/intervals"},
        },
        "required": ["level", "method", "count", "values"],
        "additionalProperties": False,
    },
    "steady": {
        "type": "object",
        "description": "whether the run has reached its steady state",
        "properties": {"response_us": VERDICT, "write_amplification": VERDICT},
        "required": ["response_us", "write_amplification"],
        "additionalProperties": False,
    },
    "wall_session": {
        "type": "object",
        "description": "of `wordline serve`: its clients, and how well the machine kept up; there only then",
        "properties": {
            "clients": {"type": "integer", "description": "clients that connected"},
            "requests": {"type": "integer", "description": "requests answered"},
            "wall_s": {"type": "number", "description": "s: wall time from the first request to the last answer"},
            "slow_down": {
                "type": "number",
                "description": "wall seconds of a simulated second at the end; 0 in virtual time",
            },
            "lateness": {
                "type": ["object", "null"],
                "description": "by how much answers left late, us, and their mean as a share of the mean response; "
                "null in virtual time",
                "properties": {
                    name: {"type": "number"}
                    for name in ("mean_us", "p50_us", "p99_us", "p999_us", "max_us", "share_of_response")
                },
            },
            "power_was_cut": {"type": "boolean"},
            "store_failure": {
                "type": ["string", "null"],
                "description": "why the store, or the state of its SSD, could not be written at the end",
            },
        },
        "required": ["clients", "requests", "wall_s", "slow_down", "lateness", "power_was_cut", "store_failure"],
        "additionalProperties": False,
    },
    "until": {
        "type": "object",
        "description": "the goals of --until and how far the run went; there only then",
        "required": ["goals", "is_met", "unit", "limit", "checkpoints"],
    },
}
FLOWS = (
    "by flow, where there are several: `requests`, `iops`, `bandwidth_mb_s` and `response_us` as of the run, over the "
    "flow's own time `time_s`, from its first arrival to its last completion"
)
OPTIONAL = ("partial", "until", "wall_session")


def result_schema() -> dict[str, Any]:
    """Returns the schema."""
    root: dict[str, Any] = {"properties": {name: dict(said) for name, said in SAID.items()}}
    for path, unit, text in fields():
        _put(root, path, {"type": "number", "description": text, "x-unit": unit})
    for path, unit, text in _listed("lists"):
        _put(root, path, {"type": "array", "description": text, "x-unit": unit})
    for path, text in _texts():
        _put(root, path, {"type": "string", "description": text})
    spread = {"$ref": "#/$defs/spread"}
    _put(root, "response_us.flows", {"type": "object", "additionalProperties": spread, "description": "by flow"})
    _put(root, "flows", {"type": "object", "additionalProperties": {"$ref": "#/$defs/flow"}, "description": FLOWS})
    flat = "whether write amplification was flat before the run"
    _put(root, "precondition.steady.is_flat", {"type": "boolean", "description": flat})
    _put(root, "workload.synthetic", {"type": "boolean", "description": "whether any request was made up"})
    _put(
        root,
        "workload.flows",
        {"type": "array", "items": {"type": "object"}, "description": "each as it was asked for"},
    )
    closed = _closed(root, "")
    closed["required"] = [name for name in closed["required"] if name not in OPTIONAL]
    return {
        "$schema": DIALECT,
        "$id": f"urn:wordline:schema:result:{SCHEMA_VERSION}",
        "title": "Result of a Wordline run",
        **closed,
        "$defs": {
            "spread": {
                "type": "object",
                "properties": {
                    "count": {"type": "number", "description": "how many", "x-unit": "count"},
                    **{
                        path.rpartition(".")[2]: {"type": "number", "description": text, "x-unit": unit}
                        for path, unit, text in fields()
                        if path.startswith("response_us.all.")
                    },
                },
                "additionalProperties": False,
            },
            "flow": _flow(),
            "intervals": {
                "type": ["object", "null"],
                "properties": ENDS,
                "additionalProperties": {"$ref": "#/$defs/intervals"},
            },
        },
    }


def _flow() -> dict[str, Any]:
    """Returns the schema of a flow's numbers."""
    root: dict[str, Any] = {"properties": {}}
    for path, unit, text in fields():
        if path.startswith(("iops.", "bandwidth_mb_s.")) or path in {f"requests.{op}" for op in OPS}:
            _put(root, path, {"type": "number", "description": text, "x-unit": unit})
    for op in OPS:
        _put(root, f"response_us.{op}", {"$ref": "#/$defs/spread"})
    _put(
        root,
        "time_s",
        {"type": "number", "description": "from its first arrival to its last completion", "x-unit": "s"},
    )
    return _closed(root, "flow")


@functools.cache
def _table() -> dict[str, dict[str, str]]:
    text = resources.files(__package__).joinpath("result_fields.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def fields() -> Iterator[tuple[str, str, str]]:
    """Yields every number: its dotted path, its unit, and its description."""
    for path, unit, text in _listed("numbers"):
        for each in _spelled(path):
            yield each, unit, text
    for path, unit, text in _listed("counts"):
        yield path, unit, text
        for part in PARTS:
            yield f"outside.{part}.{path}", unit, text
    for op in OPS:
        for name, unit, text in _listed("spread"):
            yield f"response_us.{op}.{name}", unit, text
    for name, unit, text in _listed("spread"):
        yield f"erase_us.{name}", unit, text


def _listed(group: str) -> Iterator[tuple[str, str, str]]:
    for path, said in _table()[group].items():
        unit, _, text = said.partition(": ")
        yield path, unit, text


def _texts() -> Iterator[tuple[str, str]]:
    yield from _table()["texts"].items()


def _spelled(path: str) -> list[str]:
    if "{part}" in path:
        return [path.replace("{part}", part) for part in PARTS]
    if "{op}" in path:
        return [path.replace("{op}", op) for op in OPS]
    return [path.replace("{phase}", phase) for phase in PHASES] if "{phase}" in path else [path]


def _put(root: dict[str, Any], path: str, schema: dict[str, Any]) -> None:
    *folders, name = path.split(".")
    place = root
    for folder in folders:
        place = place["properties"].setdefault(folder, {"properties": {}})
    place["properties"][name] = schema


def _closed(schema: dict[str, Any], path: str) -> dict[str, Any]:
    """Returns an object that has exactly these properties, all required."""
    if "properties" not in schema or "type" in schema:
        return {**schema, "type": [schema["type"], "null"]} if path in NULLABLE else schema
    inside = {name: _closed(each, f"{path}.{name}".lstrip(".")) for name, each in schema["properties"].items()}
    kind: Any = ["object", "null"] if path in NULLABLE else "object"
    return {"type": kind, "properties": inside, "required": list(inside), "additionalProperties": False}
