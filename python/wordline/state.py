"""The state of a run in a file: when to save it, and what was loaded."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

from . import _core
from .errors import StateError

__all__ = ["Loaded", "PathLike", "Saving", "loaded"]

PathLike = str | os.PathLike[str]
SECONDS_MAX = 1e9
CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class Saving:
    """The place and times of saving a run's state.

    Attributes:
        path: The file: written at the end of the run, and when it is stopped.
        every_s: Interval of wall time for further saves, s; None: no further saves.
    """

    path: Path
    every_s: float | None = None

    @staticmethod
    def of(path: PathLike | None, every_s: float | None) -> Saving | None:
        """Returns the settings from the arguments of `wordline.run`, if there are any.

        Raises:
            StateError: The folder does not exist or cannot be written to, or the time is invalid.
        """
        if path is None:
            if every_s is not None:
                raise StateError("save_every_s needs a file: name it with save_state")
            return None
        if every_s is not None and not 0 < every_s <= SECONDS_MAX:
            raise StateError(f"save_every_s = {every_s}: give a time above 0, s")
        place = Path(path)
        parent = place.absolute().parent
        if place.is_dir() or not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
            raise StateError(f"{place}: cannot be written; name a file in a folder of yours", file=str(place))
        if place.exists() and not place.is_file():
            raise StateError(f"{place}: is no file; a state needs one", file=str(place))
        return Saving(place, every_s)

    @property
    def meanwhile(self) -> tuple[str, float] | None:
        """The saving that the core does during the run."""
        return None if self.every_s is None else (os.fspath(self.path), self.every_s)


class Content(threading.Thread):
    """The identity of an open file, computed beside the run: a large file takes longer than its drive takes to load."""

    def __init__(self, file: BufferedReader) -> None:
        import hashlib

        super().__init__(daemon=True)
        self._file = file
        self._digest = hashlib.sha256()
        self._is_stopped = False
        self._problem: OSError | None = None

    def run(self) -> None:
        """Reads the file to its end, or until it is stopped."""
        buffer = bytearray(CHUNK_BYTES)
        try:
            while not self._is_stopped and (count := self._file.readinto(buffer)):
                self._digest.update(memoryview(buffer)[:count])
        except OSError as error:
            self._problem = error

    def identity(self) -> tuple[int, str]:
        """Returns the file's length and SHA-256.

        Raises:
            OSError: The file cannot be read any more.
        """
        self.join()
        if self._problem is not None:
            raise self._problem
        return os.fstat(self._file.fileno()).st_size, self._digest.hexdigest()

    def stop(self) -> None:
        """Stops reading; the file can be closed afterwards."""
        self._is_stopped = True
        self.join()


@dataclass(frozen=True)
class Loaded:
    """A state that was loaded into a run.

    Attributes:
        path: The file.
        kind: `run`: the run continues from there. `drive`: it starts on a used SSD.
        requests: Number of complete requests of the previous run.
        simulated_s: Simulated time of the previous run, s.
        content: Identity of a drive's file as loaded, even if it is replaced later.
    """

    path: Path
    kind: str
    requests: int
    simulated_s: float
    content: Content | None

    @property
    def decides(self) -> dict[str, Any] | None:
        """Returns the entry of a drive in a result. A continued run has none: its result is that of the whole run."""
        if self.content is None:
            return None
        size, digest = self.content.identity()
        return {"path": str(self.path.absolute()), "bytes": size, "sha256": digest}


@contextmanager
def loaded(simulation: _core.Simulation, path: PathLike, *, go_on: bool = True) -> Iterator[Loaded]:
    """Loads a state into a simulation; without `go_on` not that of a run like this one that has ended.

    Raises:
        StateError: The file is not a state, damaged, from another version or of another SSD, or of an ended run.
    """
    place = Path(path)
    try:
        if place.exists() and not place.is_file():
            raise StateError(f"{place}: is no file; name one that --save-state wrote", file=str(place))
        file = place.open("rb")
    except OSError as error:
        raise StateError(f"{place}: {(error.strerror or 'cannot be read').lower()}", file=str(place)) from None
    with file:
        kind, requests, simulated_ns = simulation.load(os.fspath(place), go_on)
        content = Content(file) if kind == "drive" else None
        if content is not None:
            content.start()
        try:
            yield Loaded(place, kind, requests, simulated_ns / 1e9, content)
        finally:
            if content is not None:
                content.stop()
