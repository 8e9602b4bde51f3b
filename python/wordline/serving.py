"""A simulated SSD as a block device for other programs."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path as FilePath
from pathlib import PurePath
from typing import Any, Literal

from . import _core, aged_drives
from .api import description, outcome
from .config import Config
from .errors import ServeError, StateError, WordlineError
from .inputs import clash, inputs_of
from .memory import check_tables_fit
from .progress import ProgressCallback, reporting
from .python_policies import pinned
from .result import Result
from .state import loaded
from .workload import Flow, Trace, live_form

__all__ = ["Status", "serve"]

Path = str | PathLike[str]

SOCKET = "wordline.sock"
"""Where a server listens unless told otherwise."""


@dataclass(frozen=True)
class Status:
    """How a session goes. Rates and percentiles are of the time since the status before.

    Attributes:
        clients: Clients that are connected.
        requests: Requests answered so far.
        queue: Requests under way.
        simulated_s: Simulated time, s.
        wall_iops: Requests answered in a second of wall time.
        iops: Requests answered in a simulated second.
        p99_us: 99th percentile of the response time, us of simulated time.
        write_amplification: Since the beginning; 0 before the first page is programmed.
        gc_jobs: Garbage collection's jobs so far.
        erases: Erases so far.
        slow_down: Wall seconds that a simulated second takes; 0 in virtual time.
        late_share: By how much answers come late in the mean, over the mean response.
    """

    clients: int
    requests: int
    queue: int
    simulated_s: float
    wall_iops: float
    iops: float
    p99_us: float
    write_amplification: float
    gc_jobs: int
    erases: int
    slow_down: float
    late_share: float


def serve(
    config: Config,
    *,
    socket: Path | None = None,
    listen: str | None = None,
    slow_down: float | None = 1.0,
    record: Path | None = None,
    store: Path | None = None,
    sync: Literal["flush", "end"] = "flush",
    once: bool = False,
    clients_max: int = 16,
    fails_uncorrectable: bool = False,
    check: bool = False,
    log_requests: bool = False,
    ready: Callable[[str], object] | None = None,
    status: Callable[[Status], bool] | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Result:
    """Serves an SSD as a block device over NBD, until Ctrl-C, and returns what `run` would.

    Results are in simulated time, whatever the wall clock says. A replay of the record gives the same ones.

    Args:
        config: The SSD. `power.cut_at_s` cuts the power, in simulated time from the first request on; clients then find
            their connections closed, and may connect again.
        socket: The Unix socket to listen at, for its owner alone; by default `wordline.sock` in the working folder.
        listen: A TCP address instead, such as `127.0.0.1:10809`; port 0 takes any that is free.
        slow_down: Wall seconds that a simulated second takes. 0: as fast as possible, in virtual time. None: a number
            that grows until this machine keeps up.
        record: Write the session to this file, as a native trace.
        store: Keep the data in this file, and find them there next time; None: in memory. It is the plain image of the
            device. What the SSD has been through (wear, mapping, clock) is kept beside it, in a file of the same name
            with `.state` behind it, and goes on, too.
        sync: When the store's file is synced: `flush`, before each flush and each write with FUA is answered, so that a
            crash of this machine does not lose what they promise; or `end`, which takes no time of a flush.
        once: End when the last client that asked for something has left, and none comes in the half second after it.
        clients_max: Clients at a time, 1 or more.
        fails_uncorrectable: A read of a page that cannot be decoded fails with EIO.
        check: As for `run`.
        log_requests: As for `run`.
        ready: Called with the URI for clients, once the server listens and the SSD is preconditioned.
        status: Called ten times a second; the session ends when it returns False.
        progress: As for `run`, while the SSD is preconditioned.

    Raises:
        ServeError: A socket or a file that cannot be opened or is in use, or a setting that makes no sense here.
        WordlineError: As for `run`.
    """
    _check(config, clients_max)
    if sync not in {"flush", "end"}:
        raise ServeError(f"sync = {sync}: write flush or end")
    _check_outputs(config, socket, record, store)
    # A replay must not take a session of one moment for a closed loop.
    config = pinned(config.set("host.mode", "open"))
    if not hasattr(_core, "Server"):
        raise ServeError("wordline serve needs Linux or macOS")
    if socket is None and listen is None:
        socket = SOCKET
    server = _core.Server(
        config.core,
        socket=None if socket is None else fspath(socket),
        listen=listen,
        description=f"an SSD simulated by Wordline {_core.__version__}, configuration {config.hash[:12]}",
        slow_down=slow_down,
        record=None if record is None else fspath(record),
        store=None if store is None else fspath(store),
        sync_at_flush=sync == "flush",
        once=once,
        clients_max=clients_max,
        fails_uncorrectable=fails_uncorrectable,
    )
    # A session has the name of its record: a replay of the record has the same name.
    name = "session" if record is None else PurePath(record).name
    flow = live_form(name, config)
    check_tables_fit(config, check=check)
    simulation = _core.Simulation(config.core, json.dumps([flow]), check=check, log_requests=log_requests)
    wall_precondition_s = 0.0
    drive, warnings = None, []
    if store is not None and state_of(store).exists():
        warnings = _warnings(store)
        drive = _used(simulation, store, record)
    elif simulation.needs_preconditioning():
        start = time.perf_counter()
        with reporting(progress) as callback:
            aged_drives.precondition(simulation, config, callback)
        wall_precondition_s = time.perf_counter() - start
    if ready is not None:
        ready(server.address())
    report = None if status is None else (lambda fields: status(Status(**fields)))
    session: Any = json.loads(server.serve(simulation, report))
    options: dict[str, Any] = {"check": check, "log_requests": log_requests, "timeline_us": None}
    if drive is not None:
        options["load_state"] = drive
    # A session with a record is described as `run` describes a replay of it.
    is_recorded = record is not None and session["record_failure"] is None
    replayed = flow if record is None or not is_recorded else Flow(name, Trace((fspath(record),))).form(config)
    workload = description([replayed])
    document, tables = outcome(simulation, config, options, workload, session["wall_s"], wall_precondition_s)
    document["warnings"] += [*warnings, *session.pop("warnings")]
    document["wall_session"] = session
    if record is not None and not is_recorded:
        document["warnings"].append(f"{fspath(record)}: {session['record_failure']}; this result has no record")
    if store is not None:
        failure = session["store_failure"] or _save_state(simulation, store)
        if failure is not None:
            session["store_failure"] = failure
            document["warnings"].append(
                f"{fspath(store)}: {failure}; the store does not have all that was written, and the state of its SSD "
                "is that of an earlier session"
            )
    return Result(document, tables, config)


def _check_outputs(config: Config, socket: Path | None, record: Path | None, store: Path | None) -> None:
    """Checks that a session writes nothing in the place of a file of the configuration, or of another of its own.

    Raises:
        ServeError: It would.
    """
    named = inputs_of(config)
    state = None if store is None else state_of(store)
    outputs = {"store": store, "the state of the store's SSD": state, "record": record, "socket": socket}
    for owner, path in outputs.items():
        if path is None:
            continue
        if (why := clash(path, named)) is not None:
            raise ServeError(f"{fspath(path)}: {owner} {why}; name another file", file=fspath(path))
        named.append((fspath(path), owner))


def _save_state(simulation: _core.Simulation, store: Path) -> str | None:
    """Saves the state of the SSD behind a store; says why where that cannot be. The results are there in any case."""
    try:
        simulation.put_away()
        simulation.save(fspath(state_of(store)))
    except WordlineError as error:
        return str(error)
    return None


def state_of(store: Path) -> FilePath:
    """Where the state of the SSD behind a store is kept."""
    return FilePath(f"{fspath(store)}.state")


def _warnings(store: Path) -> list[str]:
    """Where data and state do not belong together."""
    if FilePath(store).stat().st_mtime_ns <= state_of(store).stat().st_mtime_ns:
        return []
    what = "was written after the state of its SSD was saved, by a session that was killed or by another program"
    return [f"{fspath(store)} {what}; the SSD goes on as it was then"]


def _used(simulation: _core.Simulation, store: Path, record: Path | None) -> dict[str, Any] | None:
    """Lets the SSD go on from where its last session ended. A record gets a copy, since a replay begins there."""
    state = state_of(store)
    if record is not None:
        state = _copied(state, state_of(record))
    try:
        with loaded(simulation, state) as restored:
            return restored.decides
    except StateError as error:
        raise StateError(
            f"{error}, or remove it: the SSD then begins as it is configured, with the same data", file=error.file
        ) from None


def _copied(state: FilePath, to: FilePath) -> FilePath:
    """Copies a state, or leaves nothing."""
    try:
        shutil.copyfile(state, to)
    except OSError as error:
        to.unlink(missing_ok=True)
        raise ServeError(
            f"{to}: {error.strerror}: a record needs a copy of the state of its SSD; make room, or leave --record out"
        ) from None
    return to


def _check(config: Config, clients_max: int) -> None:
    for key, why in config.core.live_conflicts():
        # The power of a session may be cut: its clients see it.
        if key != "power.cut_at_s":
            raise ServeError(why)
    if clients_max < 1:
        raise ServeError(f"clients_max = {clients_max}: at least one client has to be let in")
