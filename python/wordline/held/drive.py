"""A drive that a program holds: it submits jobs, lets time go on, and hears which jobs are done."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from os import PathLike, fspath
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from .. import _core
from ..api import description, outcome
from ..config import Config
from ..errors import RequestError, StateError
from ..inputs import clash, inputs_of
from ..result import Result
from ..state import Saving
from .ops import OPERATIONS, Numbers, Op, columns_of, jobs_of, whole_ns

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Drive", "Zone"]

Path = str | PathLike[str]


class Zone(NamedTuple):
    """A zone of a drive (NVMe ZNS)."""

    state: str
    """`empty`, `implicitly-opened`, `explicitly-opened`, `closed`, `full`, `read-only` or `offline`."""
    start: int
    """First byte."""
    pointer: int
    """The write pointer, bytes from the start; at the capacity of the zone once it was finished."""
    written: int
    """Bytes that the host has written since the last reset."""


class Drive:
    """A simulated SSD whose time another program sets.

    Times are integers, ns, from 0 when the drive was opened; they never go back. The same calls give the same answers
    on any machine. One thread at a time may use a drive. `wordline.open` makes one.

    Example:
        >>> drive = wl.open("datacenter-tlc")
        >>> jobs = drive.submit(0, [("read", 0, 4096), ("read", 1 << 20, 131_072)])
        >>> for job, done_ns, status in drive.advance(1_000_000):
        ...     print(job, done_ns, status)
    """

    def __init__(self, core: _core.Drive, config: Config, about: dict[str, Any]) -> None:
        self._core = core
        self._config = config
        self._about = about
        self._began = time.perf_counter()

    def __enter__(self) -> Drive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def core(self) -> _core.Drive:
        """The drive of the extension, for hosts of this package."""
        return self._core

    @property
    def config(self) -> Config:
        """The configuration of the drive."""
        return self._config

    @property
    def flows(self) -> tuple[str, ...]:
        """Names of the flows that may ask."""
        return tuple(each["name"] for each in self._about["flows"])

    @property
    def now_ns(self) -> int:
        """The latest time that the drive was given, ns."""
        return self._core.now()

    @property
    def under_way(self) -> int:
        """Jobs that are not done."""
        return self._core.under_way()

    def submit(self, t_ns: int, ops: Sequence[Op | Sequence[Op]] | np.ndarray[Any, Any]) -> range:
        """Submits jobs together at a time.

        They arrive at `t_ns`, or some ns later if something happens on the drive at that very instant: `log()` has the
        times.

        Args:
            t_ns: When, ns; not before a time that the drive was given earlier.
            ops: Jobs. A tuple is a job of one operation: name (`read`, `write`, `trim`, `flush`, `close`, and those of
                zones: `append`, `zone-open`, `zone-close`, `zone-finish`, `zone-reset`, `zone-report`), offset and
                length in bytes, both multiples of 512, then flow and placement handle if they are not 0. A flush, a
                close and a report have offset and length 0; an append and a command for a zone have the offset of the
                zone, and the command length 0. A list of tuples is a job that is done with its last operation. A
                structured NumPy array has a row for each operation, with fields `operation` (names, or places in
                `OPERATIONS`), `offset` and `length`, and optionally `flow`, `handle` and `job`: neighbours of one
                number in `job` are one job.

        Returns:
            The numbers of the jobs, in order.

        Raises:
            RequestError: A time that is over, an operation that makes no sense, or an unknown flow. Nothing of `ops`
                is submitted then. An address beyond the drive is no error: its job ends with `lba_out_of_range`.
        """
        at_ns = whole_ns(t_ns, "t_ns")
        if isinstance(ops, Sequence):
            flat, lengths = jobs_of(ops)
            first = self.submit_numbers(at_ns, flat, lengths)
        elif hasattr(ops, "dtype"):
            columns, lengths = columns_of(ops)
            first = self._core.submit_columns(at_ns, *columns, lengths=lengths)
        else:
            raise RequestError(f"ops: a {type(ops).__name__} is no list of jobs and no structured array")
        return range(first, first + (len(ops) if lengths is None else len(lengths)))

    def submit_numbers(self, at_ns: int, ops: list[Numbers], lengths: list[int] | None) -> int:
        """`submit` for operations that are checked already; returns the number of the first job."""
        return self._core.submit(at_ns, ops, lengths)

    @overload
    def advance(
        self, until_ns: int | None = None, *, offsets: Literal[False] = False
    ) -> list[tuple[int, int, str]]: ...

    @overload
    def advance(self, until_ns: int | None = None, *, offsets: Literal[True]) -> list[tuple[int, int, str, int]]: ...

    def advance(
        self, until_ns: int | None = None, *, offsets: bool = False
    ) -> list[tuple[int, int, str]] | list[tuple[int, int, str, int]]:
        """Lets time go on.

        Args:
            until_ns: Up to this time, ns; None: until every job is done.
            offsets: The rows have a fourth number: the offset of the job's last operation. For an append it is where
                the drive has put the data.

        Returns:
            `(job, done_ns, status)` of each job that is done and was not returned before, in order of completion. The
            status is `success`, or the first other one of the job's operations: `unrecovered_read_error`,
            `lba_out_of_range`, `invalid_field`, `invalid_opcode`, or one of zones, such as `zone_is_full`.

        Raises:
            RequestError: The time is over.
            WordlineError: As for `run`: for example the SSD has no room left.
        """
        until = None if until_ns is None else whole_ns(until_ns, "until_ns")
        return self._core.advance(until, offsets)

    def run_log(
        self,
        flow: str,
        spare: float,
        segment_bytes: int,
        free_segments: int,
        depth: int,
        fills: bool,
        warmup: int,
        progress: Callable[..., object] | None,
    ) -> tuple[list[int], str]:
        """Sends the requests of a flow, as JSON, through a log on this drive; see `wordline.run_log`."""
        return self._core.run_log(flow, spare, segment_bytes, free_segments, depth, fills, warmup, progress)

    def zones(self) -> list[Zone]:
        """Returns the zones as they are now, in order. It takes no time; the operation `zone-report` does.

        Raises:
            RequestError: The drive has no zones.
        """
        rows = self._core.zones()
        if rows is None:
            raise RequestError('this drive has no zones: set zones.mode = "on"')
        return [Zone(*row) for row in rows]

    def next_event(self) -> int | None:
        """Returns the time of the next event, ns; no job is done before it. None while no job is under way."""
        return self._core.next_event()

    def mark(self) -> None:
        """Lets the results begin now: what is complete counts as warm-up."""
        self._core.mark()

    def result(self) -> Result:
        """Returns the results so far, in the form of `run`; the drive goes on. Jobs under way count in later ones."""
        options: dict[str, Any] = {"check": False, "log_requests": False, "timeline_us": None, **self._about["options"]}
        workload = description(self._about["flows"])
        wall_s = time.perf_counter() - self._began
        document, tables = outcome(self._core, self._config, options, workload, wall_s, self._about["wall_s"])
        if self.under_way:
            document["partial"] = True
            document["warnings"].append(f"{self.under_way:,} jobs are under way and not counted")
        return Result(document, tables, self._config)

    def fork(self) -> Drive:
        """Returns a second drive in the same state, jobs under way included. What one is told does not reach the other.

        On Linux both see the same large tables until one of them writes: the first fork of a drive moves them into
        memory that can be shared, once. Elsewhere a fork copies them.
        """
        return Drive(self._core.fork(), self._config, self._about)

    def save(self, path: Path) -> None:
        """Writes the state of the drive as if it were switched off in good order now, with all jobs done.

        `wordline.open(state=…)` and `run(load_state=…)` begin on it. This drive itself goes on as it is.

        Raises:
            StateError: The file cannot be written, or is one that the drive was made of.
        """
        check_target(path, self._config)
        self._core.save(fspath(path))

    def log(self) -> list[tuple[int, str, int, int, int, int]]:
        """Returns the operations as they arrived: `(arrival_ns, operation, offset, length, flow, handle)`.

        Raises:
            RequestError: The drive was opened without `log=True`.
        """
        rows = self._core.log()
        if rows is None:
            raise RequestError("this drive keeps no log: open it with log=True")
        return [(at, OPERATIONS[op], offset, length, flow, handle) for at, op, offset, length, flow, handle in rows]

    def close(self) -> None:
        """Frees the memory of the drive, which is of no use any more."""
        self._core.close()


def check_target(path: Path, config: Config) -> None:
    """Makes sure that a state can be written to a file, and takes the place of nothing that its drive was made of.

    Raises:
        StateError: It cannot, or it would.
    """
    Saving.of(path, None)
    if (why := clash(path, inputs_of(config))) is not None:
        raise StateError(f"{fspath(path)}: the state {why}; name another file", file=fspath(path))
