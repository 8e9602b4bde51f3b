"""What a drive did before each measured load: jobs like those of the load, of other kinds, one kind after the other.

A job of fio has the same addresses in each of its runs, so it reads what it wrote before in the same order. What it
wrote at one time lies in one program, on one die: its reads wait for each other.
"""

from __future__ import annotations

import hashlib
import math
import shutil
import threading
import weakref
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import mkdtemp

from ..api import run
from ..config import Config
from ..errors import WorkloadError
from ..measured import Load, Point
from ..measured.kind import kind_of
from ..progress import ProgressCallback
from ..workload import Flow
from .flows import UNRATED_BYTES_S, Length, rate_of, window_of
from .jobs import jobs_for

__all__ = ["History", "UsedDrives"]

SURPLUS = 2.0
"""A history writes so many times the addresses that the measured rate asks for: a drive that is tried may be faster."""
KEPT_BYTES = 2e9
"""Used drives take at most about so much disk."""


@dataclass(frozen=True)
class History:
    """Kinds of load that came before each measured one, in order, each with the jobs of that one.

    Attributes:
        kinds: Their names, such as `randwrite` or `randrw5` (5 % reads).
        settings: What the drive has meanwhile in place of its own, so that drives that differ in these share a history.
    """

    kinds: tuple[str, ...]
    settings: tuple[tuple[str, object], ...] = ()

    @staticmethod
    def of(kinds: Sequence[str], settings: Mapping[str, object] | None = None) -> History | None:
        """Returns the history of some kinds; None where there are none.

        Raises:
            WorkloadError: One is no kind of load.
        """
        for each in kinds:
            if kind_of(each) is None:
                raise WorkloadError(
                    f"`{each}` is no kind of load in a history; write randwrite, randrw5 (5 % reads), write, ..."
                )
        return History(tuple(kinds), tuple((settings or {}).items())) if kinds else None

    def drive(self, config: Config) -> Config:
        """Returns the drive that a history runs on.

        Raises:
            WorkloadError: It is aged: that would be another history.
        """
        if config["precondition.overwrite"]:
            raise WorkloadError(
                "a history says what was written before: leave out --steady and precondition.overwrite, which write "
                "at random"
            )
        return config.set_all(dict(self.settings))

    def runs(self, drive: Config, point: Point, length: Length) -> list[list[Flow]]:
        """Returns the flows of each kind, for a point's load on a drive."""
        window = window_of(point, drive, length)
        counts = [_requests(load, point, window.end_s) for load in point.loads]
        return [jobs_for([_as(kind, load) for load in point.loads], drive, counts) for kind in self.kinds]


def _as(kind: str, load: Load) -> Load:
    """Returns a load with what another kind does, as fast as it goes."""
    known = kind_of(kind)
    if known is None:
        return load
    return replace(load, is_random=known.is_random, read_ratio=known.read_ratio, rate_iops=None)


def _requests(load: Load, point: Point, length_s: float) -> int:
    """Returns how many requests each job of a load makes in each part of a history."""
    if load is point.loads[0]:
        rate = rate_of(point)
    elif load.rate_iops is not None:
        rate = load.rate_iops * load.jobs
    else:
        rate = UNRATED_BYTES_S / load.mean_bytes()
    return math.ceil(SURPLUS * rate * length_s / load.jobs)


@dataclass
class UsedDrives:
    """The drives that a history leaves, each made once and kept in a file.

    Attributes:
        history: The history.
        runs: How many simulations it has taken.
    """

    history: History
    runs: int = 0
    _folder: Path = field(default_factory=lambda: Path(mkdtemp(prefix="wordline-history-")))
    _turns: OrderedDict[str, threading.Lock] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Removes the files when this object goes."""
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def state(self, config: Config, point: Point, length: Length, watch: ProgressCallback | None = None) -> Path:
        """Returns the state in which a point's load finds a drive; several threads may ask for it.

        Raises:
            WordlineError: The history does not fit the drive.
        """
        drive = self.history.drive(config)
        kind = repr((drive.hash, length, point.loads, point.numbers.iops, point.op))
        key = hashlib.sha256(kind.encode()).hexdigest()[:24]
        with self._lock:
            turn = self._turns.setdefault(key, threading.Lock())
            self._turns.move_to_end(key)
        path = self._path(key)
        with turn:
            if not path.exists():
                self._make(path, drive, point, length, watch)
        return path

    def _make(self, path: Path, drive: Config, point: Point, length: Length, watch: ProgressCallback | None) -> None:
        # Each run saves over the state that it began with, so a file of this name may only come at the end.
        work = path.with_suffix(".work")
        state = None
        for flows in self.history.runs(drive, point, length):
            run(drive, flows, load_state=state, go_on=state is not None, save_state=work, progress=watch)
            state = work
            with self._lock:
                self.runs += 1
        work.rename(path)

    def make_room(self) -> None:
        """Removes the drives that were not used for longest. No thread may use one meanwhile."""
        sizes = {key: self._bytes(key) for key in self._turns}
        total = sum(sizes.values())
        for key, size in sizes.items():
            if total <= KEPT_BYTES:
                break
            self._path(key).unlink(missing_ok=True)
            del self._turns[key]
            total -= size

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.state"

    def _bytes(self, key: str) -> int:
        path = self._path(key)
        return path.stat().st_size if path.exists() else 0
