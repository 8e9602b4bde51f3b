"""The differences between two saved runs: in their inputs and in their results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..config import Config
from ..errors import RecordError
from ..files import is_file, is_folder
from ..output.numbers import dig
from ..result import Result
from ..stats import BEYOND_MIN, beyond
from ..stats.columns import PERCENTILES
from ..stats.comparison import Change, change
from ..stats.seeds import aggregate
from ..sweeps import Results, Spec
from ..sweeps.pooled import pooled
from . import kv_runs
from .difference import compared
from .folder import load
from .record import Record

__all__ = ["Diff", "KeyChange", "diff", "rows_of"]

ROW = ":"
"""Separates a folder from the number of a row of its table, from 1."""
STUDY = "study.toml"


@dataclass(frozen=True, slots=True)
class KeyChange:
    """A key of the configuration that differs between two runs.

    Attributes:
        key: The dotted key.
        first: Its value in the first run; None if it does not exist there.
        second: Its value in the second run.
        set_by: Who set it, in each run.
    """

    key: str
    first: Any
    second: Any
    set_by: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences between two runs.

    Attributes:
        workloads: The workload of each, if they differ; else empty.
        keys: Keys of the configuration that differ.
        numbers: The changes of numbers that differ, by dotted path, with an interval if there is one.
        count: Number of compared numbers.
        beyond: The samples beyond each percentile among them, by dotted path; for each run.
        are_few_numbers: All numbers are worth a look, as those of a KV cache.
    """

    workloads: tuple[str, ...]
    keys: list[KeyChange]
    numbers: dict[str, Change]
    count: int
    beyond: tuple[dict[str, int], dict[str, int]]
    are_few_numbers: bool = False

    def is_few(self, run: int, path: str) -> bool:
        """Returns True for a percentile of a run, 0 or 1, with fewer than 100 samples beyond it."""
        return self.beyond[run].get(path, BEYOND_MIN) < BEYOND_MIN

    def is_unknown(self, run: int, path: str) -> bool:
        """Returns True for a percentile of a run, 0 or 1, with no sample beyond it: the number is the maximum."""
        return self.beyond[run].get(path) == 0


def diff(first: str | Path | Result, second: str | Path | Result) -> Diff:
    """Compares two runs, number by number and key by key.

    Args:
        first: A result, a folder that `--out` wrote, or a row of its table: `"out/compare:2"` is the second.
        second: The other.

    Raises:
        RecordError: There is no result, or a folder has several and none is selected; or one of a KV cache and one of
            a run.
    """
    if any(not isinstance(each, Result) and kv_runs.is_kv(Path(each)) for each in (first, second)):
        return _diff_of_kv(first, second)
    ours, theirs = _result(first), _result(second)
    differing = compared(ours.document, theirs.document)
    changes = ((each.path, change(ours.document, theirs.document, each.path)) for each in differing.differences)
    numbers = {path: each for path, each in changes if each is not None}
    names = tuple(f"{each.workload['name']} ({each.workload['source']})" for each in (ours, theirs))
    return Diff(
        names if names[0] != names[1] else (),
        list(_keys(ours.config, theirs.config)),
        numbers,
        differing.count,
        (_beyond(ours, numbers), _beyond(theirs, numbers)),
    )


def _diff_of_kv(first: str | Path | Result, second: str | Path | Result) -> Diff:
    """Compares two KV caches: the policies that both have."""
    for each in (first, second):
        if isinstance(each, Result) or not kv_runs.is_kv(Path(each)):
            raise RecordError(f"{each}: no folder of `wordline kv`, and the other is one; name two of a kind")
    (ours, first_config), (theirs, second_config) = (_kv_of(Path(str(each))) for each in (first, second))
    both = [policy for policy in ours if policy in theirs]
    if not both:
        raise RecordError(f"{first} and {second}: no write policy is in both")
    before, after = ({policy: each[policy] for policy in both} for each in (ours, theirs))
    differing = compared(before, after)
    changes = ((each.path, change(before, after, each.path)) for each in differing.differences)
    numbers = {path: each for path, each in changes if each is not None}
    keys = list(_keys(first_config, second_config))
    return Diff((), keys, numbers, differing.count, ({}, {}), are_few_numbers=True)


