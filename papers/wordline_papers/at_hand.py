"""Real data that a user may have placed next to the checkout: traces, and tables of measurements."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass, replace
from pathlib import Path

from wordline.sweeps.outcome import Outcome
from wordline.sweeps.point import Point
from wordline.workload import Trace, trace

__all__ = [
    "PUBLISHED", "TRACES", "Published", "files_of", "first", "overwrite_shape", "published", "real_trace", "source_of",
    "tables_folder", "traces_folder", "whose",
]  # fmt: skip

TRACES = "WORDLINE_TRACES"
BESIDE = Path(__file__).resolve().parents[2].parent / "shared" / "traces"
# Endings of a published file that the readers take as they are.
ENDINGS = ("", ".gz", ".zst")


@dataclass(frozen=True)
class Published:
    """A published trace.

    Attributes:
        files: The name of its file, or a pattern for the names of its pieces, without `.gz` or `.zst`.
        format: Its format, one of `wordline.trace_formats()`.
        device: The device in it; None: all.
    """

    files: str
    format: str
    device: int | None = None


# By look-alike. AERO, Table 3, has the devices of Alibaba Cloud's traces. The slides of RiF do not name its volumes:
# the first two LUNs of SYSTOR '17 are assumed. YCSB was published for workload A only.
PUBLISHED = {
    **{
        f"ali/{name}": Published("io_traces.csv", "alibaba", device)
        for name, device in (("a", 32), ("b", 3), ("c", 12), ("d", 121), ("e", 124))
    },
    "rif/systor_1": Published("*-LUN0.csv", "systor17"),
    "rif/systor_2": Published("*-LUN1.csv", "systor17"),
    "umass/financial1": Published("Financial1.spc", "spc"),
    "umass/financial2": Published("Financial2.spc", "spc"),
    "ycsb/a": Published("ssdtrace-[0-9][0-9]", "blkparse"),
}
MSRC = "msrc/"


def traces_folder() -> Path:
    """Returns the folder of real traces: `WORDLINE_TRACES`, or one next to the checkout."""
    return Path(os.environ.get(TRACES, BESIDE))


def tables_folder() -> Path:
    """Returns the folder of measured tables: next to the traces."""
    return traces_folder().parent / "data"


def published(look_alike: str) -> Published | None:
    """Returns the published trace that a look-alike stands for, such as `msrc/hm_0`; None if there is none."""
    if look_alike.startswith(MSRC):
        return Published(f"{look_alike.removeprefix(MSRC)}.csv", "msrc")
    return PUBLISHED.get(look_alike)


def files_of(pattern: str) -> list[Path]:
    """Returns the files in the folder of real traces with these names, compressed or not, in the order of their names.

    A file that is there in several forms counts once.
    """
    by_name: dict[str, Path] = {}
    for ending in ENDINGS:
        for path in traces_folder().glob(pattern + ending):
            by_name.setdefault(path.name.removesuffix(ending), path)
    return [by_name[name] for name in sorted(by_name)]


def real_trace(look_alike: str) -> Trace | None:
    """Returns the real trace that a look-alike stands for; None if it is not in the folder of real traces.

    `ali-a.native`, a copy of `ali/a` in Wordline's own format, takes precedence over the published files: it is faster
    to read, and may be made of a trace that was not published. Addresses beyond the SSD wrap around. A trace is
    replayed once: one that is shorter than a run makes it shorter.
    """
    own = traces_folder() / f"{look_alike.replace('/', '-')}.native"
    if own.is_file():
        return trace(own, format="native", wrap=True)
    numbers = published(look_alike)
    files = files_of(numbers.files) if numbers is not None else []
    if numbers is None or not files:
        return None
    return trace(files, format=numbers.format, device=numbers.device, wrap=True)


def source_of(look_alike: str) -> Trace | str:
    """Returns what a point runs: the real trace if it is at hand, else the look-alike."""
    return real_trace(look_alike) or look_alike


@functools.cache
def first(real: Trace, requests: int) -> Trace:
    """Returns the first requests of a trace."""
    return replace(real, options=tuple({**dict(real.options), "limit": requests}.items()))


@functools.cache
def overwrite_shape(real: Trace, requests: int) -> str:
    """Returns what its first requests overwrite before a run (`precondition.shape`): their places, if they write any.

    Raises:
        TraceError: The trace cannot be read.
    """
    return "workload" if first(real, requests).stat()["writes"] else "random"


def whose(outcome: Outcome) -> dict[str, str]:
    """Returns the column that says which real trace a run replayed; none for generated requests."""
    point = outcome.point
    replayed = point.workload if isinstance(point, Point) else None
    return {"real_trace": replayed.name} if isinstance(replayed, Trace) else {}
