"""The requests to the SSD: traces, synthetic workloads, and flows with the settings of their replay."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from os import PathLike, fspath
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, Protocol

from . import _core
from .arrays_trace import columns_of, written
from .config import Config, setting
from .errors import TraceOptionError, TraceTargetError, WorkloadError
from .inputs import clash, inputs_of
from .named_workloads import WorkloadInfo, full_name, info_of, replacing, texts, workloads
from .parquet_trace import readable

__all__ = [
    "FioJob",
    "Flow",
    "Namespace",
    "Trace",
    "Workload",
    "WorkloadInfo",
    "WorkloadLike",
    "Written",
    "trace",
    "trace_formats",
    "trace_output_formats",
    "workload",
    "workloads",
]

Path = str | PathLike[str]
RawProgress = Callable[[float | None, int, int], object]


class Written(NamedTuple):
    """The result of writing a trace file.

    Attributes:
        requests: Number of requests.
        warnings: Parts of the source that are missing in the file, or were changed; one sentence each.
    """

    requests: int
    warnings: list[str]


@dataclass(frozen=True)
class Trace:
    """Trace files and their read options; nothing is opened before a run. Made by `trace`."""

    paths: tuple[str, ...]
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """The first file's name, without its folder."""
        return PurePath(self.paths[0]).name

    def form(self, config: Config) -> dict[str, Any]:
        """Returns it as a part of a flow's form; the configuration does not matter."""
        del config
        return {"name": self.name, "source": " ".join(self.paths), "synthetic": False, **self._read}

    @property
    def _read(self) -> dict[str, Any]:
        return {"paths": list(self.paths), "trace": dict(self.options)}

    @property
    def format(self) -> str:
        """The format, given or detected in the first file.

        Raises:
            TraceError: The file cannot be read, or its format is not clear.
        """
        return _core.trace_format(json.dumps(readable(self._read)))

    def stat(self, *, sequential_window: int | None = None, progress: RawProgress | None = None) -> dict[str, Any]:
        """Returns statistics of the trace: requests, read ratio, sizes, inter-arrival times, footprint and others.

        Args:
            sequential_window: Number of latest requests in which to look for the predecessor of a sequential one, 1 to
                1024.
            progress: Called regularly with the share that is read (or None), the number of requests, and 0.

        Raises:
            TraceError: The trace cannot be read; see `trace`.
        """
        read = json.dumps(readable(self._read))
        text, notes = _core.trace_stat(read, sequential_window=sequential_window, progress=progress)
        return {**json.loads(text), "warnings": _of(self, notes)}

    def convert(
        self, path: Path, *, to: str | None = None, force: bool = False, progress: RawProgress | None = None
    ) -> Written:
        """Writes the trace to a file, which appears when it is complete.

        Args:
            path: The file; compressed if it ends in `.gz` or `.zst`; `-` is standard output.
            to: One of `trace_output_formats()`; None: by the file's name, else `native`.
            force: Replace an existing file. The input is never replaced.
            progress: See `stat`.

        Raises:
            TraceTargetError: The file exists already, or is the input.
            TraceError: The trace cannot be read, or the format cannot represent a request.
        """
        return _written(self, path, Config([]), to, force=force, progress=progress)


@dataclass(frozen=True)
class Workload:
    """A synthetic workload: a named one, or the configuration's own `[workload]`. Made by `workload`."""

    name: str | None = None
    settings: tuple[tuple[str, Any], ...] = ()

    @property
    def info(self) -> WorkloadInfo | None:
        """Information about a named workload."""
        return None if self.name is None else info_of(self.name)

    def config(self, config: Config) -> Config:
        """Returns the configuration with the `[workload]` of this workload.

        A named workload replaces the `[workload]` of presets and files; single settings (`Config.set`) stay on top of
        it, and settings passed to `workload` are on top of all.

        Raises:
            ConfigError: A setting is invalid.
        """
        return config.derived(repr(self), lambda: self._applied(config))

    def _applied(self, config: Config) -> Config:
        layers = list(config.layers)
        info = self.info
        if info is not None:
            files = [layer for layer in layers if layer.has_lines]
            options = [layer for layer in layers if not layer.has_lines]
            layers = [*files, *replacing(tuple(files), info.name), *options]
        layers += [setting(f"workload.{key}", value) for key, value in self.settings]
        return Config(layers) if info is not None or self.settings else config

    def with_settings(self, settings: Mapping[str, Any]) -> Workload:
        """Returns a copy with some keys of `[workload]` changed."""
        return replace(self, settings=tuple({**dict(self.settings), **settings}.items()))

    def write(
        self,
        path: Path,
        config: Config,
        *,
        to: str | None = None,
        force: bool = False,
        progress: RawProgress | None = None,
    ) -> Written:
        """Writes the requests for a configuration's SSD as a trace.

        Args:
            path: The file; compressed if it ends in `.gz` or `.zst`; `-` is standard output.
            config: Gives the capacity and the seed.
            to: See `Trace.convert`.
            force: See `Trace.convert`.
            progress: See `Trace.stat`.

        Raises:
            WorkloadError: The workload does not fit the SSD.
            TraceTargetError: The file exists already.
        """
        return _written(self, path, self.config(config), to, force=force, progress=progress)

    def form(self, config: Config) -> dict[str, Any]:
        """Returns it as a part of a flow's form, for a configuration that has its `[workload]`."""
        info = self.info
        source = info.source if info else "the configuration's [workload]"
        return {
            "name": config["workload.name"],
            "source": f"synthetic: {source}",
            "synthetic": True,
            "preset": self.name,
            "settings": {key: config[f"workload.{key}"] for key, _ in self.settings},
            "workload": config["workload"],
        }


