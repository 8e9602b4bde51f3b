"""Several flows by name: the tables `[[flow]]` of a TOML file, and `--flow` of the command line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from . import _core
from .config import Config, did_you_mean, parameters, parse_value, preset
from .config_schema import DIALECT, SHARE, Schema, of_key, suffixed
from .errors import FlowError, WordlineError
from .files import parse_toml, read_input
from .workload import Flow, Namespace, Trace, Workload, trace
from .workload import workload as workload_of

__all__ = ["FlowFile", "FlowTable", "flow_of_text", "flow_schema", "flows"]

Made = TypeVar("Made")
SECTOR_BYTES = 512
OWN = "workload."
EXAMPLE = 'workload = "fio/random-read" or trace = "FILE"'
AS_THEY_ARE = ("mode", "weight", "priority", "time_scale", "group", "lasts_s", "ramp_s", "queue_depth")
"""Entries that a `Flow` takes as they are."""
ENTRIES = ("name", "workload", "trace", "requests", "namespace", "offset", "size", "handle", *AS_THEY_ARE)
WHOLE = ("weight", "group", "queue_depth")
HANDLES_MAX = 1024
OF_NAMESPACE = ("name", "size", "handles", "reclaim_group")


def flow_schema() -> Schema:
    """Returns the JSON Schema of a file of flows."""
    count = {"anyOf": [{"type": "integer", "minimum": 0}, *suffixed("requests")]}
    size = {"anyOf": [{"type": "integer", "minimum": 0}, *suffixed("bytes"), SHARE]}
    number = {"type": "number", "minimum": 0}
    own = {
        "name": {"type": "string", "description": "Its name in results."},
        "workload": {"type": "string", "description": "The name of a synthetic workload; not with `trace`."},
        "trace": {
            "anyOf": [{"type": "string"}, {"type": "object", "required": ["path"]}],
            "description": "A trace file, or its path and options.",
        },
        "requests": {**count, "description": "How many, of a trace at most."},
        "offset": {**size, "description": "Where its part of the SSD begins; the beginning by default."},
        "size": {**size, "description": "How large its part is; up to the end by default."},
        "mode": {"enum": ["auto", "closed", "open", "paced"]},
        "namespace": {
            "type": "string",
            "description": "The namespace whose part of the SSD, and whose handles, it has.",
        },
        "handle": {
            "type": "integer",
            "minimum": 1,
            "maximum": HANDLES_MAX,
            "description": "The placement handle of its writes, counted from 1.",
        },
        "priority": {"enum": ["urgent", "high", "medium", "low"]},
        **dict.fromkeys(WHOLE, count),
        **dict.fromkeys(("time_scale", "lasts_s", "ramp_s"), number),
    }
    keys = {key.removeprefix(OWN): of_key(row) for key, row in parameters().items() if key.startswith(OWN)}
    flow = {"type": "object", "additionalProperties": False, "properties": {**keys, **own}}
    number = {"type": "integer", "minimum": 1, "maximum": HANDLES_MAX}
    of_namespace = {
        "name": {"type": "string", "description": "Its name in results, and in `namespace` of flows."},
        "size": {**size, "description": "How large it is. Namespaces lie behind each other."},
        "handles": {
            "type": "array",
            "items": number,
            "description": "The SSD's handles that its own stand for, in their order.",
        },
        "reclaim_group": {
            **number,
            "description": "It has the handles of this reclaim group, counted from 1, and so channels of its own.",
        },
    }
    namespace = {
        "type": "object",
        "additionalProperties": False,
        "required": ["name", "size"],
        "properties": of_namespace,
    }
    return {
        "$schema": DIALECT,
        "title": "Wordline flows",
        "type": "object",
        "additionalProperties": False,
        "required": ["flow"],
        "properties": {
            "flow": {"type": "array", "minItems": 1, "items": flow},
            "namespace": {"type": "array", "items": namespace},
        },
    }


@dataclass(frozen=True)
class FlowTable:
    """What is said of one flow.

    Attributes:
        table: Its entries: those of `ENTRIES`, and keys of `[workload]` by their last part.
        place: Where it is said, for messages: a file, or an option.
        line: Its line in the file; 0 for an option.
        lines: The line of each entry.
        folder: The folder of relative paths.
    """

    table: Mapping[str, Any]
    place: str
    line: int = 0
    lines: tuple[tuple[str, int], ...] = ()
    folder: Path = Path()

    def wrong(self, key: str, message: str, fix: str) -> FlowError:
        """Returns an error about an entry."""
        return FlowError(self.place, dict(self.lines).get(key, self.line), key, message, fix)

    def flow(self, config: Config, number: int, namespaces: Mapping[str, Namespace] | None = None) -> Flow:
        """Returns the flow on an SSD that has namespaces, by name.

        Raises:
            FlowError: An entry is unknown or invalid.
        """
        source = self._source()
        namespace = self._namespace(namespaces or {})
        settings: dict[str, Any] = {key: self.table[key] for key in AS_THEY_ARE if key in self.table}
        for key in WHOLE:
            if key in settings:
                settings[key] = self._whole(key, "")
        if "handle" in self.table:
            settings["handles"] = (self._handle(),)
        first, end = self._extent(config, config.host_bytes if namespace is None else namespace.sectors * SECTOR_BYTES)
        name = str(self.table.get("name", source.name or f"flow-{number}"))
        return Flow(name, source, namespace=namespace, first_sector=first, sectors=end, **settings)

    def _namespace(self, namespaces: Mapping[str, Namespace]) -> Namespace | None:
        if "namespace" not in self.table:
            return None
        name = self.table["namespace"]
        if name not in namespaces:
            fix = f"there are {', '.join(namespaces)}" if namespaces else "write [[namespace]] with this name"
            raise self.wrong("namespace", f"{name!r} is no namespace of the file", fix)
        return namespaces[name]

    def namespace(self, config: Config, first: int) -> Namespace:
        """Returns the namespace that the table describes, from a sector of the SSD on.

        Raises:
            FlowError: An entry is unknown or invalid, or the SSD is too small.
        """
        for key in self.table:
            if key not in OF_NAMESPACE:
                raise self.wrong(key, "is no entry of a namespace", f"such are {', '.join(OF_NAMESPACE)}")
        for key in ("name", "size"):
            if key not in self.table:
                raise self.wrong(key, "is missing", 'write name = "a" and size = "25%"')
        room = config.host_bytes - first * SECTOR_BYTES
        size = self._bytes("size", config.host_bytes, unit_of(config))
        if size > room:
            raise self.wrong("size", f"takes {size:,} bytes, and the SSD has {room:,} left", "choose a smaller part")
        return Namespace(str(self.table["name"]), first, size // SECTOR_BYTES, self._handles(config))

    def _handles(self, config: Config) -> tuple[int, ...]:
        """Returns the SSD's handles of a namespace."""
        if "reclaim_group" in self.table:
            if "handles" in self.table:
                raise self.wrong("handles", "does not go with reclaim_group", "leave one of them out")
            group, groups, handles = (
                self._whole("reclaim_group", ""),
                config["fdp.reclaim_groups"],
                config["fdp.handles"],
            )
            if config["fdp.isolation"] == "off" or not 1 <= group <= groups:
                there = 0 if config["fdp.isolation"] == "off" else groups
                fix = "set fdp.isolation, and fdp.reclaim_groups to the number of groups"
                raise self.wrong("reclaim_group", f"{group}, and the SSD has {there}", fix)
            return tuple(range((group - 1) * handles + 1, group * handles + 1))
        given = self.table.get("handles", [])
        if not isinstance(given, list) or not all(
            isinstance(each, int) and not isinstance(each, bool) and 1 <= each <= HANDLES_MAX for each in given
        ):
            raise self.wrong("handles", f"{given!r} is no list of handles", "write handles = [1, 2]; they count from 1")
        return tuple(given)

    def _handle(self) -> int:
        number = self._whole("handle", "")
        if not 1 <= number <= HANDLES_MAX:
            raise self.wrong("handle", f"takes 1 to {HANDLES_MAX}", "handles are counted from 1")
        return number

    def _source(self) -> Trace | Workload:
        names = {key.removeprefix(OWN) for key in parameters() if key.startswith(OWN)}
        further = {key: value for key, value in self.table.items() if key not in ENTRIES}
        for key in further:
            if key not in names:
                near = did_you_mean(key, [*ENTRIES, *names])
                raise self.wrong(
                    key, "is no entry of a flow", near.removeprefix("; ") or f"such are {', '.join(ENTRIES)}"
                )
        requests = self._whole("requests", "requests") if "requests" in self.table else None
        if "trace" in self.table:
            if "workload" in self.table or further:
                other = next(iter(further), "workload")
                raise self.wrong(other, "does not go with a trace", "leave one of them out")
            return self._made("trace", lambda: self._trace(requests))
        if "workload" not in self.table and not further:
            raise self.wrong("workload", "is missing", f"write {EXAMPLE}")
        asked = further if requests is None else {**further, "requests": requests}
        return self._made("workload", lambda: workload_of(self.table.get("workload"), **asked))

    def _trace(self, requests: int | None) -> Trace:
        given = self.table["trace"]
        options = dict(given) if isinstance(given, Mapping) else {"path": given}
        path = self.folder / str(options.pop("path", ""))
        if requests is not None:
            options["limit"] = requests
        return trace(path, **options)

    def _made(self, key: str, make: Callable[[], Made]) -> Made:
        try:
            return make()
        except (WordlineError, TypeError) as error:
            raise self.wrong(
                key, str(error), "see `wordline workloads`, and `trace` of `wordline run --help`"
            ) from None

    def _whole(self, key: str, unit: str) -> int:
        value = self.table[key]
        number = _core.number(value, unit) if isinstance(value, str) else value
        if isinstance(number, bool) or not isinstance(number, int | float) or number != int(number) or number < 0:
            raise self.wrong(key, f"{value!r} is no whole number", f'write {key} = 10 or {key} = "10k"')
        return int(number)

    def _extent(self, config: Config, capacity: int) -> tuple[int, int | None]:
        """Returns its first sector in a part of so many bytes, and how many it has."""
        unit = unit_of(config)
        first = self._bytes("offset", capacity, unit) if "offset" in self.table else 0
        count = self._bytes("size", capacity, unit) if "size" in self.table else None
        if first + (count or SECTOR_BYTES) > capacity:
            key = "size" if count is not None else "offset"
            end = first + (count or SECTOR_BYTES)
            whole = f"its namespace has {capacity:,}" if "namespace" in self.table else f"the SSD has {capacity:,}"
            raise self.wrong(key, f"ends at byte {end:,}, and {whole}", "choose a smaller part")
        return first // SECTOR_BYTES, None if count is None else count // SECTOR_BYTES

    def _bytes(self, key: str, capacity: int, unit: int) -> int:
        """Returns a size: a number, a text such as `10GB`, or a share such as `25%`.

        It is rounded down to whole sectors, a share to whole mapping units: no write of a tenant lies across two.
        """
        value = self.table[key]
        if isinstance(value, str) and (share := re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%\s*", value)):
            exact = float(share[1]) / 100 * capacity
            size: float | None = exact // unit * unit if exact >= unit else exact
        elif isinstance(value, str):
            size = _core.number(value, "bytes")
        else:
            size = value if isinstance(value, int | float) and not isinstance(value, bool) else None
        if size is None or size < 0 or (key == "size" and size < SECTOR_BYTES):
            raise self.wrong(key, f"{value!r} is no size", f'write {key} = "10GB", or a share of the SSD, "25%"')
        return int(size) // SECTOR_BYTES * SECTOR_BYTES


def unit_of(config: Config) -> int:
    """Returns the bytes of a mapping unit."""
    return int(config["ftl.unit_bytes"] or config["ssd.page_bytes"])


@dataclass(frozen=True)
class FlowFile:
    """Flows that run together on any SSD: `wordline.run(ssd, wordline.flows("tenants.toml"))`.

    Attributes:
        tables: What is said of each flow.
        parts: What is said of each namespace.
    """

    tables: tuple[FlowTable, ...]
    parts: tuple[FlowTable, ...] = ()

    def __iter__(self) -> NoReturn:
        """Says which SSD is missing, without which sizes such as `"25%"` are nothing.

        Raises:
            TypeError: Always.
        """
        raise TypeError('a file of flows has parts of an SSD: iterate over .flows(ssd), such as .flows("mqsim")')

    def flows(self, config: Config | str) -> list[Flow]:
        """Returns the flows on an SSD: a configuration, or the name of a preset.

        Raises:
            FlowError: An entry is unknown or invalid, or the SSD is too small.
            UnknownPresetError: The preset does not exist.
        """
        if isinstance(config, str):
            config = preset(config)
        namespaces: dict[str, Namespace] = {}
        first = 0
        for part in self.parts:
            namespace = part.namespace(config, first)
            if namespace.name in namespaces:
                raise part.wrong("name", f"{namespace.name!r} comes twice", "name each namespace once")
            namespaces[namespace.name] = namespace
            first += namespace.sectors
        return [table.flow(config, number, namespaces) for number, table in enumerate(self.tables, 1)]

    @property
    def traces(self) -> list[str]:
        """The traces that it names."""
        named = [(each, each.table["trace"]) for each in self.tables if "trace" in each.table]
        return [fspath(each.folder / str(t["path"] if isinstance(t, Mapping) else t)) for each, t in named]


def flows(path: str | PathLike[str]) -> FlowFile:
    """Reads a file with a table `[[flow]]` for each source of requests, each with a submission queue of its own.

    `workload` or `trace` names the requests. Further entries: `name`, `requests`, `queue_depth`, `mode`, `weight`,
    `priority`, `handle` (of its writes, counted from 1), `offset` and `size` (the part of the SSD, such as `"10GB"` or
    `"25%"`), `time_scale`, `group`,
    `lasts_s`, `ramp_s` (see `Flow`), and keys of `[workload]`, such as `read_ratio`. With `namespace`, offset, size and
    handle are those of a namespace, which a table `[[namespace]]` describes: its `name`, its `size`, and the SSD's
    `handles` that it has, or the `reclaim_group` whose handles these are.

    Raises:
        FlowError: It cannot be read, or is no such file; the message names the line.
    """
    file = fspath(path)
    try:
        text = read_input(Path(file)).decode("utf-8")
        table = parse_toml(text)
    except OSError as error:
        raise FlowError(file, 0, "", (error.strerror or "cannot be read").lower(), "check the path") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        line = re.search(r"at line (\d+)", str(error))
        raise FlowError(file, int(line[1]) if line else 0, "", f"not valid TOML: {error}", "correct it") from None
    for key in table:
        if key not in ("flow", "namespace"):
            fix = "keys of the SSD go into a configuration file of their own" if key != "flows" else "write [[flow]]"
            raise FlowError(file, _line_of(text, key), key, "is no entry of a file of flows", fix)
    tables = table.get("flow")
    if not isinstance(tables, list) or not tables or not all(isinstance(each, dict) for each in tables):
        raise FlowError(file, 0, "flow", "there is no table of a flow", f"write [[flow]], and below it {EXAMPLE}")
    parts = table.get("namespace", [])
    if not isinstance(parts, list) or not all(isinstance(each, dict) for each in parts):
        raise FlowError(file, _line_of(text, "namespace"), "namespace", "is no table", "write [[namespace]]")
    return FlowFile(_tables(tables, "flow", text, file), _tables(parts, "namespace", text, file))


def _tables(tables: Sequence[Mapping[str, Any]], name: str, text: str, file: str) -> tuple[FlowTable, ...]:
    """Returns what is said in tables of a name, each with its lines."""
    head = re.compile(rf"\s*\[\[\s*{name}\s*\]\]")
    heads = [number for number, line in enumerate(text.splitlines(), 1) if head.match(line)]
    places = heads if len(heads) == len(tables) else [0] * len(tables)
    return tuple(
        FlowTable(each, file, line, _lines_of(text, each, line), Path(file).parent)
        for each, line in zip(tables, places, strict=True)
    )


def flow_of_text(text: str, option: str = "--flow") -> FlowTable:
    """Returns the flow of `workload=fio/random-read,queue_depth=4`; a value that is not TOML is a text.

    Raises:
        FlowError: A part is not `key=value`, or a key comes twice.
    """
    table: dict[str, Any] = {}
    for part in text.split(","):
        key, equals, value = (each.strip() for each in part.partition("="))
        if not equals or not key or not value:
            raise FlowError(f"{option} {text}", 0, key, "is not key=value", "write workload=NAME,queue_depth=4")
        if key in table:
            raise FlowError(f"{option} {text}", 0, key, "comes twice", "leave one of them out")
        table[key] = parse_value(value)
    return FlowTable(table, f"{option} {text}")


def _lines_of(text: str, keys: Mapping[str, Any], start: int) -> tuple[tuple[str, int], ...]:
    return tuple((key, _line_of(text, key, start)) for key in keys)


def _line_of(text: str, key: str, start: int = 0) -> int:
    """Returns the first line from `start` on that names a key; 0 if none does."""
    pattern: re.Pattern[str] = re.compile(rf'^\s*\[*\s*["\']?{re.escape(key)}\b')
    lines: Sequence[str] = text.splitlines()
    return next((number for number, line in enumerate(lines, 1) if number > start and pattern.search(line)), 0)
