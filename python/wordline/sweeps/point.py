"""A point: a run or a computation, resolved before the first one starts."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..config import Config, full_key
from ..config import config as config_of
from ..config import preset as preset_of
from ..errors import ConfigError, WordlineError
from ..offered_load import OfferedLoad
from ..python_policies import pinned
from ..workload import Flow, Workload, WorkloadLike, flows_of
from ..workload import workload as workload_of

__all__ = ["LIMIT", "Computation", "Point", "RunTask", "Task", "Until", "coordinates_text"]

OWN = "workload."
LIMIT = 64
"""The last checkpoint, as a multiple of the first one's length."""


@dataclass(frozen=True)
class RunTask:
    """One resolved simulation."""

    config: Config
    flows: list[Flow]
    check: bool = False
    log_requests: bool = False
    timeline_us: tuple[float, float] | None = None
    load_state: str | None = None

    def resolve(self) -> RunTask:
        """Checks the configuration of every flow.

        Raises:
            ConfigError: A setting is invalid.
        """
        for flow in self.flows:
            if isinstance(flow.workload, Workload):
                flow.workload.config(self.config)
        return self


@dataclass(frozen=True)
class Computation:
    """A value that is computed without the simulation of a whole SSD, such as a lifetime.

    It is distributed like a run, and stored if it names a version.

    Attributes:
        function: A function of a module. It takes `arguments` as keywords and returns a dict that JSON can hold. It
            must give the same result each time: what draws at random takes a `seed`, by default 1.
        arguments: JSON values.
        labels: Names that select the result; the arguments are labels too.
        version: Increase it when the function, or Python code that it calls, gives something else. None: the result
            is not kept in a store.
    """

    function: Callable[..., dict[str, Any]]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, Any] = field(default_factory=dict)
    version: int | None = None

    @functools.cached_property
    def coordinates(self) -> dict[str, Any]:
        """The values that distinguish this point from the others."""
        return {"function": getattr(self.function, "__name__", ""), **self.arguments, **self.labels}

    def __str__(self) -> str:
        return coordinates_text(self.coordinates)

    def resolve(self) -> Computation:
        """Checks that other processes can find the function, and that its arguments can be stored.

        Raises:
            ConfigError: They cannot.
        """
        module, name = getattr(self.function, "__module__", None), getattr(self.function, "__qualname__", None)
        if getattr(sys.modules.get(str(module)), str(name), None) is not self.function:
            raise ConfigError(f"computation `{name or self.function}`: take a function that a module defines")
        try:
            json.dumps(dict(self.arguments), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"computation `{name}`: its arguments are not JSON: {error}") from None
        return self


Task = RunTask | Computation
"""The task of a worker."""


@dataclass(frozen=True)
class Until:
    """How long a point runs: twice as long at each checkpoint, until the intervals are as tight as wanted.

    Attributes:
        goals: Such as `"read.p99.99 ±2%"`, see `wordline.run_until`.
        limit: The last checkpoint, as a multiple of the point's requests, 1 or more.
        group: Points with the same group always have the same number of requests.
    """

    goals: tuple[str, ...]
    limit: int = LIMIT
    group: Hashable = None


@dataclass(frozen=True)
class Point:
    """One simulation of a study: an SSD with changed settings, a workload, a seed and a number of requests.

    Attributes:
        ssd: A preset's name, a configuration file (ends in `.toml`), or a configuration.
        settings: Values by dotted key, over the SSD. Keys of `[workload]` take precedence over those of `workload`.
        workload: A synthetic workload's name, or an argument for `wordline.run`; None: the configuration's own.
        seed: The run's seed; None: the configuration's.
        requests: Requests of every flow, unless `workload.requests` is set; None: as many as the workload or trace has.
        check: Checked mode.
        log_requests: Keep a row for each request (`Result.requests`).
        timeline_us: Keep what dies and channels do in this window (`Result.timeline`), us.
        load_state: Start on the SSD of this file, as in `wordline.run`.
        until: Goals; the run is made longer until they are met. None: it has the length that it has.
        load: The load as a share of what the drive serves at most, such as `"50%"`: `run_points` measures that with
            the first point of each workload, and all others of it get the same rate. None: as the workload says.
        labels: Further names that select the result; not part of the run.
    """

    ssd: str | Config
    settings: Mapping[str, Any] = field(default_factory=dict)
    workload: WorkloadLike | str = None
    seed: int | None = None
    requests: int | None = None
    check: bool = False
    log_requests: bool = False
    timeline_us: tuple[float, float] | None = None
    load_state: str | None = None
    until: Until | None = None
    load: str | float | OfferedLoad | None = None
    labels: Mapping[str, Any] = field(default_factory=dict)

    @functools.cached_property
    def coordinates(self) -> dict[str, Any]:
        """The values that distinguish this point: SSD, settings, workload, seed, requests and labels."""
        place: dict[str, Any] = {}
        if isinstance(self.ssd, str):
            place["ssd"] = self.ssd
        place |= {full_key(key): value for key, value in self.settings.items()}
        flows = flows_of(self.of_workload(), self.of_ssd())
        name = " + ".join(flow.workload.name or "" for flow in flows)
        given = {"workload": name or None, "seed": self.seed, "requests": self.requests}
        return place | {key: value for key, value in given.items() if value is not None} | dict(self.labels)

    def __str__(self) -> str:
        return coordinates_text(self.coordinates)

    def resolve(self) -> RunTask:
        """Returns the configuration and flows of the point.

        Raises:
            WordlineError: A mistake in SSD, settings or workload; the message names the point.
        """
        try:
            changed = dict(self.settings) if self.seed is None else {**self.settings, "seed": self.seed}
            config = self.of_ssd().set_all(changed) if changed else self.of_ssd()
            config = pinned(config)
            if isinstance(self.load, OfferedLoad):
                config = self.load.on(config)
            flows = [self._flow(flow) for flow in flows_of(self.of_workload(), config)]
            return RunTask(config, flows, self.check, self.log_requests, self.timeline_us, self.load_state).resolve()
        except WordlineError as error:
            error.args = (f"{error} (at the point {self})",)
            raise

    def of_ssd(self) -> Config:
        """Returns the configuration below the settings."""
        if isinstance(self.ssd, Config):
            return self.ssd
        # Unlike a path's own method, this takes names of any length.
        is_file = self.ssd.endswith(".toml") or "/" in self.ssd or os.path.isfile(self.ssd)  # noqa: PTH113
        return config_of(self.ssd) if is_file else preset_of(self.ssd)

    def of_workload(self) -> WorkloadLike:
        """Returns the workload as `run` takes it."""
        return workload_of(self.workload) if isinstance(self.workload, str) else self.workload

    def _flow(self, flow: Flow) -> Flow:
        """Sets the flow's requests; the settings' keys of `[workload]` take precedence over the workload's."""
        keys = (full_key(key) for key in self.settings)
        own = {key.removeprefix(OWN) for key in keys if key.startswith(OWN)}
        if isinstance(flow.workload, Workload) and own:
            given = {key: value for key, value in flow.workload.settings if key not in own}
            flow = replace(flow, workload=Workload(flow.workload.name, tuple(given.items())))
            if "requests" in own:
                return flow
        return flow if self.requests is None else flow.limited(self.requests)


def coordinates_text(coordinates: Mapping[str, Any]) -> str:
    """Returns coordinates in one line."""
    return ", ".join(f"{key}={value}" for key, value in coordinates.items())