@dataclass(frozen=True)
class FioJob:
    """A job of a fio job file, resolved for one SSD. Made by `fio`.

    Attributes:
        name: The job's name; clones have a number at the end.
        file: The job file.
        text: All options as JSON, as the core takes them.
        number: Separates its random choices from those of the file's other jobs.
        iolog: File for what it submits in a run (`write_iolog`), if it has this option.
    """

    name: str
    file: str
    text: str
    number: int = 0
    iolog: str | None = None

    def write(self, path: Path, config: Config, *, to: str | None = None, force: bool = False) -> Written:
        """Writes the job's requests as a trace; see `Workload.write`."""
        return _written(self, path, config, to, force=force)

    def form(self, config: Config) -> dict[str, Any]:
        """Returns it as a part of a flow's form; it was resolved for its configuration before."""
        del config
        job = {"file": self.file, "number": self.number, "iolog": self.iolog, "job": json.loads(self.text)}
        return {"name": self.name, "source": f"synthetic: fio job file {self.file}", "synthetic": True, "fio": job}


Priority = Literal["urgent", "high", "medium", "low"]
"""The priority class of a flow."""


@dataclass(frozen=True)
class Namespace:
    """A part of the SSD with sectors and placement handles of its own.

    Attributes:
        name: Its name in results. Flows of one name are in one namespace.
        first_sector: The place of its sector 0 on the SSD, in sectors of 512 bytes.
        sectors: Its sectors.
        handles: The SSD's handles, counted from 1, that its own stand for, in their order; empty: the SSD's.
    """

    name: str
    first_sector: int
    sectors: int
    handles: tuple[int, ...] = ()


