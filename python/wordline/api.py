"""One run."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core, aged_drives
from .config import Config, preset
from .drive import as_wanted
from .errors import ConfigError, EventsError, StateError, StorageFullError, TraceTargetError, WorkloadError
from .fitted import warnings_of_fit
from .inputs import clash, inputs_of
from .memory import check_tables_fit
from .offered_load import OfferedLoad, measured
from .output.workplace import undisturbed
from .parquet_trace import readable
from .progress import Progress, ProgressCallback, Stoppable, raw, reporting
from .python_policies import bound
from .python_policies import warnings as warnings_of_policies
from .result import SCHEMA_VERSION, Result
from .state import Loaded, PathLike, Saving, loaded
from .stats import (
    steady_as_known,
    steady_of_run,
    uncertainty_of_run,
    warnings_of_bursts,
    warnings_of_keys,
    warnings_of_phases,
    warnings_of_run,
    warnings_of_short_flows,
)
from .workload import FioJob, Flow, Workload, WorkloadLike, flows_of, limited

if TYPE_CHECKING:
    from .document import Document
    from .events import EventsLike

__all__ = ["offered_load", "run"]

ALWAYS_NS = 2**62
"""The end of simulated time."""

Forms = Sequence[Mapping[str, Any]]
"""Flows in the form of a result."""


def run(
    config: Config | str,
    workload: WorkloadLike = None,
    *,
    requests: int | str | None = None,
    scale: str | float | None = None,
    steady: bool = False,
    seed: int | None = None,
    load: str | float | OfferedLoad | None = None,
    policies: Mapping[str, object] | None = None,
    check: bool = False,
    log_requests: bool = False,
    timeline_us: tuple[float, float] | None = None,
    events: EventsLike | None = None,
    keep_partial: bool = False,
    load_state: PathLike | None = None,
    go_on: bool = False,
    save_state: PathLike | None = None,
    save_every_s: float | None = None,
    loading: Callable[[Loaded], object] | None = None,
    finishing: Callable[[Result], object] | None = None,
    drives: _core.Drives | None = None,
    write_iologs: bool = True,
    replace_iologs: bool = False,
    progress: bool | ProgressCallback | None = None,
) -> Result:
    """Simulates one SSD under one workload.

    Args:
        config: The SSD and its host, from `preset` or `config`, or the name of a preset.
        workload: A trace, a synthetic workload or its name, a flow, or several flows; None: the configuration's own
            `[workload]`.
        requests: So many requests of each flow, such as `10_000` or `"10k"`, of a trace at most; None: as many as it
            has.
        scale: The part of the drive that is simulated, such as `"1/64"` (`ssd.scale`); None: as the configuration says.
        steady: Begin with a drive at the equilibrium of its workload: full, and overwritten until write amplification
            is flat (`precondition.overwrite="steady"`).
        seed: The seed of everything random; None: as the configuration says, 1 by default.
        load: The load as a share of what the drive serves at most, such as `"50%"`: a closed loop of the same length
            measures that first, see `offered_load`. For one synthetic workload.
        policies: Policies in Python by their slot, for trying out, such as `{"gc": MyGreedy()}`: an object, a class, or
            `"MODULE:NAME"`. Slots: gc, wear_levelling, refresh, folding, placement.
        check: Checked mode: compares every read with a second record of what was written. Slower.
        log_requests: Keep a row for each request (`Result.requests`): about 40 bytes of memory each.
        timeline_us: Keep the activity of dies and channels between two simulated times, us (`Result.timeline`).
        events: Where requests, flash operations and jobs go while the run goes on, as Arrow batches: a callable, a new
            folder for Parquet files, or `Events` with columns chosen. Memory stays bounded.
        keep_partial: On Ctrl-C, or if `progress` raises an exception, return the results so far, with
            `document["partial"]` true and a warning, instead of raising an error.
        load_state: A file that `save_state` wrote, instead of preconditioning. The state of a stopped run continues
            that run, and the result is that of a run without a stop. The state of a finished run is its SSD, worn and
            full as it is: this run starts on it, at time 0 of its own.
        go_on: Start on that SSD also if the finished run had the same configuration and options as this one. Without
            it such a state is refused: most often it is the same command, given once more by mistake.
        save_state: Write the state to this file when the run ends, and when Ctrl-C stops it.
        save_every_s: Also write it at this interval of wall time, s, so that little is lost if the process is killed.
        loading: Called with the loaded state, before the run.
        finishing: Called with the result before fio's logs are written, and also if the state cannot be saved. If it
            raises an exception, there are no logs.
        drives: Keeps the preconditioned SSD in memory for the next run that would write the same. Results are the same.
        write_iologs: Write what the run submitted as fio's logs, if jobs of fio name files for it (`write_iolog`).
        replace_iologs: Such a log may take the place of a file that is there.
        progress: True for a bar on the terminal, or a callable that gets a `Progress` about ten times a second.

    Raises:
        WordlineError: A mistake in configuration, trace or workload, or an SSD that runs out of space; each kind has
            its own class in `wordline.errors`.
        EventsError: The events name what does not exist, or do not go with another argument.
        PolicyError: A policy in Python failed, or returned what is not allowed.
        TraceTargetError: A file is where a log of fio's is to go.
        StateError: A state that is damaged, or of another version or SSD; the message names the key.
        KeyboardInterrupt: Ctrl-C stops a run within a fraction of a second; see `keep_partial`.
    """
    if isinstance(config, str):
        config = preset(config)
    if not isinstance(config, Config):
        raise ConfigError(
            f"a {type(config).__name__} is no configuration; use wordline.preset(…) or wordline.config(…)"
        )
    config = bound(as_wanted(config, scale, steady=steady, seed=seed), policies)
    saving = Saving.of(save_state, save_every_s)
    workload = limited(workload, requests, config)
    if load is not None:
        if load_state is not None:
            raise StateError("load and load_state: the load is measured on a drive as it begins; leave one of them out")
        config = _offered(config, workload, load, progress).on(config)
    flows = flows_of(workload, config)
    if not write_iologs:
        flows = [flow.without_log() for flow in flows]
    _check_iologs(flows, replace_iologs)
    effective, forms = resolved(config, flows)
    stream, kinds = None, {}
    if events is not None:
        from .events import events_of, opened

        stream = events_of(events)
        kinds = stream.columns()
        _check_stream(
            kinds, log_requests=log_requests, timeline=timeline_us is not None, saves=save_every_s is not None
        )
    _check_outputs(None if saving is None else saving.path, load_state, effective, forms)
    if stream is not None and not callable(stream.to):
        named = inputs_of(effective, forms)
        named += [
            (os.fspath(each), name) for each, name in ((load_state, "load_state"), (save_state, "save_state")) if each
        ]
        if (why := clash(stream.to, named)) is not None:
            raise EventsError(f"{stream.to}: the folder of events {why}; name another one", file=str(stream.to))
    check_tables_fit(effective, check=check)
    simulation = _core.Simulation(
        effective.core,
        json.dumps([readable(form) for form in forms]),
        check=check,
        log_requests=log_requests or "requests" in kinds,
        timeline_ns=(0, ALWAYS_NS) if "flash" in kinds else _window(timeline_us),
        log_jobs="jobs" in kinds,
    )
    wall_precondition_s = 0.0
    drive = None
    is_partial = False
    unsaved: StorageFullError | None = None
    with ExitStack() as end:
        given = None if stream is None else end.enter_context(opened(stream))
        with ExitStack() as stack:
            callback = stack.enter_context(reporting(progress))
            watch = Stoppable(callback) if keep_partial and callback is not None else None
            state = None if load_state is None else stack.enter_context(loaded(simulation, load_state, go_on=go_on))
            if state is not None and loading is not None:
                loading(state)
            if state is None and simulation.needs_preconditioning():
                start = time.perf_counter()
                aged_drives.precondition(simulation, effective, callback, drives)
                wall_precondition_s = time.perf_counter() - start
            start = time.perf_counter()
            try:
                meanwhile = None if saving is None else saving.meanwhile
                simulation.run(raw(watch or callback), save=meanwhile, events=given)
                heard = end.enter_context(undisturbed())
            except KeyboardInterrupt:
                # When all requests are complete, the result is whole.
                is_partial = not simulation.is_over()
                if saving is not None and (is_partial or not keep_partial):
                    unsaved = _save(simulation, saving, finishing)
                if not keep_partial:
                    raise
                heard = end.enter_context(undisturbed())
            wall_s = time.perf_counter() - start
            drive = None if state is None else state.decides
            if saving is not None and not is_partial:
                unsaved = _save(simulation, saving, finishing)
        options: dict[str, Any] = {
            "check": check,
            "log_requests": log_requests,
            "timeline_us": None if timeline_us is None else list(timeline_us),
        }
        if drive is not None:
            options["load_state"] = drive
        document, tables = outcome(simulation, effective, options, description(forms), wall_s, wall_precondition_s)
        if stream is not None:
            # What is left in them is no table of the run.
            tables = {name: columns for name, columns in tables.items() if name not in ("requests", "timeline")}
        if is_partial:
            document["partial"] = True
            served = document["requests"]["all"] + document["requests"]["warmup"]
            why = "interrupted" if watch is None else watch.why
            document["warnings"].append(f"{why}: a part of the run, {served:,} requests")
        if keep_partial:
            # It is what a signal is to leave.
            heard.clear()
        result = Result(document, tables, effective)
        try:
            if finishing is not None:
                finishing(result)
            _write_iologs(simulation, flows, replace=replace_iologs)
        finally:
            if unsaved is not None:
                raise unsaved
        return result


def offered_load(
    config: Config | str,
    workload: WorkloadLike = None,
    load: str | float = 1.0,
    *,
    requests: int | str | None = None,
    scale: str | float | None = None,
    steady: bool = False,
    seed: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> OfferedLoad:
    """Measures what a drive serves at most of a workload, and returns a share of it as a load.

    The most is the rate of a closed loop: `host.queue_depth` requests are outstanding all the time. A deeper queue may
    give more. With `steady` the loop leaves out what rest after aging has won, and runs until its rate is known within
    5 % and write amplification is steady, for up to eight times the requests. The load goes to `run` and `compare` as
    `load=`.

    Args:
        config: As for `run`.
        workload: One synthetic workload, as for `run`.
        load: The share, such as `"50%"` or 0.5.
        requests: The length of the closed loop, as for `run`.
        scale: As for `run`.
        steady: As for `run`.
        seed: As for `run`.
        progress: As for `run`.

    Raises:
        WorkloadError: The share is none, or the requests have times of their own.
        WordlineError: See `run`.
    """
    config = as_wanted(preset(config) if isinstance(config, str) else config, scale, steady=steady, seed=seed)
    return _offered(config, limited(workload, requests, config), load, progress)


def _offered(
    config: Config,
    workload: WorkloadLike,
    load: str | float | OfferedLoad,
    progress: bool | ProgressCallback | None,
) -> OfferedLoad:
    number = 0
    with reporting(progress) as callback:

        def tell(now: Progress) -> None:
            # A drive of the store is said of the first run; the others begin with the same.
            if callback is not None and (number == 1 or not now.note):
                callback(replace(now, load_run=number))

        def measure(config: Config, flow: Flow) -> Result:
            nonlocal number
            number += 1
            return run(config, flow, progress=None if callback is None else tell)

        return measured(config, workload, load, measure)


def _save(
    simulation: _core.Simulation, saving: Saving, finishing: Callable[[Result], object] | None
) -> StorageFullError | None:
    """Saves the state; returns the error, if there is one and the result can still be told before it is raised."""
    try:
        simulation.save(os.fspath(saving.path))
    except StorageFullError as problem:
        if finishing is None:
            raise
        return problem
    return None


def _check_outputs(place: Path | None, loaded_from: PathLike | None, config: Config, forms: Forms) -> None:
    """Checks before the run that what it writes takes the place of nothing that it reads, or writes elsewhere.

    Raises:
        StateError: The state would.
        TraceTargetError: A log of fio's would.
    """
    named = inputs_of(config, forms)
    logs = list(dict.fromkeys(log for form in forms if (log := form.get("fio", {}).get("iolog")) is not None))
    fix = "name another file"
    if place is not None and (why := clash(place, [*named, *((log, "write_iolog") for log in logs)])) is not None:
        raise StateError(f"{place}: the state {why}; {fix}", file=str(place))
    if loaded_from is not None:
        named.append((os.fspath(loaded_from), "load_state"))
    for log in logs:
        if (why := clash(log, named)) is not None:
            raise TraceTargetError(f"{log}: the log of fio's {why}; {fix}", file=log)


def _check_stream(kinds: Mapping[str, object], *, log_requests: bool, timeline: bool, saves: bool) -> None:
    """Checks that nothing else wants the rows of an event stream.

    Raises:
        EventsError: Something does.
    """
    for clashes, what in (
        (log_requests and "requests" in kinds, "log_requests keeps the requests"),
        (timeline and "flash" in kinds, "timeline_us keeps flash operations"),
        (saves, "save_every_s saves states that lack the events before them"),
    ):
        if clashes:
            raise EventsError(f"events: {what}; leave one of them out")


def _iologs(flows: Sequence[Flow]) -> list[str]:
    """Returns the files for fio's logs, each once."""
    jobs = (each.workload for each in flows)
    return list(dict.fromkeys(job.iolog for job in jobs if isinstance(job, FioJob) and job.iolog is not None))


