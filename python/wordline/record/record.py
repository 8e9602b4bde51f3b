"""The record of runs: everything that determines the results, as `run.toml`."""

from __future__ import annotations

import datetime as dt
import platform
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import _core
from ..config import Config, Layer
from ..errors import RecordError
from ..files import is_folder, parse_toml, read_input
from ..output.result_folder import RECORD
from ..result import Result
from ..workload import Flow, Trace
from .input_file import InputFile
from .toml_text import dumps

__all__ = ["RECORD", "Record", "RecordedRun"]

VERSION = 2
HEAD = """\
# The record of {what}: all that decides its numbers. `wordline rerun DIR` repeats it and compares every number,
# `wordline explain DIR` shows each key of the configuration with its source.
"""
SHOWN = ("source", "synthetic", "workload")
"""What a flow's form has for readers: it follows from the rest."""
STANDARD_INPUT = "-"


@dataclass(frozen=True)
class RecordedRun:
    """One run of a record.

    Attributes:
        settings: The settings in which it differs from the other runs; empty for a single run.
        config: Its configuration; each key stores who set it.
        flows: The requests to the SSD.
        config_hash: SHA-256 of the resolved configuration, as in the result.
        options: `check`, `log_requests` and `timeline_us`, as `wordline.run` takes them; `load_state`, if the run
            started on the SSD of another one: path, length and SHA-256 of the state. Of a KV cache: the arguments of
            `wordline.kv`.
    """

    settings: Mapping[str, Any]
    config: Config
    flows: Sequence[Flow]
    config_hash: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def of(result: Result, settings: Mapping[str, Any] | None = None) -> RecordedRun:
        """Returns the inputs of a result."""
        document = result.document
        flows = [Flow.of(each) for each in document["workload"]["flows"]]
        return RecordedRun(dict(settings or {}), result.config, flows, result.config_hash, dict(document["options"]))

    @property
    def traces(self) -> list[str]:
        """The paths of the traces that it reads."""
        of_flows = [path for flow in self.flows if isinstance(flow.workload, Trace) for path in flow.workload.paths]
        return [*of_flows, *self.options.get("traces", [])]


@dataclass(frozen=True)
class Record:
    """Everything that determines the numbers of one run, or of several that belong together.

    Attributes:
        kind: `run`, `compare`, `sweep`, `scenarios`, `pts` or `kv`.
        runs: The runs, in the order of the results.
        command: The command line of the runs; empty if Python started them.
        directory: Its working folder, for relative paths.
        traces: The trace files, by their paths in the runs.
        files: Files that configurations name, such as a table of a chip, by those paths.
        versions: `wordline`, `python`, `platform`.
        created: Time, in UTC.
    """

    kind: str
    runs: Sequence[RecordedRun]
    command: Sequence[str] = ()
    directory: str = ""
    traces: Mapping[str, InputFile] = field(default_factory=dict)
    files: Mapping[str, InputFile] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    created: dt.datetime | None = None

    @staticmethod
    def of(kind: str, runs: Iterable[RecordedRun], command: Sequence[str] = ()) -> Record:
        """Returns the record of runs that have just finished; reads every trace for its hash.

        Raises:
            TraceNotFoundError: A trace no longer exists.
        """
        made = list(runs)
        paths = dict.fromkeys(path for run in made for path in run.traces if path != STANDARD_INPUT)
        versions = {
            "wordline": _core.__version__,
            "python": platform.python_version(),
            "platform": f"{platform.system()} {platform.machine()}",
        }
        now = dt.datetime.now(dt.UTC).replace(microsecond=0)
        traces = {path: InputFile.of(path) for path in paths}
        named = dict.fromkeys(name for run in made for _, name in run.config.files())
        files = {name: InputFile.of(name) for name in named}
        return Record(kind, made, tuple(command), str(Path.cwd()), traces, files, versions, now)

    def to_toml(self) -> str:
        """Returns the text of the file."""
        layers: dict[Layer, int] = {}
        for run in self.runs:
            for layer in run.config.layers:
                layers.setdefault(layer, len(layers))
        what = "a run" if self.kind == "run" else f"{len(self.runs)} runs"
        document = {
            "record_version": VERSION,
            "kind": self.kind,
            "created": self.created,
            "command": list(self.command),
            "directory": self.directory,
            "versions": dict(self.versions),
            "traces": [{"name": name, **file.to_dict()} for name, file in self.traces.items()],
            "files": [{"name": name, **file.to_dict()} for name, file in self.files.items()],
            "layers": [
                {"name": each.name, "has_lines": each.has_lines, "warns": each.warns, "text": each.text}
                for each in layers
            ],
            "runs": [_run_table(run, layers) for run in self.runs],
            "defaults": {"text": Config([]).to_toml()},
        }
        return HEAD.format(what=what) + dumps(document)

    @staticmethod
    def read(place: Path) -> Record:
        """Reads `run.toml`, or the one in a folder.

        Raises:
            RecordError: It does not exist, is damaged, or a later version wrote it.
            ConfigError: This version no longer has one of its keys.
        """
        path = place / RECORD if is_folder(place) else place
        try:
            table = parse_toml(read_input(path, None).decode("utf-8"))
        except OSError as error:
            reason = (error.strerror or "cannot be read").lower()
            raise RecordError(f"{path}: {reason}; name a folder that --out wrote", file=str(path)) from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise RecordError(f"{path}: damaged: {error}", file=str(path)) from None
        version = table.get("record_version")
        if not isinstance(version, int):
            raise RecordError(f"{path}: no record of a run; name a folder that --out wrote", file=str(path))
        if version > VERSION:
            raise RecordError(
                f"{path}: written by a later version, {table.get('versions', {}).get('wordline', '?')}; use that one",
                file=str(path),
            )
        try:
            return _record(table)
        except (KeyError, TypeError, IndexError) as error:
            raise RecordError(f"{path}: damaged: {error!r} is missing or wrong", file=str(path)) from None


