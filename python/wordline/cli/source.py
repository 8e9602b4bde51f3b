"""From what was typed to a configuration and a workload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .assignment import parse, split
from .errors import BadInput, unknown

if TYPE_CHECKING:
    from .. import Config
    from .. import Workload as WorkloadSource

PRESETS_HINT = "`wordline presets` lists them all; a file's name ends in .toml"
WORKLOADS_HINT = "`wordline workloads` lists them all; a trace is given with --trace"
FORMATS_HINT = "formats: "


@dataclass(frozen=True)
class TraceArguments:
    """How a trace is to be read, as it was typed."""

    format: str | None = None
    csv_columns: str | None = None
    device: str | None = None
    skip: int = 0
    limit: int | None = None
    on_time_back: str | None = None
    zero_length: str | None = None
    wrap: bool = False

    def keywords(self) -> dict[str, Any]:
        """What differs from the defaults, as keywords of `wordline.trace`."""
        given = {name: value for name, value in vars(self).items() if value not in (None, False)}
        if not self.skip:
            given.pop("skip", None)
        return given


def configuration(target: str | None, assignments: Sequence[str]) -> Config:
    """The configuration of a preset, a file or, without a name, the base; with `key=value` laid over it.

    Raises:
        BadInput: for an unknown preset or a missing file.
        wordline.errors.ConfigError: for what is wrong in the file or the assignments.
    """
    import wordline as wl

    for text in assignments:
        split(text)
    if target is None:
        config = wl.config()
    elif target.endswith(".toml") or "/" in target or Path(target).is_file():
        if not Path(target).exists():
            raise BadInput(f"{target}: no such file", "give a configuration file, or a preset of `wordline presets`")
        config = wl.config(target)
    else:
        names = [preset.name for preset in wl.presets()]
        if target not in names:
            raise unknown("preset", target, names, PRESETS_HINT)
        config = wl.preset(target)
    for text in assignments:
        config = config.assign(text)
    return config


def trace(path: str, arguments: TraceArguments) -> WorkloadSource:
    """A trace, not yet read.

    Raises:
        BadInput: for a file that does not exist, or an unknown format.
    """
    import wordline as wl

    known = wl.trace_formats()
    if arguments.format is not None and arguments.format not in known:
        raise unknown("trace format", arguments.format, known, FORMATS_HINT + ", ".join(known))
    if path != "-" and not Path(path).exists():
        raise BadInput(f"{path}: no such file")
    return wl.trace(path, **arguments.keywords())


def generated(name: str, assignments: Sequence[str]) -> WorkloadSource:
    """A synthetic workload by name, with the `workload.*` keys among the assignments laid over it.

    Raises:
        BadInput: for an unknown name.
    """
    import wordline as wl

    names = [workload.name for workload in wl.workloads()]
    if name not in names:
        raise unknown("workload", name, names, WORKLOADS_HINT)
    pairs = (split(text) for text in assignments)
    keys = {key.removeprefix("workload."): parse(value) for key, value in pairs if key.startswith("workload.")}
    return wl.workload(name, **keys)


def workload(
    trace_file: str | None, name: str | None, arguments: TraceArguments, assignments: Sequence[str]
) -> WorkloadSource:
    """What was asked for: a trace, a named workload, or the configuration's own.

    Raises:
        BadInput: for both at once, or options of a trace without one.
    """
    import wordline as wl

    if trace_file is not None and name is not None:
        raise BadInput("--trace and --workload exclude each other", "leave one of them out")
    if trace_file is not None:
        return trace(trace_file, arguments)
    if arguments.keywords():
        option = "--" + next(iter(arguments.keywords())).replace("_", "-")
        raise BadInput(f"{option} is about a trace, and there is none", "name one with --trace FILE")
    return wl.workload() if name is None else generated(name, assignments)