@dataclass(frozen=True)
class Flow:
    """One source of requests with its own submission queue.

    Attributes:
        name: Its name in results.
        workload: A trace or a synthetic workload.
        mode: `closed` keeps a number of requests outstanding. `open` submits at the arrival times; `paced` does too,
            but never has more than the queue depth outstanding. `auto` is open if requests have times.
        queue_depth: Requests outstanding in a closed loop, 1 to 65535; None: `host.queue_depth`.
        weight: Share under weighted arbitration, 1 or more.
        priority: How urgent its requests are at the dies, to a scheduling policy that looks at it
            (`schedule.policy = "mqsim-priority-out-of-order"`).
        handles: Placement handles of its writes, counted from 1: one for all of them, or several in turn; empty: none.
            They act where the SSD has handles (`fdp.isolation`), or streams for hints (`ftl.placement = "handle"`).
        handle_seed: Its handles come at random, each as often, by this seed and that of the run; None: in turn.
        handle_ranges: Parts of it with a handle of their own, each as first sector, sector behind the last, handle.
            A write names the handle of the first part that it begins in, elsewhere handle 1. Empty: `handles` says.
        namespace: The namespace that its sectors and handles are of; None: those of the SSD.
        first_sector: The place of its sector 0 on the SSD, or in its namespace, in sectors of 512 bytes.
        sectors: Sectors that it uses; None: all from `first_sector`. A trace wraps around within them if it wraps.
        time_scale: Its arrival times are multiplied by this and by `host.time_scale`; above 0; None: 1.
        rest: After this many requests, a paced flow waits until nothing is outstanding, and then for this time, ns;
            None: never.
        group: Flows start by group, from 0: each group when the previous one is complete.
        lasts_s: It submits for this long, s; None: until its requests end.
        ramp_s: Requests within this time after its start, s, are simulated but not counted; None: 0.
    """

    name: str
    workload: Trace | Workload | FioJob = field(default_factory=Workload)
    mode: Literal["auto", "closed", "open", "paced"] = "auto"
    queue_depth: int | None = None
    weight: int = 1
    priority: Priority = "high"
    handles: tuple[int, ...] = ()
    handle_seed: int | None = None
    handle_ranges: tuple[tuple[int, int, int], ...] = ()
    namespace: Namespace | None = None
    first_sector: int = 0
    sectors: int | None = None
    time_scale: float | None = None
    rest: tuple[int, int] | None = None
    group: int = 0
    lasts_s: float | None = None
    ramp_s: float | None = None

    def config(self, config: Config) -> Config:
        """Returns the configuration with the `[workload]` of this flow, if it has a synthetic workload."""
        return self.workload.config(config) if isinstance(self.workload, Workload) else config

    def form(self, config: Config) -> dict[str, Any]:
        """Returns the flow as a result has it and as the core takes it: see `Flow` in the reference of a result.

        Args:
            config: The SSD; of a synthetic workload the one that `config` returns.
        """
        settings = {name: getattr(self, name) for name in _SETTINGS}
        if self.rest is not None:
            settings["rest"] = list(self.rest)
        settings["handles"] = list(self.handles)
        settings["handle_ranges"] = [dict(zip(_RANGE, each, strict=True)) for each in self.handle_ranges]
        if self.namespace is not None:
            settings["namespace"] = {**asdict(self.namespace), "handles": list(self.namespace.handles)}
        return {"flow": self.name, **self.workload.form(config), **settings}

    def limited(self, requests: int) -> Flow:
        """Returns the flow with so many requests, of a trace at most.

        Raises:
            WorkloadError: It is a fio job, which says itself how many.
        """
        match self.workload:
            case Trace(paths, options):
                return replace(self, workload=Trace(paths, tuple({**dict(options), "limit": requests}.items())))
            case Workload():
                return replace(self, workload=self.workload.with_settings({"requests": requests}))
            case FioJob(_, file):
                fix = "write number_ios= or size= there"
                message = f"requests = {requests}: the jobs of {file} say how many they have; {fix}"
                raise WorkloadError(message, file=file)

    def without_log(self) -> Flow:
        """Returns the flow such that a run writes no log of it (`write_iolog`)."""
        if isinstance(self.workload, FioJob) and self.workload.iolog is not None:
            return replace(self, workload=replace(self.workload, iolog=None))
        return self

    @staticmethod
    def of(form: Mapping[str, Any]) -> Flow:
        """Returns the flow of a form; what a form lacks has its default."""
        given = {name: form[name] for name in _SETTINGS if form.get(name) is not None}
        if "rest" in given:
            given["rest"] = tuple(given["rest"])
        if "handles" in given:
            given["handles"] = tuple(given["handles"])
        if "handle_ranges" in given:
            given["handle_ranges"] = tuple(tuple(each[name] for name in _RANGE) for each in given["handle_ranges"])
        if "namespace" in given:
            part = given["namespace"]
            given["namespace"] = Namespace(**{**part, "handles": tuple(part["handles"])})
        return Flow(form["flow"], _workload_of(form), **given)


_RANGE = ("first_sector", "end_sector", "handle")
_SETTINGS = tuple(each.name for each in fields(Flow) if each.name not in ("name", "workload"))


def _workload_of(form: Mapping[str, Any]) -> Trace | Workload | FioJob:
    if "paths" in form:
        return Trace(tuple(form["paths"]), tuple(form.get("trace", {}).items()))
    if "fio" in form:
        fio = form["fio"]
        # Not its log: a record, which may come from anybody, names no file that is written.
        return FioJob(form["name"], fio["file"], json.dumps(fio["job"]), fio["number"])
    return Workload(form.get("preset"), tuple(form.get("settings", {}).items()))


class FlowMaker(Protocol):
    """A source of flows that needs to know the SSD, such as a fio job file."""

    def flows(self, config: Config) -> list[Flow]:
        """Returns the flows on an SSD of this configuration."""


WorkloadLike = str | Trace | Workload | Flow | Sequence[Trace | Workload | Flow] | FlowMaker | None
"""The workloads of `run` and `compare`: a text names a synthetic one, None is the configuration's own `[workload]`."""