def _run_table(run: RecordedRun, layers: Mapping[Layer, int]) -> dict[str, Any]:
    return {
        "layers": [layers[each] for each in run.config.layers],
        "config_hash": run.config_hash,
        "seed": run.config["seed"],
        "set": dict(run.settings) or None,
        "options": dict(run.options),
        "flows": [_flow_table(flow, run.config) for flow in run.flows],
    }


def _flow_table(flow: Flow, config: Config) -> dict[str, Any]:
    form = flow.form(flow.config(config))
    return {key: value for key, value in form.items() if key not in SHOWN}


def _record(table: Mapping[str, Any]) -> Record:
    layers = [
        Layer(each["name"], each["text"], each["has_lines"], each.get("warns", False)) for each in table["layers"]
    ]
    defaults = Layer(f"defaults of wordline {table['versions']['wordline']}", table["defaults"]["text"])
    traces, files = (
        {each["name"]: InputFile(each["path"], each["bytes"], each["sha256"]) for each in table.get(kind, [])}
        for kind in ("traces", "files")
    )
    return Record(
        table["kind"],
        [_recorded(each, layers, defaults) for each in table["runs"]],
        tuple(table["command"]),
        table["directory"],
        traces,
        files,
        table["versions"],
        table["created"],
    )


def _recorded(table: Mapping[str, Any], layers: Sequence[Layer], defaults: Layer) -> RecordedRun:
    own = [layers[number] for number in table["layers"]]
    config = Config(own)
    if config.hash != table["config_hash"]:
        # The defaults may have changed since: those of the record go below its layers.
        config = Config([defaults, *own])
    flows = [Flow.of(each if "flow" in each else _flow_from_1(each)) for each in table["flows"]]
    options = dict(table["options"])
    window = options.get("timeline_us")
    options["timeline_us"] = tuple(window) if window else None
    return RecordedRun(table.get("set", {}), config, flows, table["config_hash"], options)


# Version 1 had a form of its own for flows.
def _flow_from_1(table: Mapping[str, Any]) -> dict[str, Any]:
    form = {**table, "flow": table["name"]}
    if "trace" in table:
        options = dict(table["trace"])
        form |= {"paths": options.pop("files"), "trace": options}
    return {**form, **table.get("workload", {})}
