"""Converts the arguments of a command to a configuration and a workload."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from . import paths
from .errors import BadInputError, unknown

if TYPE_CHECKING:
    from ..config import Config
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

    if target is not None and target.endswith(".json"):
        raise BadInputError(
            f"{target}: a result, not a configuration", "name the folder that holds it, or a .toml file"
        )
    if target is None:
        config = config_of()
    elif (record := _record_of(Path(target))) is not None:
        from ..record import Record

        config = Record.read(record).runs[0].config
    elif target.endswith(".toml") or "/" in target or Path(target).is_file():
        config = config_of(target)
    else:
        config = preset(target)
    # All at once, because some settings are only valid together.
    config = config.assign(*assignments) if assignments else config
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


def workload(target: str | None, source: opt.Source, reading: opt.Reading) -> Trace | Workload | list[Flow]:
    """Returns the workload: a trace, a named workload, that of the record `target`, or the configuration's own.

    Raises:
        BadInputError: Both are given, options of a trace are given without one, the record has several runs, or
            `target` is the configuration file of a saved run whose requests are not in it.
        WorkloadError: The name is unknown.
        TraceError: See `trace`.
    """
    from ..workload import workload as workload_of

    name = source.workload
    if source.trace is not None and name is not None:
        raise BadInputError("--trace and --workload exclude each other", "leave one of them out")
    if source.trace is not None:
        return trace(source.trace, reading)
    if reading.changed():
        option = "--" + next(iter(reading.changed())).replace("_", "-")
        raise BadInputError(f"{option} is about a trace, and there is none", "name one with --trace FILE")
    if name is None and target is not None and (record := _record_of(Path(target))) is not None:
        from ..record import Record
        from ..record.folder import POINTS

        runs = Record.read(record).runs
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
    if name is None and target is not None:
        _check_complete(Path(target))
    return workload_of(name)


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