class Tabular(Protocol):
    """A DataFrame, an Arrow table or a structured array."""

    def __getitem__(self, name: Any, /) -> Any: ...  # noqa: ANN401 - a column


def trace(
    path: Path | Sequence[Path] | Mapping[str, Any] | Tabular,
    *,
    format: str | None = None,  # noqa: A002 - the word that the command line has
    device: str | int | None = None,
    limit: int | None = None,
    skip: int = 0,
    wrap: bool | None = None,
    csv_columns: str | None = None,
    event: str | None = None,
    on_time_back: str | None = None,
    on_zero_length: str | None = None,
    time_unit: str | None = None,
    rounds: int = 1,
) -> Trace:
    """Returns a trace. Files are opened, streamed and checked when it is run.

    Args:
        path: A file, plain or compressed (`.gz`, `.zst`, `.bz2`, `.xz`), or the `requests.parquet` of a run; several
            are pieces of one trace, in order. Or a table of requests: a DataFrame, a dict of arrays, an Arrow table or
            a structured array with columns `time_s` (or `time_ms`, `time_us`, `time_ns`), `operation`, `offset` and
            `size` in bytes, and, where there are several sources, `flow`, which `device` chooses from (names are
            numbered by the alphabet). It is sorted by time.
        format: One of `trace_formats()`; None: detected.
        device: `"merge"` (all devices onto the same addresses), `"pack"` (one behind the other, each as large as the
            trace uses it), `"only=N"` or a number, `"stride=SECTORS"`; None: merge, with a warning where there are
            several.
        limit: Largest number of requests, at least 1.
        skip: Number of requests to skip at the start.
        wrap: Addresses beyond the SSD wrap around (else they are an error); None: `host.wrap`.
        csv_columns: Describes any CSV, such as `"time-col=1,op-col=2,offset-col=3,size-col=4,time-unit=us"`.
        event: The event of `blkparse` that is a request: `"D"` (the default), `"Q"`, `"G"`, `"I"` or `"C"`.
        on_time_back: `"error"`, `"clamp"` or `"sort-window=N"` for timestamps that go back; None: by the format.
        on_zero_length: `"error"` or `"skip"` for requests of zero length; None: by the format.
        time_unit: `"s"`, `"ms"`, `"us"` or `"ns"`, for formats whose files come in several units; None: the usual one
            if it makes sense, else the one other that does.
        rounds: Number of replays of the trace, each after the previous one.

    Raises:
        TraceOptionError: An option is invalid.
    """
    names = None if isinstance(path, str | PathLike | list | tuple) else columns_of(path)
    if names is not None:
        if format is not None or csv_columns is not None:
            raise TraceOptionError("format and csv_columns describe a file, and this is a table; leave them out")
        file, csv_columns = written(path, names)
        path = file
    paths = (path,) if isinstance(path, str | PathLike) else _paths(path)
    options = {
        "format": format,
        "csv_columns": csv_columns,
        "device": f"only={device}" if isinstance(device, int) else device,
        "event": event,
        "on_time_back": on_time_back,
        "on_zero_length": on_zero_length,
        "time_unit": time_unit,
        "skip": skip or None,
        "limit": limit,
        "wrap": wrap,
        "rounds": rounds if rounds != 1 else None,
    }
    given = tuple((key, value) for key, value in options.items() if value is not None)
    made = Trace(tuple(fspath(each) for each in paths), given)
    # Options are checked here, so that the error appears at the place of the mistake.
    _core.check_trace(json.dumps(made._read))  # noqa: SLF001
    return made


def _paths(given: object) -> tuple[Path, ...]:
    """Returns paths of a trace's pieces; checks their type, for callers without a type checker."""
    each = tuple(given) if isinstance(given, Iterable) else (given,)
    paths = tuple(path for path in each if isinstance(path, str | PathLike))
    if len(paths) < len(each) or not isinstance(given, Sequence | Iterator):
        raise TraceOptionError(f"a {type(given).__name__} is no path of a trace; give a file's name, or a list of them")
    return paths


def workload(name: str | None = None, **settings: object) -> Workload:
    """Returns a synthetic workload, with some keys of `[workload]` changed.

    Args:
        name: One of `workloads()`, such as `msrc/hm_0` or `fio/random-read`; its last part is enough if it is unique.
            None: the configuration's own `[workload]`.
        settings: Keys of `[workload]`, such as `requests=100_000`.

    Raises:
        UnknownWorkloadError: The workload does not exist.
        ConfigError: A setting is invalid.
    """
    made = Workload(None if name is None else full_name(name), tuple(settings.items()))
    if settings:
        made.config(Config([]))
    return made


