"""Repeats the runs of a record, and compares the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import RecordError
from ..files import is_file
from ..progress import ProgressCallback
from ..result import Result
from ..sweeps import Point, PointsProgress, run_points
from ..sweeps.pooled import pooled
from ..workload import Flow, Trace
from . import kv_runs
from .difference import Compared, compared
from .folder import documents
from .input_file import InputFile
from .record import STANDARD_INPUT, Record, RecordedRun

__all__ = ["Repeated", "rerun"]


@dataclass(frozen=True, slots=True)
class Repeated:
    """A repeated run.

    Attributes:
        settings: Its settings; empty for a single run.
        result: Its new measurements; None of a KV cache.
        compared: Comparison of every number with the record.
    """

    settings: Mapping[str, Any]
    result: Result | None
    compared: Compared


def rerun(
    folder: str | Path,
    *,
    trace: str | Path | None = None,
    jobs: int | None = None,
    progress: Callable[[PointsProgress], object] | None = None,
    warn: Callable[[str], object] | None = None,
    kv_progress: bool | ProgressCallback | None = None,
) -> list[Repeated]:
    """Repeats every run of a folder that `--out` wrote, and compares every number with the stored one.

    Args:
        folder: The folder.
        trace: The new place of the trace, if it was moved. Its content must be the same.
        jobs: Parallel processes; None: one per core.
        progress: Called at the start and after every run.
        warn: Called with each of `Results.warnings`, such as that fewer runs fit into memory together than `jobs`.
        kv_progress: As for `wordline.kv`, of a folder that `wordline kv` wrote: it has one process, and `jobs` no say.

    Raises:
        RecordError: The folder has no record, or a trace is not the one of the record.
        WordlineError: See `wordline.run`.
    """
    place = Path(folder)
    record = Record.read(place)
    if record.kind == kv_runs.KIND:
        where = _find_all(record, trace)
        return [
            Repeated(settings, None, numbers)
            for settings, numbers in kv_runs.repeated(record, place, where, kv_progress)
        ]
    before = documents(place)
    if len(before) != len(record.runs):
        raise RecordError(f"{place}: {len(before)} results for {len(record.runs)} runs", file=str(place))
    if any(document.get("partial") for _, document in before):
        raise RecordError(f"{place}: a part of a run, which ended with Ctrl-C; `wordline run {place}` runs all of it")
    where = _find_all(record, trace)
    points = [_points(run, where) for run in record.runs]
    outcomes = run_points(
        [each for group in points for each in group], jobs=jobs, progress=progress, stop_at_failure=True
    )
    if warn is not None:
        for warning in outcomes.warnings:
            warn(warning)
    made = iter([outcome.result for outcome in outcomes if outcome.result is not None])
    results = [[next(made) for _ in group] for group in points]
    repeated = []
    for (settings, document), group in zip(before, results, strict=True):
        result = group[0] if len(group) == 1 else pooled(group)
        repeated.append(Repeated(settings, result, compared(document, result.document)))
    return repeated


def _find_all(record: Record, moved: str | Path | None) -> dict[str, str]:
    """Returns where each trace is, after a check of all files."""
    for name, file in record.files.items():
        _check(Path(file.path), file, name)
    return {name: _find(record, name, file, moved) for name, file in record.traces.items()}


def _find(record: Record, name: str, file: InputFile, moved: str | Path | None) -> str:
    """Returns the trace's path, after a check that its content is that of the record."""
    if moved is not None and len(record.traces) > 1:
        raise RecordError(f"the record has {len(record.traces)} traces, --trace names one; put them where they were")
    there = [Path(moved)] if moved is not None else [Path(file.path), Path(name)]
    path = next((each for each in there if is_file(each)), None)
    if path is None:
        raise RecordError(f"{there[0]}: the record's trace is not there; say where it is with --trace", file=name)
    _check(path, file, "trace")
    return str(path)


def _check(path: Path, file: InputFile, what: str) -> None:
    now = InputFile.of(path)
    if now.sha256 != file.sha256:
        raise RecordError(
            f"{path}: not the record's {what}: {now.bytes:,} bytes, SHA-256 {now.sha256[:12]}…; "
            f"the record's has {file.bytes:,} bytes, SHA-256 {file.sha256[:12]}…",
            file=str(path),
        )


def _points(run: RecordedRun, where: Mapping[str, str]) -> list[Point]:
    """Returns the simulations behind a result: one for each seed."""
    flows = [_moved(flow, where) for flow in run.flows]
    options = dict(run.options)
    if state := options.get("load_state"):
        file = InputFile(**state)
        _check(Path(file.path), file, "state")
        options["load_state"] = file.path
    seeds = options.pop("seeds", [None])
    return [Point(run.config, {}, flows, seed, **options) for seed in seeds]


def _moved(flow: Flow, where: Mapping[str, str]) -> Flow:
    if not isinstance(flow.workload, Trace):
        return flow
    if STANDARD_INPUT in flow.workload.paths:
        raise RecordError(f"flow {flow.name}: its trace came from standard input and cannot be read again")
    return replace(flow, workload=Trace(tuple(where[path] for path in flow.workload.paths), flow.workload.options))
