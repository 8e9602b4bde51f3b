"""Several drives under one clock: striped, or shards by name, with an optional common link."""

from __future__ import annotations

import copy
import heapq
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike, fspath
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Final

from ..errors import ConfigError, RequestError
from ..result import Result
from .drive import Drive, check_target
from .ops import OPERATIONS, Numbers, Op, jobs_of, numbers_of, whole_ns

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ArrayResult", "DriveArray", "JobTimes"]

SECTOR_BYTES: Final = 512
_READ, _WRITE = OPERATIONS.index("read"), OPERATIONS.index("write")


@dataclass(frozen=True)
class JobTimes:
    """Response times of the jobs of an array, us: from submission to the last part.

    Attributes:
        count: Jobs.
        mean: Mean; None without a job, as the others.
        p50: Median.
        p99: 99th percentile.
        p999: 99.9th percentile; None where no job lies beyond it, as for p99.
        max: The longest.
    """

    count: int
    mean: float | None
    p50: float | None
    p99: float | None
    p999: float | None
    max: float | None

    @staticmethod
    def of(times_ns: Sequence[int]) -> JobTimes:
        """Returns the summary of response times, ns."""
        ordered = sorted(times_ns)
        count = len(ordered)
        if count == 0:
            return JobTimes(0, None, None, None, None, None)

        def percentile(share: float) -> float | None:
            rank = int(share * count)
            return ordered[rank] / 1000 if rank < count - 1 or share <= 0.5 else None

        return JobTimes(
            count,
            sum(ordered) / count / 1000,
            percentile(0.5),
            percentile(0.99),
            percentile(0.999),
            ordered[-1] / 1000,
        )


@dataclass(frozen=True)
class ArrayResult:
    """What an array measured.

    Attributes:
        jobs: Response times of whole jobs.
        drives: The result of each drive, by its name.
    """

    jobs: JobTimes
    drives: dict[str, Result]


@dataclass
class _Job:
    submitted_ns: int
    left: int
    end_ns: int = 0
    status: str = "success"