def _kv_of(place: Path) -> tuple[dict[str, Any], Config]:
    return dict(kv_runs.rows(place)), Record.read(place).runs[0].config


def _beyond(result: Result, paths: Iterable[str]) -> dict[str, int]:
    """The samples beyond each percentile, of an operation or of a flow."""
    counts: dict[str, int] = {}
    for path in paths:
        place, _, name = path.rpartition(".")
        part, _, of = place.partition(".")
        if part == "response_us" and name in PERCENTILES:
            flow = result.document["response_us"]["flows"].get(of.removeprefix("flows."))
            requests = dig(result.document, "requests", of) if flow is None else flow["count"]
            if requests is not None:
                counts[path] = beyond(requests, name)
    return counts


def _keys(first: Config, second: Config) -> Iterable[KeyChange]:
    origins = first.origins(), second.origins()
    for key in dict.fromkeys([*first.keys(), *second.keys()]):
        values = [config[key] if key in each else None for config, each in zip((first, second), origins, strict=True)]
        if values[0] != values[1]:
            set_by = [str(each[key]) if key in each else "" for each in origins]
            yield KeyChange(key, values[0], values[1], (set_by[0], set_by[1]))


def rows_of(place: str | Path) -> list[tuple[dict[str, Any], Result]]:
    """Returns the rows of a folder's table, each with its settings; `"out/compare:2"` is the second alone.

    Raises:
        RecordError: There is no result, or no such row.
    """
    folder, number = _split(place)
    results = load(folder)
    if isinstance(results, Result):
        if number not in ("", "1"):
            raise RecordError(f"{place}: one row; name the folder alone, {folder}")
        return [({}, results)]
    seeds = _seeds(Path(folder))
    settings = [dict(each.settings) for each in results if each.result is not None][::seeds]
    rows = list(zip(settings, _rows(results, seeds), strict=True))
    if not number:
        return rows
    if not 1 <= int(number) <= len(rows):
        raise _no_row(place, folder, len(rows))
    return [rows[int(number) - 1]]


def _split(place: str | Path) -> tuple[str, str]:
    """Returns the folder of `DIR:N`, and the number, empty without one."""
    folder, colon, number = str(place).rpartition(ROW)
    return (folder, number) if colon and number.isdigit() and not is_folder(place) else (str(place), "")


def _no_row(place: str | Path, folder: str, count: int) -> RecordError:
    return RecordError(f"{place}: {count} rows; name one of them, from {folder}:1 to {folder}:{count}")


def _result(place: str | Path | Result) -> Result:
    if isinstance(place, Result):
        return place
    rows = rows_of(place)
    if len(rows) > 1:
        raise _no_row(place, str(place), len(rows))
    return rows[0][1]


def _rows(points: Results, seeds: int) -> list[Result]:
    """Returns the rows of a table: points that differ in their seed alone are one, with intervals over the seeds."""
    results = [each.result for each in points if each.result is not None]
    if seeds == 1:
        return results
    groups = [results[at : at + seeds] for at in range(0, len(results), seeds)]
    return [pooled(group) if all("bins" in each.columns for each in group) else _aggregated(group) for group in groups]


def _aggregated(group: list[Result]) -> Result:
    """Returns one result of several seeds whose bins were not kept."""
    return replace(group[0], document=aggregate([each.document for each in group]))


def _seeds(folder: Path) -> int:
    """Returns how many points of a folder follow each other that differ in their seed alone."""
    study = folder / STUDY
    return Spec.read(study).seeds if is_file(study) else 1
