"""Converts the arguments of a command to a configuration and a workload."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from . import paths, talk
from .errors import BadInputError, unknown
from .trace_elsewhere import refuse_trace

if TYPE_CHECKING:
    from ..applications import Application
    from ..config import Config
    from ..fio_jobs import FioFile
    from ..flow_file import FlowFile
    from ..workload import Flow, Trace, Workload
    from . import options as opt


def configuration(target: str | None, assignments: Sequence[str]) -> Config:
    """Returns the configuration of a preset, a file or, without a name, the base; with `key=value` on top of it.

    Raises:
        BadInputError: The file is a result.
        ConfigError: A preset is unknown, a file does not exist, or there is a mistake in it or in the assignments.
    """
    from ..config import config as config_of
    from ..config import preset
    from ..drive import is_given
    from ..needs import needed
    from .assignment import IfNotGiven

    if target is not None and target.endswith(".json"):
        raise BadInputError(
            f"{target}: a result, not a configuration", "name the folder that holds it, or a .toml file"
        )
    if target is None:
        config = config_of()
    elif (record := _record_of(Path(target))) is not None:
        from ..record import Record

        config = Record.read(record).runs[0].config
    elif target.endswith(TOML) or "/" in target or Path(target).is_file():
        if not target.endswith(TOML):
            refuse_trace(target, "an SSD")
        config = config_of(target)
    else:
        config = preset(target)
    assignments = [
        each for each in assignments if not (isinstance(each, IfNotGiven) and is_given(config, each.partition("=")[0]))
    ]
    if assignments:
        added = needed(config, assignments)
        for need in added:
            talk.note(f"{need}, which is set")
        # All at once, because some settings are only valid together.
        config = config.assign(*(f"{need.needs}={json.dumps(need.value)}" for need in added), *assignments)
    paths.reads_files_of(config)
    return config


def _record_of(target: Path) -> Path | None:
    """Returns the record of a name, if it is a record or a folder with one."""
    from ..output.result_folder import RECORD

    if target.name == RECORD and target.is_file():
        return target
    return target / RECORD if (target / RECORD).is_file() else None


def trace(path: str, reading: opt.Reading) -> Trace:
    """Returns a trace, not yet read.

    Raises:
        BadInputError: The format is unknown.
        TraceError: An option is invalid.
    """
    from ..workload import trace as trace_of
    from ..workload import trace_formats

    known = trace_formats()
    if reading.format is not None and reading.format not in known:
        raise unknown("trace format", reading.format, known, f"formats: {', '.join(known)}")
    return trace_of(path, **reading.changed())


def workload(
    target: str | None, source: opt.Source, reading: opt.Reading
) -> Trace | Workload | FioFile | FlowFile | list[Workload] | list[Flow] | Application:
    """Returns the workload: a trace, named workloads, flows, that of the record `target`, or the configuration's own.

    Raises:
        BadInputError: Two kinds are given, options of a trace are given without one, the record has several runs, or
            `target` is the configuration file of a saved run whose requests are not in it.
        WorkloadError: A name is unknown.
        TraceError: See `trace`.
    """
    names = source.workload or []
    kinds = [
        option for option, given in (("--trace", source.trace), ("--workload", names), ("--flow", source.flow)) if given
    ]
    if len(kinds) > 1:
        raise BadInputError(
            f"{kinds[0]} and {kinds[1]} exclude each other", "leave one of them out, or write --flow for all"
        )
    if source.trace is not None:
        return trace(source.trace, reading)
    files = [name for name in names if is_file_of_flows(name)]
    if files and len(names) > 1:
        raise BadInputError(f"--workload {files[0]}: a file of flows stands alone", "write all flows into one file")
    if files and files[0].endswith(FIO):
        return fio_file(files[0], reading)
    if reading.changed():
        option = "--" + next(iter(reading.changed())).replace("_", "-")
        raise BadInputError(f"{option} is about a trace, and there is none", "name one with --trace FILE")
    if files:
        return flow_file(files[0])
    if source.flow:
        return flows_of_options(source.flow)
    return _named(names, target)


FIO, TOML = ".fio", ".toml"
APPLICATION = "app/"


def is_file_of_flows(name: str) -> bool:
    """Returns whether the name of a workload is that of a fio job file or of a file of flows."""
    return name.endswith((FIO, TOML))


def fio_file(path: str, reading: opt.Reading) -> FioFile:
    """Returns the jobs of a fio job file.

    Raises:
        BadInputError: An option is about a trace that the file does not name.
    """
    from ..fio_jobs import fio

    if not path.endswith(FIO):
        refuse_trace(path, "a fio job file")
    paths.reads("--workload", [path])
    return fio(path, **reading.of_named(f"{path} says which logs it replays", "leave it out"))


def flow_file(path: str) -> FlowFile:
    """Returns the flows of a file with tables [[flow]]."""
    from ..flow_file import flows

    made = flows(path)
    paths.reads("--workload", [path])
    paths.reads(path, made.traces)
    return made


def flows_of_options(texts: Sequence[str]) -> FlowFile:
    """Returns the flows of `--flow` options."""
    from ..flow_file import FlowFile, flow_of_text

    made = FlowFile(tuple(flow_of_text(text) for text in texts))
    paths.reads("--flow", made.traces)
    return made


def _named(names: Sequence[str], target: str | None) -> Workload | list[Workload] | list[Flow] | Application:
    """Returns the workloads of these names; without a name that of the record `target`, or the configuration's own."""
    from ..workload import workload as workload_of

    applications = [name for name in names if name.startswith(APPLICATION)]
    if applications and len(names) > 1:
        raise BadInputError(f"--workload {applications[0]}: an application stands alone", "leave the others out")
    if applications:
        from ..applications import application

        return application(applications[0])
    for name in names:
        refuse_trace(name, "a synthetic workload")
    if len(names) > 1:
        return [workload_of(name) for name in names]
    if not names and target is not None and (record := _record_of(Path(target))) is not None:
        return _recorded(record, target)
    if not names and target is not None:
        _check_complete(Path(target))
    return workload_of(names[0] if names else None)


