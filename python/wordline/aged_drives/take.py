"""Preconditioning: a drive of this process, one from the store, or one that is aged now and kept."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import NamedTuple

from .. import _core
from ..config import Config
from ..drive import ages_until_level
from ..files import content_hash
from ..output.drive_name import drive_name, scaled
from ..progress import AGING, Progress, ProgressCallback, Report, Stages, raw_aging
from .store import SUFFIX, VARIABLE, Store, ago
from .turn import Turn

__all__ = ["precondition"]

# Increase this number when a file holds something else.
FORMAT = 1
WORTH_S = 2.0
"""A drive is kept if aging it took as long, s: to load a smaller one takes about as long as to age it."""
NOT_KEPT = "the aged drive is not kept for another time"
LOOK_S = 0.1
"""Wall time between two looks whether another process has aged the drive, s."""


class _Wanted(NamedTuple):
    """The drive that a run begins with.

    Attributes:
        key: What it depends on, but for the simulator and the content of traces, which take longer to look at.
        text: The same, whole.
        traces: Files whose content counts, too.
        drive: The name of the SSD.
    """

    key: str
    text: str
    traces: list[str]
    drive: str

    def name(self) -> str:
        """Returns the hash of all that the drive depends on.

        Raises:
            OSError: A trace cannot be read.
        """
        parts = [FORMAT, _engine(), self.text, [content_hash(path) for path in self.traces]]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def path(self, store: Store, name: str) -> Path:
        """Returns its file."""
        return store.folder / f"{self.key}-{name[:16]}{SUFFIX}"

    def versions(self) -> list[tuple[int, int, int]] | None:
        """Returns what changes when traces do; None where one is gone."""
        try:
            return [_state_of(path) for path in self.traces]
        except OSError:
            return None


def _state_of(path: str) -> tuple[int, int, int]:
    state = Path(path).stat()
    return state.st_ino, state.st_size, state.st_mtime_ns


_LOADED = _state_of(str(_core.__file__))
"""The compiled simulator as it was loaded: a build may have put another one in its place since."""


def _engine() -> str:
    """Returns the hash of the compiled simulator of this process.

    Raises:
        OSError: Its file is another one now.
    """
    digest = content_hash(str(_core.__file__))
    if _state_of(str(_core.__file__)) != _LOADED:
        raise OSError("the compiled part of Wordline has been replaced since this process began")
    return digest


def precondition(
    simulation: _core.Simulation,
    config: Config,
    callback: ProgressCallback | None,
    drives: _core.Drives | None = None,
) -> None:
    """Preconditions an SSD: takes the drive that this process or the store has kept, or ages it, and keeps it.

    Results are the same. What is to be said of the store comes to the callback, as `Progress.note`.

    Args:
        simulation: The SSD, new.
        config: Its configuration.
        callback: Is told of the progress.
        drives: Keeps the last drive of this process.

    Raises:
        WordlineError: As for `wordline.run`.
    """
    stages = _stages(config)
    report = raw_aging(callback, stages)
    store = Store.of_user()
    if drives is None or not simulation.take_aged(drives):
        key = None if store.is_off else simulation.aged_key()
        if key is None:
            simulation.age(report, drives)
        else:
            short = hashlib.sha256(key[0].encode()).hexdigest()[:16]
            wanted = _Wanted(short, *key, drive_name(config) + scaled(config))
            note = _from_store_or_new(simulation, store, wanted, report, drives)
            if note and callback is not None:
                callback(Progress("precondition", 1.0, 0, 0.0, 0.0, note))
    simulation.age_with_time(raw_aging(callback, stages._replace(part=stages.parts)))


def _stages(config: Config) -> Stages:
    """Returns the parts of preconditioning."""
    if not ages_until_level(config):
        return Stages()
    fill = config["precondition.fill"]
    if fill == "lazy" or not fill:
        return Stages(2, len(AGING))
    # The core counts the fill and as much as the whole drive of overwrites, not knowing how many there will be.
    return Stages(1, len(AGING), fill_ends_at=fill / (1.0 + fill))


def _from_store_or_new(
    simulation: _core.Simulation, store: Store, wanted: _Wanted, report: Report | None, drives: _core.Drives | None
) -> str:
    """Gives the SSD its drive; returns what is to be said of it."""
    is_there, note = _take(simulation, store, wanted, drives)
    if is_there:
        return note
    turn = Turn(store.turn(wanted.key))
    try:
        if _has_waited(turn, report):
            # Those that wait need not do so for each other: it is kept, or nobody keeps it.
            turn.end()
        # Another process may have kept it since.
        is_there, more = _take(simulation, store, wanted, drives)
        if is_there:
            return more
        note = more or note
        before = wanted.versions()
        begun = time.perf_counter()
        simulation.age(report, drives)
        took_s = time.perf_counter() - begun
        return (_keep(simulation, store, wanted, took_s, before) if took_s >= WORTH_S else "") or note
    finally:
        turn.end()


def _has_waited(turn: Turn, report: Report | None) -> bool:
    """Waits while another process ages the drive; returns whether one did."""
    waits = False
    while not turn.take():
        waits = True
        time.sleep(LOOK_S)
        if report is not None:
            report(None, 0, 0)
    return waits


def _take(simulation: _core.Simulation, store: Store, wanted: _Wanted, drives: _core.Drives | None) -> tuple[bool, str]:
    """Takes the drive from the store; returns whether it was there, and what is to be said."""
    if not store.files(wanted.key):
        return False, ""
    try:
        name = wanted.name()
    except OSError:
        # Why is said where the drive cannot be kept either.
        return False, ""
    path = wanted.path(store, name)
    if not path.is_file():
        return False, ""
    why = simulation.load_aged(os.fspath(path), name, drives)
    if why is not None:
        _remove(path)
        return False, f"{path}: {why}; the drive is aged anew"
    try:
        at_s = float(json.loads(_core.about_aged(os.fspath(path)))["at_s"])
        os.utime(path)
    except (OSError, ValueError, KeyError, TypeError):
        # Another process may have removed it since.
        return True, "drive from the store"
    return True, f"drive from the store, aged {ago(time.time() - at_s)}"


def _keep(
    simulation: _core.Simulation,
    store: Store,
    wanted: _Wanted,
    took_s: float,
    before: list[tuple[int, int, int]] | None,
) -> str:
    """Keeps the drive; returns what is to be said."""
    about = json.dumps({"drive": wanted.drive, "at_s": round(time.time()), "took_s": round(took_s, 1)})
    try:
        name = wanted.name()
    except OSError as problem:
        return f"{NOT_KEPT}: {problem}"
    if before is None or wanted.versions() != before:
        # Nobody knows which content it was aged by.
        return ""
    path = wanted.path(store, name)
    try:
        store.prepare()
        simulation.save_aged(os.fspath(path), name, about, store.bytes_max)
        store.make_room(path)
    except OSError as problem:
        return f"{NOT_KEPT}: {_why(problem, store)}"
    return ""


def _why(problem: OSError, store: Store) -> str:
    if problem.errno is None and "too large" in str(problem):
        return f"it is larger than {store.bytes_max / 1e9:.3g} GB, the limit of all; {VARIABLE} sets another one"
    return f"{store.folder}: {problem.strerror or problem}"


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return
