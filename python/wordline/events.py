"""The event stream of a run: requests, flash operations and jobs as Arrow batches, for measures of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from . import extras
from .errors import EventsError
from .output.result_folder import folder
from .tables import Columns, table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["COLUMNS", "Events", "EventsLike", "events_of", "opened"]

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "requests": ("flow", "op", "sector", "sectors", "arrival_ns", "submitted_ns", "completed_ns", "status"),
    "flash": ("track", "index", "name", "start_ns", "duration_ns", "class", "lpn"),
    "jobs": ("reason", "plane", "block", "live_units", "began_ns", "ended_ns"),
}
"""The kinds of events, and the columns of each."""

Sink = Callable[[str, "pa.RecordBatch"], object]
Given = Callable[[Mapping[str, Columns]], None]
Wanted = bool | Sequence[str]


@dataclass(frozen=True, slots=True)
class Events:
    """Where the events of a run go, and which.

    Attributes:
        to: A callable that gets the kind and a batch, some ten thousand rows at a time; or a new folder, which gets a
            file of each kind.
        requests: A row for each request, when it is complete: True, or the columns to keep.
        flash: A row for each thing that a die, a channel or an ECC engine does: a sense, a program, an erase pulse.
        jobs: A row for each job of GC, wear levelling, refresh or folding, when it is over.
        format: Of the files: `parquet`, or `arrow` (Arrow IPC).
    """

    to: Sink | str | PathLike[str]
    requests: Wanted = True
    flash: Wanted = True
    jobs: Wanted = True
    format: Literal["parquet", "arrow"] = "parquet"

    def columns(self) -> dict[str, tuple[str, ...]]:
        """Returns the columns of each kind that is kept.

        Raises:
            EventsError: There is no such column, or nothing is kept.
        """
        kept = {}
        for kind, known in COLUMNS.items():
            wanted = getattr(self, kind)
            names = known if wanted is True else (wanted,) if isinstance(wanted, str) else tuple(wanted or ())
            if unknown := [name for name in names if name not in known]:
                raise EventsError(f"events: {kind} has no column {unknown[0]!r}; there are {', '.join(known)}")
            if names:
                kept[kind] = names
        if not kept:
            raise EventsError("events: nothing is to be kept; name requests, flash or jobs")
        if self.format not in ("parquet", "arrow"):
            raise EventsError(f"events: the format {self.format!r} is none; write parquet or arrow")
        return kept


EventsLike = Events | Sink | str | PathLike[str]
"""An argument for events: where all of them go, or `Events`."""


def events_of(events: EventsLike) -> Events:
    """Returns what an argument for events means.

    Raises:
        EventsError: It means nothing.
    """
    made = events if isinstance(events, Events) else Events(events)
    if not (callable(made.to) or isinstance(made.to, str | PathLike)):
        raise EventsError(
            f"events: a {type(made.to).__name__} takes no events; give a callable or the name of a folder"
        )
    made.columns()
    extras.need("events", "tables")
    return made


@contextmanager
def opened(events: Events) -> Iterator[Given]:
    """Gives a function that takes the tables of the core; files appear when all of them are whole."""
    columns = events.columns()
    with ExitStack() as stack:
        if callable(events.to):
            to = events.to
        else:
            to = _Files(stack.enter_context(folder(Path(events.to))), events.format, stack)

        def given(tables: Mapping[str, Columns]) -> None:
            for kind, names in columns.items():
                chosen = table({name: tables[kind][name] for name in names})
                if isinstance(to, _Files):
                    to.begin(kind, chosen.schema)
                for batch in chosen.to_batches():
                    to(kind, batch)

        yield given


class _Files:
    """A file of each kind; one without a row has its columns."""

    def __init__(self, place: Path, kind: str, stack: ExitStack) -> None:
        self._place = place
        self._format = kind
        self._stack = stack
        self._files: dict[str, Any] = {}

    def begin(self, kind: str, schema: pa.Schema) -> None:
        """Opens the file of a kind, once."""
        if kind not in self._files:
            path = str(self._place / f"{kind}.{self._format}")
            make = extras.parquet.ParquetWriter if self._format == "parquet" else extras.pa.ipc.new_file
            self._files[kind] = self._stack.enter_context(make(path, schema))

    def __call__(self, kind: str, batch: pa.RecordBatch) -> None:
        """Writes some rows."""
        self._files[kind].write_batch(batch)