def _write_iologs(simulation: _core.Simulation, flows: Sequence[Flow], *, replace: bool) -> None:
    """Writes fio's logs; if one cannot be written, none is left that was not there."""
    new = [Path(log) for log in _iologs(flows) if not os.path.lexists(log)]
    try:
        simulation.write_iologs(force=replace)
    except BaseException:
        for log in new:
            log.unlink(missing_ok=True)
        raise


def _check_iologs(flows: Sequence[Flow], replace: bool) -> None:
    """Checks before the run that no log of fio's would take the place of something else.

    Raises:
        TraceTargetError: Something is there, and must not be replaced.
    """
    for log in _iologs(flows):
        if not os.path.lexists(log):
            continue
        if Path(log).is_symlink() or not Path(log).is_file():
            raise TraceTargetError(
                f"{log}: is no plain file, and a log does not replace it; name another one", file=log
            )
        if not replace:
            fix = "name another one, or replace it with --replace-iologs (replace_iologs=True)"
            raise TraceTargetError(f"{log}: is there already; {fix}", file=log)


def drive_number(config: Config, flows: Sequence[Flow]) -> int | None:
    """Returns a number that runs share which write the same before they begin; None if a run shares it with none.

    See `drives` of `run`. It takes far less than a millisecond.
    """
    effective, forms = resolved(config, flows)
    return _core.Drives.number(effective.core, json.dumps([readable(form) for form in forms]))


