"""A measured point: the load of a drive, and what it did under it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Literal

__all__ = ["BEYOND_MIN", "IOPS_MAX", "NUMBERS", "SHARES", "Load", "Numbers", "Op", "Point"]

Op = Literal["read", "write"]
KIB = 1024
IOPS_MAX = 1e8
"""No drive does more: a number above it has another unit."""


@dataclass(frozen=True, slots=True)
class Load:
    """Jobs that are all alike.

    Attributes:
        read_ratio: Share of requests that read.
        is_random: Whether addresses are random, else one after the other.
        read_bytes: Size of a read.
        write_bytes: Size of a write.
        depth: Requests that each job keeps outstanding.
        jobs: Number of jobs.
        first_byte: Where the range begins.
        range_bytes: Length of the range; None: the whole drive.
        rate_iops: Requests a second that each job makes at most; None: as many as it can.
    """

    read_ratio: float
    is_random: bool
    read_bytes: int
    write_bytes: int
    depth: int
    jobs: int = 1
    first_byte: int = 0
    range_bytes: int | None = None
    rate_iops: float | None = None

    @property
    def outstanding(self) -> int:
        """Requests outstanding in all jobs."""
        return self.depth * self.jobs

    @property
    def ops(self) -> tuple[Op, ...]:
        """The kinds of request that it makes."""
        return ("read",) if self.read_ratio == 1 else ("write",) if self.read_ratio == 0 else ("read", "write")

    def mean_bytes(self) -> float:
        """Returns the mean size of a request."""
        return self.read_ratio * self.read_bytes + (1 - self.read_ratio) * self.write_bytes

    def name(self) -> str:
        """Returns it in fio's words, such as `randread 4k 16x2`: block size, depth times jobs."""
        pattern = "rand" if self.is_random else "seq"
        kind = self.ops[0] if len(self.ops) == 1 else f"rw{100 * self.read_ratio:g}"
        size = self.read_bytes if self.read_ratio else self.write_bytes
        block = f"{size // KIB}k" if size % KIB == 0 else str(size)
        rate = "" if self.rate_iops is None else f" at {self.rate_iops * self.jobs:.0f}/s"
        return f"{pattern}{kind} {block} {self.depth}x{self.jobs}{rate}"


@dataclass(frozen=True, slots=True)
class Numbers:
    """What was measured of one kind of request; None where it was not.

    Attributes:
        iops: Requests a second, over all jobs.
        mean_us: Mean latency.
        p50_us: Percentiles of the latency after submission (fio's `clat`).
        p95_us: The 95th.
        p99_us: The 99th.
        p999_us: The 99.9th.
        p9999_us: The 99.99th.
    """

    iops: float | None = None
    mean_us: float | None = None
    p50_us: float | None = None
    p95_us: float | None = None
    p99_us: float | None = None
    p999_us: float | None = None
    p9999_us: float | None = None

    def to_dict(self) -> dict[str, float | None]:
        """Returns them by name."""
        return asdict(self)


NUMBERS = tuple(each.name for each in fields(Numbers))
"""The names of what a point can have."""
SHARES = {"p50_us": 0.5, "p95_us": 0.95, "p99_us": 0.99, "p999_us": 0.999, "p9999_us": 0.9999}
"""The percentiles among them, and the share of requests up to each."""
BEYOND_MIN = 10
"""A percentile with fewer measured requests beyond it is chance."""


@dataclass(frozen=True, slots=True)
class Point:
    """A measurement.

    Attributes:
        where: File and line, or job, that it was read from.
        labels: What the file says of it besides, such as drive and host.
        loads: What ran at the same time; the numbers are those of the first.
        op: The kind of request that was measured.
        numbers: What was measured.
        doubt: Why it says nothing of the drive's parameters; empty where it does.
        requests: How many requests the numbers are of; None where the file does not say it.
    """

    where: str
    labels: tuple[tuple[str, str], ...]
    loads: tuple[Load, ...]
    op: Op
    numbers: Numbers
    doubt: str = ""
    requests: float | None = None

    @property
    def name(self) -> str:
        """The load, and which part of it was measured where it has several."""
        first, *rest = self.loads
        part = f" {self.op}s" if len(first.ops) > 1 else ""
        return first.name() + part + "".join(f" beside {each.name()}" for each in rest)

    @property
    def outstanding(self) -> int:
        """Requests outstanding in all jobs of its load."""
        return self.loads[0].outstanding

    def label(self, name: str) -> str:
        """Returns what the file says of it under a name; empty where it says nothing."""
        return dict(self.labels).get(name, "")

    def is_few(self, name: str) -> bool:
        """Whether a number is a percentile that was measured with so few requests beyond it that it is chance."""
        if name not in SHARES or self.requests is None or getattr(self.numbers, name) is None:
            return False
        # Rounded, as 10,000 requests have 10 beyond p99.9, not 9.99999.
        return round(self.requests * (1 - SHARES[name]), 6) < BEYOND_MIN