def trace_formats() -> list[str]:
    """Returns the names of the trace formats that can be read."""
    return [name for name, _ in _core.trace_formats()]


def trace_output_formats() -> list[str]:
    """Returns the names of the trace formats that can be written."""
    return _core.trace_output_formats()


def _format_of(path: Path) -> str:
    name = PurePath(path).name.removesuffix(".gz").removesuffix(".zst")
    return {".csv": "csv", ".ascii": "mqsim", ".iolog": "fio-iolog"}.get(PurePath(name).suffix, "native")


def _written(
    workload: Trace | Workload | FioJob,
    path: Path,
    config: Config,
    to: str | None,
    *,
    force: bool,
    progress: RawProgress | None = None,
) -> Written:
    """Writes a workload's requests, for the SSD of a configuration, to a file."""
    form = Flow("workload", workload).form(config)
    # The core looks at the traces themselves.
    named = inputs_of(config, [] if isinstance(workload, Trace) else [form])
    if fspath(path) != "-" and (why := clash(path, named)) is not None:
        raise TraceTargetError(f"{fspath(path)}: {why}; name another file", file=fspath(path))
    flow = json.dumps(readable(form))
    requests, notes = _core.write_trace(
        fspath(path), to or _format_of(path), flow, config.core, force=force, progress=progress
    )
    return Written(requests, _of(workload, notes))


def _of(workload: Trace | Workload | FioJob, notes: Sequence[str]) -> list[str]:
    """Returns what the reader of a trace had to say, with the trace's name: to the core it has none here."""
    return [
        f"{workload.name}: {note.removeprefix('trace: ')}" if note.startswith("trace: ") else note for note in notes
    ]


def flows_of(workload: WorkloadLike, config: Config) -> list[Flow]:
    """Returns the flows of a run on an SSD of this configuration, each with a unique name.

    Raises:
        WorkloadError: It is not a workload, or there is none.
    """
    if isinstance(workload, str):
        workload = _of_name(workload)
    if workload is not None and not isinstance(workload, Trace | Workload | Flow | Sequence):
        make = getattr(workload, "flows", None)
        given: list[object] = [workload] if make is None else list(make(config))
    else:
        given = list(workload) if isinstance(workload, Sequence) else [workload or Workload()]
    if not given:
        raise WorkloadError("a run needs at least one flow")
    flows: list[Flow] = []
    for each in given:
        match each:
            case Flow():
                flow = each
            case Trace() | Workload():
                flow = Flow(each.name or "workload", each)
            case _:
                kind = type(each).__name__
                raise WorkloadError(f"a {kind} is no workload; use wordline.trace(…), wordline.workload(…) or a Flow")
        names = {other.name for other in flows}
        unique = next(n for n in _numbered(flow.name) if n not in names)
        flows.append(flow if unique == flow.name else replace(flow, name=unique))
    return flows


def limited(workload: WorkloadLike, requests: int | str | None, config: Config) -> WorkloadLike:
    """Returns a workload with so many requests of each flow, of a trace at most; None: as it is.

    Raises:
        WorkloadError: The number is none, or a fio job says itself how many.
    """
    count = count_of(requests)
    return workload if count is None else [flow.limited(count) for flow in flows_of(workload, config)]


def count_of(requests: int | str | None) -> int | None:
    """Returns a number of requests that may have a suffix, such as `"10k"`.

    Raises:
        WorkloadError: It is none.
    """
    if requests is None:
        return None
    count = _core.number(requests, "requests") if isinstance(requests, str) else requests
    if isinstance(count, bool) or not isinstance(count, int | float) or count != int(count) or count < 1:
        raise WorkloadError(f"requests = {requests!r}: write a whole number from 1 on, such as 1000 or 10k")
    return int(count)


def _of_name(name: str) -> Workload:
    if name not in texts() and PurePath(name).suffix:
        raise WorkloadError(f"`{name}` is no workload's name; for a trace use wordline.trace({name!r})")
    return Workload(full_name(name))


def live_form(name: str, config: Config) -> dict[str, Any]:
    """Returns the form of a flow whose requests come from outside, while the run goes on."""
    made = Flow(name).form(config)
    settings = {key: value for key, value in made.items() if key not in ("preset", "settings", "workload")}
    return {**settings, "name": name, "source": "a live session", "synthetic": False, "live": True}


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in itertools.count(2))