def outcome(
    simulation: _core.Simulation | _core.Drive,
    config: Config,
    options: dict[str, Any],
    workload: dict[str, Any],
    wall_s: float,
    wall_precondition_s: float,
) -> tuple[Document, dict[str, Any]]:
    """Returns the document and the tables of a finished simulation."""
    measured: dict[str, Any] = json.loads(simulation.document())
    served = measured["requests"]["all"] + measured["requests"]["warmup"]
    document: Any = {
        "schema_version": SCHEMA_VERSION,
        "wordline": _core.__version__,
        "config_hash": config.hash,
        "options": options,
        "workload": workload,
        **measured,
        "wall_s": wall_s,
        "wall_requests_per_s": served / wall_s if wall_s > 0 else 0.0,
        "wall_precondition_s": wall_precondition_s,
        "warnings": [],
    }
    tables = simulation.tables()
    document["steady"] = steady_of_run(document, tables)
    document["uncertainty"] = uncertainty_of_run(document, tables)
    document["steady"] = steady_as_known(document)
    document["warnings"] = _warnings(config, simulation, document, tables)
    return document, tables


def _warnings(
    config: Config, simulation: _core.Simulation | _core.Drive, document: Document, tables: dict[str, Any]
) -> list[str]:
    """Returns what is to be said of a run: first what changes its answer, last what is the same in every such run."""
    of_core = simulation.warnings()
    first = [line for line in of_core if line not in config.model]
    if config["slc.policy"] != "off":
        first += warnings_of_phases(tables, config["ssd.scale"])
    keys = warnings_of_keys(config, document, simulation.replays())
    last = [line for line in of_core if line in config.model]
    return [
        *warnings_of_fit(config, document),
        *warnings_of_run(document),
        *warnings_of_bursts(tables),
        *warnings_of_short_flows(document, tables),
        *first,
        *keys,
        *config.warnings,
        *warnings_of_policies(config),
        *last,
    ]


