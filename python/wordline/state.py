"""The state of a run in a file: when it is saved, and what was loaded."""

from __future__ import annotations

import hashlib
import os
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


@dataclass(frozen=True)
class Saving:
    """Where and how often a run saves its state.

    Attributes:
        path: The file: written at the end of the run, and when it is stopped.
        every_s: And each time after so much wall time, s; None: only then.
    """

    path: Path
    every_s: float | None = None

    @staticmethod
    def of(path: PathLike | None, every_s: float | None) -> Saving | None:
        """What `wordline.run` was asked for, if anything.

        Raises:
            StateError: The folder is not there or cannot be written, or the time makes no sense.
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
        return Saving(place, every_s)

    @property
    def meanwhile(self) -> tuple[str, float] | None:
        """What the core saves while it runs."""
        return None if self.every_s is None else (os.fspath(self.path), self.every_s)


@dataclass(frozen=True)
class Loaded:
    """A state that a run has taken.

    Attributes:
        path: The file.
        kind: `run`: the run goes on from there. `drive`: it begins on an SSD that has been used.
        requests: Requests of the run before that were complete.
        simulated_s: Simulated time of the run before, s.
        content: The file as it was loaded, whatever takes its place.
    """

    path: Path
    kind: str
    requests: int
    simulated_s: float
    content: BufferedReader

    @property
    def decides(self) -> dict[str, Any] | None:
        """What a result says of a drive. A run that goes on says nothing: its result is that of the whole run."""
        if self.kind == "run":
            return None
        digest = hashlib.file_digest(self.content, "sha256")
        size = os.fstat(self.content.fileno()).st_size
        return {"path": str(self.path.absolute()), "bytes": size, "sha256": digest.hexdigest()}


@contextmanager
def loaded(simulation: _core.Simulation, path: PathLike) -> Iterator[Loaded]:
    """Lets a simulation take a state.

    Raises:
        StateError: The file is none, damaged, of another version or of another SSD.
    """
    place = Path(path)
    try:
        content = place.open("rb")
    except OSError as error:
        raise StateError(f"{place}: {(error.strerror or 'cannot be read').lower()}", file=str(place)) from None
    with content:
        kind, requests, simulated_ns = simulation.load(os.fspath(place))
        yield Loaded(place, kind, requests, simulated_ns / 1e9, content)