@dataclass
class _Link:
    """A common link, in one direction: parts of operations cross it one after the other, as they come."""

    bytes_per_s: int
    free_ns: Fraction = field(default_factory=Fraction)

    def cross(self, at_ns: int, size: int) -> int:
        """Returns when so many bytes have crossed that come at a time, ns."""
        if self.bytes_per_s == 0 or size == 0:
            return at_ns
        self.free_ns = max(self.free_ns, Fraction(at_ns)) + Fraction(size * 1_000_000_000, self.bytes_per_s)
        return -(-self.free_ns.numerator // self.free_ns.denominator)


class DriveArray:
    """Drives under one clock. `wordline.open` makes it of a list (striped) or of a dict (shards).

    A job is done with its slowest part. Each drive has its own configuration, seed and age.
    """

    def __init__(self, drives: Mapping[str, Drive], chunk_bytes: int | None, link_mb_per_s: float) -> None:
        if not drives:
            raise ConfigError("an array needs at least one drive")
        if chunk_bytes is not None and (chunk_bytes < SECTOR_BYTES or chunk_bytes % SECTOR_BYTES):
            raise ConfigError(f"chunk_bytes = {chunk_bytes}: give a multiple of {SECTOR_BYTES} bytes")
        if not 0 <= link_mb_per_s <= 1e9:
            raise ConfigError(f"link_mb_per_s = {link_mb_per_s}: give MB/s above 0, or 0 for no common link")
        self._drives = dict(drives)
        self._names = list(self._drives)
        self._chunk_bytes = chunk_bytes
        rate = round(link_mb_per_s * 1_000_000)
        self._to_drives, self._from_drives = _Link(rate), _Link(rate)
        self._now_ns = 0
        self._jobs: dict[int, _Job] = {}
        self._count = 0
        # Parts that cross the link before their drives get them: time, order, drive, operation, job.
        self._coming: list[tuple[int, int, str, Numbers, int]] = []
        # Of each drive: its own job numbers, to the job of the array and the bytes that go back.
        self._parts: dict[str, dict[int, tuple[int, int]]] = {name: {} for name in self._names}
        # Jobs whose data cross the link back: time, job.
        self._leaving: list[tuple[int, int]] = []
        self._pushes = 0
        self._times_ns = array("Q")

    @property
    def drives(self) -> Mapping[str, Drive]:
        """The drives by name: of a striped array `0`, `1` and so on. To look at, and not to step."""
        return dict(self._drives)

    @property
    def now_ns(self) -> int:
        """The latest time that the array was given, ns."""
        return self._now_ns

    @property
    def under_way(self) -> int:
        """Jobs that are not done."""
        return len(self._jobs)

    def submit(
        self, t_ns: int, ops: Sequence[Op | Sequence[Op]] | np.ndarray[Any, Any], *, shard: str | None = None
    ) -> range:
        """Submits jobs together at a time; see `Drive.submit`.

        Args:
            t_ns: When, ns.
            ops: Jobs, as tuples and lists of tuples, or as a structured NumPy array.
            shard: The drive that they go to, of an array of shards.

        Raises:
            RequestError: As for `Drive.submit`; a shard that is missing, unknown, or given to a striped array.
        """
        at_ns = whole_ns(t_ns, "t_ns")
        self._check_time(at_ns)
        self._check_shard(shard)
        flat, lengths = jobs_of(ops) if isinstance(ops, Sequence) else numbers_of(ops)
        if lengths is None:
            lengths = [1] * len(flat)
        if 0 in lengths:
            raise RequestError("a job has one operation or more")
        flows = len(next(iter(self._drives.values())).flows)
        for op in flat:
            if op[3] >= flows:
                raise RequestError(f"flow {op[3]} does not exist: the array was opened with {flows}, from 0")
            if op[1] % SECTOR_BYTES or op[2] % SECTOR_BYTES:
                raise RequestError(f"offset {op[1]} and length {op[2]} are not both multiples of {SECTOR_BYTES} bytes")
        self._advance_to(at_ns)
        first, begin = self._count, 0
        for length in lengths:
            self._submit_job(at_ns, flat[begin : begin + length], shard)
            begin += length
        self._release(at_ns)
        return range(first, self._count)

    def _check_time(self, at_ns: int) -> None:
        if at_ns < self._now_ns:
            raise RequestError(f"{at_ns} ns is over: the array is at {self._now_ns} ns, and time never goes back")

    def _check_shard(self, shard: str | None) -> None:
        if self._chunk_bytes is not None and shard is not None:
            raise RequestError("shard: the drives of this array are striped; only an array of a dict has shards")
        if self._chunk_bytes is None and shard not in self._drives:
            raise RequestError(f"shard = {shard!r}: name one of {', '.join(self._names)}")

    def _submit_job(self, at_ns: int, ops: list[Numbers], shard: str | None) -> None:
        number = self._count
        self._count += 1
        parts = [part for op in ops for part in self._parts_of(op, shard)]
        self._jobs[number] = _Job(at_ns, len(parts))
        for name, part in parts:
            arrival = self._to_drives.cross(at_ns, part[2] if part[0] == _WRITE else 0)
            heapq.heappush(self._coming, (arrival, self._pushes, name, part, number))
            self._pushes += 1

    def _parts_of(self, op: Numbers, shard: str | None) -> list[tuple[str, Numbers]]:
        """Returns the drives of an operation, each with its range: there the chunks of one operation are neighbours."""
        if shard is not None:
            return [(shard, op)]
        chunk, count = self._chunk_bytes or 1, len(self._names)
        code, offset, length, flow, handle = op
        if length == 0:
            return [(name, op) for name in self._names] if code > OPERATIONS.index("trim") else [(self._names[0], op)]
        first, last = offset // chunk, (offset + length - 1) // chunk
        parts = []
        for drive in range(count):
            own_first = first + (drive - first) % count
            own_last = last - (last - drive) % count
            if own_first > own_last:
                continue
            begin = (own_first // count) * chunk + (offset % chunk if own_first == first else 0)
            end = (own_last // count) * chunk + ((offset + length - 1) % chunk + 1 if own_last == last else chunk)
            parts.append((self._names[drive], (code, begin, end - begin, flow, handle)))
        return parts

    def advance(self, until_ns: int | None = None) -> list[tuple[int, int, str]]:
        """Lets time go on, on all drives; see `Drive.advance`."""
        if until_ns is None:
            while self._coming:
                self._advance_to(self._coming[0][0])
                self._release(self._now_ns)
            self._collect(None)
            last = max([self._now_ns, *(at for at, _ in self._leaving), *(d.now_ns for d in self._drives.values())])
            self._now_ns = last
        else:
            until = whole_ns(until_ns, "until_ns")
            self._check_time(until)
            self._advance_to(until)
        done = []
        while self._leaving and self._leaving[0][0] <= self._now_ns:
            at_ns, number = heapq.heappop(self._leaving)
            job = self._jobs.pop(number)
            self._times_ns.append(at_ns - job.submitted_ns)
            done.append((number, at_ns, job.status))
        return done

    def _advance_to(self, until: int) -> None:
        while self._coming and self._coming[0][0] <= until:
            at_ns = self._coming[0][0]
            self._collect(at_ns)
            self._now_ns = max(self._now_ns, at_ns)
            self._release(at_ns)
        self._collect(until)
        self._now_ns = max(self._now_ns, until)

    def _release(self, at_ns: int) -> None:
        """Gives drives the parts that have crossed the link, those of one moment in one call."""
        while self._coming and self._coming[0][0] <= at_ns:
            arrival = self._coming[0][0]
            together: dict[str, tuple[list[Numbers], list[int]]] = {}
            while self._coming and self._coming[0][0] == arrival:
                _, _, name, part, number = heapq.heappop(self._coming)
                ops, numbers = together.setdefault(name, ([], []))
                ops.append(part)
                numbers.append(number)
            for name, (ops, numbers) in together.items():
                first = self._drives[name].submit_numbers(arrival, ops, None)
                back = (op[2] if op[0] == _READ else 0 for op in ops)
                self._parts[name].update(enumerate(zip(numbers, back, strict=True), first))

    def _collect(self, until: int | None) -> None:
        """Lets all drives go on, and takes the parts that are done, in order of time."""
        parts = []
        for place, (name, drive) in enumerate(self._drives.items()):
            own = self._parts[name]
            parts += [(done_ns, place, *own.pop(job), status) for job, done_ns, status in drive.advance(until)]
        for done_ns, _, number, read_bytes, status in sorted(parts):
            job = self._jobs[number]
            job.left -= 1
            job.end_ns = max(job.end_ns, self._from_drives.cross(done_ns, read_bytes))
            if job.status == "success":
                job.status = status
            if job.left == 0:
                heapq.heappush(self._leaving, (job.end_ns, number))

    def next_event(self) -> int | None:
        """Returns the time of the next event, ns; no job is done before it. None while no job is under way."""
        if not self._jobs:
            return None
        events = [event for drive in self._drives.values() if (event := drive.next_event()) is not None]
        return max(self._now_ns, min([*events, *(each[0][0] for each in (self._coming, self._leaving) if each)]))

    def fork(self) -> DriveArray:
        """Returns a second array in the same state, jobs under way included; see `Drive.fork`."""
        drives = {name: drive.fork() for name, drive in self._drives.items()}
        # Drives do not copy as other objects do: the copy is told what stands for each.
        return copy.deepcopy(self, {id(drive): drives[name] for name, drive in self._drives.items()})

    def mark(self) -> None:
        """Lets the results begin now, on all drives; see `Drive.mark`."""
        self._times_ns = array("Q")
        for drive in self._drives.values():
            drive.mark()

    def result(self) -> ArrayResult:
        """Returns the results so far: of whole jobs, and of each drive."""
        return ArrayResult(JobTimes.of(self._times_ns), {name: drive.result() for name, drive in self._drives.items()})

    def save(self, folder: str | PathLike[str]) -> None:
        """Writes the state of each drive, as `NAME.state` in a folder that exists; see `Drive.save`."""
        targets = {name: FilePath(fspath(folder)) / f"{name}.state" for name in self._drives}
        for name, drive in self._drives.items():
            check_target(targets[name], drive.config)
        for name, drive in self._drives.items():
            drive.save(targets[name])

    def close(self) -> None:
        """Frees the memory of all drives."""
        for drive in self._drives.values():
            drive.close()

    def __enter__(self) -> DriveArray:
        return self

    def __exit__(self, *error: Any) -> None:  # noqa: ANN401 - whatever ended the block
        self.close()