def resolved(config: Config, flows: Sequence[Flow]) -> tuple[Config, list[dict[str, Any]]]:
    """Returns the run's configuration, and the form of each flow."""
    configs = [_flow_config(config, flow, number) for number, flow in enumerate(flows)]
    forms = [flow.form(own) for flow, own in zip(flows, configs, strict=True)]
    # With a single workload the configuration is complete: running it alone gives the same result.
    return configs[0] if len(configs) == 1 else config, forms


def _flow_config(config: Config, flow: Flow, number: int) -> Config:
    if not isinstance(flow.workload, Workload):
        return config
    own_config = flow.config(config)
    if number == 0 or "seed" in dict(flow.workload.settings):
        return own_config
    # Two flows of one workload must not request the same places at the same times.
    return own_config.set("workload.seed", own_config["workload.seed"] + number)


def _window(timeline_us: tuple[float, float] | None) -> tuple[int, int] | None:
    if timeline_us is None:
        return None
    start, end = timeline_us
    if not 0 <= start < end < 2**63 / 1000:
        raise WorkloadError(f"timeline_us = ({start}, {end}): give a time from 0 on and a later one, in us")
    return round(start * 1000), round(end * 1000)


def description(flows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns what a result says of its workload, of the forms of its flows."""
    return {
        "name": " + ".join(each["name"] for each in flows),
        "source": "; ".join(dict.fromkeys(each["source"] for each in flows)),
        "synthetic": any(each["synthetic"] for each in flows),
        "flows": list(flows),
    }
