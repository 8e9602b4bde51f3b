"""A sweep as a TOML file: common settings, grids, zips and seeds."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from .. import drive
from ..config import did_you_mean, full_key, parameters
from ..errors import ConfigError, ConfigFileError, StudyError, WordlineError, WorkloadError
from ..files import parse_toml, read_input
from ..fio_jobs import FioFile, fio
from ..flow_file import FlowFile, flows
from ..needs import needs_of
from ..offered_load import share_of
from ..workload import WorkloadLike, count_of
from ..workload import trace as trace_of
from . import axes
from .axes import Settings
from .engine import Watching, run_points
from .entries import ENTRIES, OWN
from .outcome import Results
from .point import Point
from .store import Store, default_folder

__all__ = ["Spec", "sweep"]

Made = TypeVar("Made")
FIO, TOML = ".fio", ".toml"
TRACE = "trace"
"""The only entry whose value may be a table; `ssd` and `workload` are also sections of the configuration."""


@dataclass(frozen=True)
class Spec:
    """A sweep that was read from a file or text.

    Attributes:
        name: The file's name, for messages.
        text: The TOML.
        folder: Base of the relative paths in it.
        table: The parsed TOML.
    """

    name: str
    text: str
    folder: Path
    table: Mapping[str, Any]

    @staticmethod
    def read(path: str | PathLike[str]) -> Spec:
        """Reads a file.

        Raises:
            ConfigFileError: It does not exist or cannot be read.
            StudyError: It is not TOML, or has unknown entries; the message names file and line.
        """
        file = Path(path)
        try:
            text = read_input(file).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not text in UTF-8"
            raise ConfigFileError(f"{file}: {reason.lower()}; check the path", file=str(file)) from None
        return Spec.parse(text, str(file), file.parent)

    @staticmethod
    def parse(text: str, name: str = "<text>", folder: Path = Path()) -> Spec:
        """Reads a text; raises the errors of `read`."""
        try:
            table = parse_toml(text)
        except tomllib.TOMLDecodeError as error:
            line = re.search(r"at line (\d+)", str(error))
            place = f"{name}:{line.group(1)}" if line else name
            raise StudyError(f"{place}: {error}", file=name, line=int(line.group(1)) if line else None) from None
        spec = Spec(name, text, folder, table)
        for key, value in table.items():
            of_section = [each for each in parameters() if each.startswith(f"{key}.")]
            if isinstance(value, Mapping) and of_section:
                where = f"below [set] as in {of_section[0]} = …, or as axes below [grid]"
                raise spec.mistake(key, f"keys of `{key}` belong to the configuration: write them {where}")
            if key not in ENTRIES:
                near = did_you_mean(key, ENTRIES)
                raise spec.mistake(key, f"unknown entry `{key}`{near}; a sweep has {_list(tuple(ENTRIES))}")
            if not ENTRIES[key].fits(value):
                raise spec.mistake(key, f"`{key}` takes {ENTRIES[key].takes}")
            if key == "seeds" and isinstance(value, list) and len(set(value)) != len(value):
                raise spec.mistake(key, f"seeds = {value}: a seed comes twice")
        if "ssd" not in table and "ssd" not in _flat(table.get("grid", {})):
            raise StudyError(f'{name}: no `ssd`; name a preset or a configuration file, as in ssd = "pnar2"', file=name)
        return spec

    def points(
        self,
        settings: Mapping[str, Any] | None = None,
        requests: int | str | None = None,
        load: str | float | None = None,
    ) -> list[Point]:
        """Returns its points, the last axis varying fastest: the grid, then the zips, then the seeds.

        Args:
            settings: Keys set for all points, over the file's.
            requests: Requests of all points, over the file's.
            load: Load of all points, over the file's.

        Raises:
            WordlineError: Axes are invalid; the message names the file and the line.
        """
        parts = [self._axes("grid", self.table.get("grid", {}), axes.grid)]
        zips = self.table.get("zip", [])
        parts += [self._axes("zip", each, axes.zipped) for each in (zips if isinstance(zips, list) else [zips])]
        seeds = self.table.get("seeds")
        if isinstance(seeds, list):
            parts.append([{"seed": seed} for seed in seeds])
        elif seeds is not None:
            parts.append(self._named("seeds", lambda: axes.seeds(seeds)))
        common = {full_key(key): value for key, value in {**self._set(), **(settings or {})}.items()}
        every = axes.cross(*parts)
        for name, given in (("requests", requests), ("load", load)):
            if given is not None and any(name in each for each in every):
                raise self.mistake(name, f"`{name}` is an axis here; leave it out on the command line")
        if "seed" in (settings or {}) and any("seed" in each for each in every):
            raise self.mistake("seeds", "the file says its seeds; leave `seed` out on the command line")
        return [self._point(common, each, requests, load) for each in every]

    @property
    def seeds(self) -> int:
        """How many seeds each point of the grid runs under; they follow each other in `points`."""
        seeds = self.table.get("seeds", 1)
        return len(seeds) if isinstance(seeds, list) else int(seeds)

    def run(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        requests: int | str | None = None,
        load: str | float | None = None,
        jobs: int | None = None,
        executor: Executor | None = None,
        store: Store | None = None,
        progress: Watching = None,
        keep_partial: bool = False,
    ) -> Results:
        """Runs its points; the first three arguments as in `points`, the others as in `run_points` and `sweep`."""
        points = self.points(settings, requests, load)
        try:
            return run_points(
                points,
                jobs=jobs,
                executor=executor,
                store=store or Store(default_folder()),
                progress=progress,
                keep_partial=keep_partial,
                group=self.seeds,
            )
        except (ConfigError, WorkloadError) as error:
            if isinstance(error, WorkloadError) and error.key is None:
                raise
            raise self.mistake(error.key or "ssd", str(error)) from None

    def _set(self) -> Settings:
        settings = self.table.get("set", {})
        used = drive.settings(self.table.get("scale"), steady=self.table.get("steady", False))
        given = self._named("set", lambda: {full_key(key): value for key, value in _flat(settings).items()})
        return {**used, **given}

    def _axes(
        self,
        name: str,
        table: object,
        combine: Callable[[Mapping[str, Any]], list[Settings]],
    ) -> list[Settings]:
        if not isinstance(table, Mapping):
            raise self.mistake(name, f"`{name}` is a table of axes, as in [{name}]")
        flat = _flat(table)
        for key, values in flat.items():
            if not isinstance(values, list):
                raise self.mistake(key, f"`{key}` is an axis: write its values in brackets, [{values}, …]")
        return self._named(name, lambda: combine(flat)) if flat else [{}]

    def _named(self, key: str, make: Callable[[], Made]) -> Made:
        """Returns the result of `make`; adds the place in this file to its errors."""
        try:
            return make()
        except WordlineError as error:
            raise self.mistake(error.key or key, str(error)) from None

    def _point(
        self, common: Settings, settings: Settings, requests: int | str | None, load: str | float | None
    ) -> Point:
        own = {name: self.table.get(name) for name in OWN} | {k: v for k, v in settings.items() if k in OWN}
        keys = {key: value for key, value in settings.items() if key not in OWN}
        ssd, labels = str(own["ssd"]), {}
        if ssd.endswith(".toml"):
            labels["ssd"] = ssd
            ssd = str(self.folder / ssd)
        workload: WorkloadLike | str = own["workload"]
        if isinstance(workload, str) and workload.endswith((FIO, TOML)):
            labels["workload"] = workload
            workload = self._file_of_flows(workload)
        if own["trace"] is not None:
            if own["workload"] is not None:
                raise self.mistake("trace", "`trace` and `workload` exclude each other; leave one of them out")
            workload = self._trace(own["trace"])
        seed = keys.pop("seed", None)
        check = bool(self.table.get("check", False))
        wanted = own["requests"] if requests is None else requests
        count = self._named("requests", lambda: count_of(wanted))
        asked = {**common, **keys}
        # What a policy of this row needs shows as a column of its own.
        needed = {n.needs: n.value for k, v in keys.items() for n in needs_of(k, v) if n.needs not in asked}
        share = own["load"] if load is None else load
        if share is not None:
            self._named("load", lambda: share_of(share))
            labels["load"] = str(share)
        return Point(ssd, {**asked, **needed}, workload, seed, count, check=check, load=share, labels=labels)

    def _file_of_flows(self, name: str) -> FioFile | FlowFile:
        path = self.folder / name
        return self._named("workload", lambda: fio(path) if name.endswith(FIO) else flows(path))

    def _trace(self, given: str | Mapping[str, Any]) -> WorkloadLike:
        options = {"path": given} if isinstance(given, str) else dict(given)
        if "path" not in options:
            raise self.mistake("trace", '`trace` has no path; write trace = "FILE", or { path = "FILE", wrap = true }')
        path = self.folder / options.pop("path")
        try:
            return trace_of(path, **options)
        except TypeError as error:
            raise self.mistake("trace", f"`trace`: {str(error).partition('() ')[2] or error}") from None

    def mistake(self, key: str, message: str) -> StudyError:
        """Returns an error at the line that first names a key."""
        last = key.rpartition(".")[2]
        pattern = re.compile(rf'^\s*\[*\s*["\']?([\w.]+\.)?{re.escape(last)}\b')
        lines = (number for number, line in enumerate(self.text.splitlines(), 1) if pattern.search(line))
        line = next(lines, None)
        place = f"{self.name}:{line}" if line else self.name
        return StudyError(f"{place}: {message}", file=self.name, line=line, key=key)


def sweep(
    spec: Spec | str | PathLike[str] | list[Point],
    *,
    jobs: int | None = None,
    executor: Executor | None = None,
    store: Store | None = None,
    progress: Watching = None,
) -> Results:
    """Runs a sweep. Finished points are stored: a second call, or one after a kill, runs only the missing ones.

    Args:
        spec: A TOML file, a `Spec`, or a list of points.
        jobs: Local processes, 1 or more; None: one per core.
        executor: Any `concurrent.futures.Executor` instead, such as Dask's `client.get_executor()`. Its workers need
            Wordline, and the same build of it.
        store: Where points are stored; None: the user's cache.
        progress: Called when it begins, after every point, and some times a second in between; True: a bar.

    Returns:
        The outcomes in the order of the points, including points that failed (`Results.failed`).

    Raises:
        WordlineError: A mistake in the file or in a point, found before the first point runs.
    """
    kept = store or Store(default_folder())
    if isinstance(spec, list):
        return run_points(spec, jobs=jobs, executor=executor, store=kept, progress=progress)
    read = spec if isinstance(spec, Spec) else Spec.read(spec)
    return read.run(jobs=jobs, executor=executor, store=kept, progress=progress)


def _flat(table: Mapping[str, Any], prefix: str = "") -> Settings:
    """Converts nested tables to dotted keys, so that `read.retry = …` and `"read.retry" = …` are the same."""
    settings: Settings = {}
    for key, value in table.items():
        if isinstance(value, Mapping) and f"{prefix}{key}" != TRACE:
            settings |= _flat(value, f"{prefix}{key}.")
        else:
            settings[f"{prefix}{key}"] = value
    return settings


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
