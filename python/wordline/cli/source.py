"""From what was typed to a configuration and a workload."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import BadInputError, unknown

if TYPE_CHECKING:
    from wordline import Config, Trace, Workload


class TraceArguments(NamedTuple):
    """How a trace is to be read, as it was typed."""

    format: str | None = None
    csv_columns: str | None = None
    device: str | None = None
    skip: int = 0
    limit: int | None = None
    on_time_back: str | None = None
    on_zero_length: str | None = None
    wrap: bool = False

    def keywords(self) -> dict[str, Any]:
        """What differs from the defaults, as keywords of `wordline.trace`."""
        return {name: value for name, value in self._asdict().items() if value}


def configuration(target: str | None, assignments: Sequence[str]) -> Config:
    """The configuration of a preset, a file or, without a name, the base; with `key=value` laid over it.

    Raises:
        ConfigError: For an unknown preset, a missing file, or what is wrong in it or in the assignments.
    """
    import wordline as wl

    if target is None:
        config = wl.config()
    elif target.endswith(".toml") or "/" in target or Path(target).is_file():
        config = wl.config(target)
    else:
        config = wl.preset(target)
    # All at once: settings that only fit together are one change.
    return config.assign(*assignments) if assignments else config


def trace(path: str, arguments: TraceArguments) -> Trace:
    """A trace, not yet read.

    Raises:
        BadInputError: For an unknown format.
        TraceError: For an option that makes no sense.
    """
    import wordline as wl

    known = wl.trace_formats()
    if arguments.format is not None and arguments.format not in known:
        raise unknown("trace format", arguments.format, known, f"formats: {', '.join(known)}")
    return wl.trace(path, **arguments.keywords())


def workload(trace_file: str | None, name: str | None, arguments: TraceArguments) -> Trace | Workload:
    """What was asked for: a trace, a named workload, or the configuration's own.

    Raises:
        BadInputError: For both at once, or options of a trace without one.
        WorkloadError: For an unknown name.
        TraceError: As `trace`.
    """
    import wordline as wl

    if trace_file is not None and name is not None:
        raise BadInputError("--trace and --workload exclude each other", "leave one of them out")
    if trace_file is not None:
        return trace(trace_file, arguments)
    if arguments.keywords():
        option = "--" + next(iter(arguments.keywords())).replace("_", "-")
        raise BadInputError(f"{option} is about a trace, and there is none", "name one with --trace FILE")
    return wl.workload(name)