def _recorded(record: Path, target: str) -> list[Flow]:
    """Returns the requests of a record.

    Raises:
        BadInputError: It has several runs.
    """
    from ..record import Record
    from ..record.folder import POINTS

    read = Record.read(record)
    runs = read.runs
    if read.kind == "kv":
        raise BadInputError(f"{target}: a KV cache, and no run", f"`wordline rerun {target}` repeats it")
    if len(runs) > 1:
        has_folders = (record.parent / POINTS).is_dir()
        fix = (
            f"name one of them, from {target}/{POINTS}/0001 on"
            if has_folders
            else f"`wordline rerun {target}` repeats them all; to run one, give the SSD, and its settings with "
            "--set KEY=VALUE"
        )
        raise BadInputError(f"{target}: {len(runs)} runs", fix)
    paths.reads_traces(list(runs[0].flows))
    return list(runs[0].flows)


def _check_complete(file: Path) -> None:
    """Checks that a saved run's configuration file is not run alone if the run's requests came from elsewhere.

    Raises:
        BadInputError: They came from a trace, a fio job or several flows.
    """
    if (record := _record_of(file.parent)) is None:
        return
    from ..record import Record
    from ..record.folder import CONFIG
    from ..workload import Flow, Workload

    if file.name != CONFIG:
        return
    flows = Record.read(record).runs[0].flows
    first = flows[0]
    if isinstance(first.workload, Workload) and list(flows) == [Flow(first.name, first.workload)]:
        return
    names = " + ".join(flow.workload.name or flow.name for flow in flows)
    raise BadInputError(
        f"{file}: the SSD of a saved run without its requests, those of {names}",
        f"`wordline rerun {file.parent}` repeats the run, `wordline run {file.parent} --set KEY=VALUE` runs it with "
        "another setting; for other requests add --trace or --workload",
    )
