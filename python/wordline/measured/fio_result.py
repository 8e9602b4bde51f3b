"""Points of a result of fio, of version 2 or 3: each job, or each group of clones, gives one for each direction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ..errors import InputFileError
from .fio_histogram import merged, percentiles_of
from .fio_logs import over_common_time
from .littles_law import doubt_of
from .point import IOPS_MAX, Load, Numbers, Op, Point
from .sizes import size_of
from .table import OUTSTANDING_MAX, Points

__all__ = ["points_of"]

FAILED = "fio ended with an error"
AT_TIMES = "jobs ended at different times"
SECTOR_BYTES = 512
OPS: tuple[Op, Op] = ("read", "write")
RATIOS = {"read": 1.0, "write": 0.0, "randread": 1.0, "randwrite": 0.0, "rw": 0.5, "readwrite": 0.5, "randrw": 0.5}
SYNC_ENGINES = ("psync", "sync", "vsync", "pvsync", "pvsync2", "mmap")
# Options that change the requests, and that a load of a point does not have.
REFUSED = (
    "bssplit", "bsrange", "blocksize_range", "random_distribution", "thinktime", "zoned", "zonemode", "fsync",
    "fdatasync", "iodepth_batch", "iodepth_batch_submit", "iodepth_low", "percentage_random", "read_iolog",
    "verify", "rate_process", "latency_target", "unlink", "startdelay", "file_service_type", "nrfiles",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Jobs:
    """Entries of one section: clones, or one entry of a group of them."""

    name: str
    load: Load
    entries: list[Mapping[str, Any]]
    options: Mapping[str, str]
    places: tuple[int, ...]


def points_of(file: str, document: object) -> Points:
    """Returns the points of a document.

    Raises:
        InputFileError: It is no result of fio, or has an option that no load of a point has.
    """
    jobs = document.get("jobs") if isinstance(document, Mapping) else None
    if not isinstance(document, Mapping) or not isinstance(jobs, list) or "fio version" not in document:
        raise InputFileError(file, 0, "", "is no result of fio", "write it with fio --output-format=json+")
    shared = document.get("global options", {})
    points: list[Point] = []
    left_out: list[str] = []
    try:
        for _, together in groupby(enumerate(jobs, 1), key=lambda job: job[1].get("groupid", 0)):
            parts = list(_sections(file, shared, list(together)))
            for number, part in enumerate(parts):
                beside = [each.load for place, each in enumerate(parts) if place != number]
                for op in part.load.ops:
                    made = _point(file, part, beside, op)
                    if isinstance(made, str):
                        left_out.append(made)
                    else:
                        points.append(made)
    except KeyError as error:
        raise InputFileError(
            file, 0, "", f"lacks {error} in a job", "write it with fio --output-format=json+"
        ) from None
    except (TypeError, AttributeError, ValueError) as error:
        raise InputFileError(file, 0, "", f"is no result of fio that can be read ({error})", "check the file") from None
    return Points(points, left_out)


def _point(file: str, part: _Jobs, beside: Sequence[Load], op: Op) -> Point | str:
    """Returns what one kind of request of a section measured, or why it is no point."""
    numbers = _numbers(part.entries, op)
    doubt = _doubt(part.entries) or doubt_of(numbers, part.load)
    where = f"{file} job {part.name}"
    if numbers.iops is None:
        failed = any(each.get("error") for each in part.entries)
        return f"{where}: {FAILED if failed else f'no {op}s were made'}"
    if doubt == AT_TIMES:
        scale_us = _latency(part.entries[0][op], "lat")[1]
        logged = over_common_time(file, part.options, part.places, op, scale_us)
        numbers, doubt = (numbers, doubt) if logged is None else (logged, "")
    labels = (("job", part.name), ("op", op), ("file", file))
    return Point(where, labels, (part.load, *beside), op, numbers, doubt, _requests(part.entries, op))


def _sections(file: str, shared: Mapping[str, str], jobs: Sequence[tuple[int, Mapping[str, Any]]]) -> Iterator[_Jobs]:
    """Returns the jobs of a group, each with its place in the result, clones of a section as one."""
    options = [{**shared, **job.get("job options", {})} for _, job in jobs]
    start = 0
    while start < len(jobs):
        name, own = jobs[start][1]["jobname"], options[start]
        clones = _count(file, name, own, "numjobs")
        end = start + 1
        while end < len(jobs) and end - start < clones and jobs[end][1]["jobname"] == name:
            end += 1
        places, entries = zip(*jobs[start:end], strict=True)
        yield _Jobs(name, _load(file, name, own, clones), list(entries), own, places)
        start = end


def _load(file: str, name: str, options: Mapping[str, str], clones: int) -> Load:
    def wrong(option: str, message: str, fix: str) -> InputFileError:
        return InputFileError(file, 0, f"job {name}, {option}", message, fix)

    for option in REFUSED:
        if options.get(option, "0") not in ("0", "none", "random", "fsync"):
            raise wrong(option, "is no part of a load that is compared", "measure without it")
    kind = options.get("rw", options.get("readwrite", "read"))
    if kind not in RATIOS:
        raise wrong("rw", f"`{kind}` is no load that is compared", "measure reads, writes or a mix of both")
    ratio = RATIOS[kind]
    if ratio == 0.5:
        ratio = int(options.get("rwmixread", 100 - int(options.get("rwmixwrite", 50)))) / 100
    try:
        sizes = [size_of(each) for each in options.get("bs", options.get("blocksize", "4k")).split(",")]
        limit = options.get("size", options.get("io_size", "100%"))
        range_bytes = None if limit.endswith("%") else size_of(limit)
        first_byte = size_of(options.get("offset", "0"))
    except ValueError as error:
        raise wrong("bs, size or offset", f"`{error}` is no size", "write it as fio does: 4k, 1g") from None
    rate = _rate(options, ratio, sizes)
    if any(size < SECTOR_BYTES or size % SECTOR_BYTES for size in sizes):
        raise wrong("bs", "is no multiple of 512 bytes", "measure with whole sectors")
    depth = 1 if options.get("ioengine", "psync") in SYNC_ENGINES else _count(file, name, options, "iodepth")
    return Load(ratio, "rand" in kind, sizes[0], sizes[-1], depth, clones, first_byte, range_bytes, rate)


def _count(file: str, name: str, options: Mapping[str, str], option: str) -> int:
    """Returns a number of jobs or requests; 1 where there is none."""
    text = options.get(option, "1")
    if not str(text).isdecimal() or not 1 <= int(text) <= OUTSTANDING_MAX:
        fix = f"it takes 1 to {OUTSTANDING_MAX}"
        raise InputFileError(file, 0, f"job {name}, {option}", f"`{text}` is out of range", fix)
    return int(text)


def _rate(options: Mapping[str, str], ratio: float, sizes: Sequence[int]) -> float | None:
    """Returns the requests a second that a job makes at most, of both kinds."""
    place = 0 if ratio > 0 else -1
    share = ratio if ratio > 0 else 1.0
    if "rate_iops" in options:
        return float(options["rate_iops"].split(",")[place]) / share
    if "rate" in options:
        return size_of(options["rate"].split(",")[place]) / sizes[place] / share
    return None


def _numbers(entries: Sequence[Mapping[str, Any]], op: Op) -> Numbers:
    """Returns the numbers of clones together: their histograms are merged, percentiles are never averaged."""
    parts = [each[op] for each in entries if each[op].get("iops", 0)]
    if not all(0 < each["iops"] <= IOPS_MAX for each in parts):
        raise ValueError(f"its IOPS are not within 0 to {IOPS_MAX:.0e}")
    if not parts:
        return Numbers()
    iops = sum(each["iops"] for each in parts)
    counts = [each.get("total_ios") or each["iops"] for each in parts]
    lats = [_latency(each, "lat") for each in parts]
    mean_us = sum(n * scale * lat["mean"] for n, (lat, scale) in zip(counts, lats, strict=True)) / sum(counts)
    return Numbers(iops, mean_us or None, **_percentiles([_latency(each, "clat") for each in parts]))


def _requests(entries: Sequence[Mapping[str, Any]], op: Op) -> float | None:
    """Returns how many requests of a kind clones made together; None where fio did not say it."""
    return sum(each[op].get("total_ios", 0) for each in entries) or None


def _latency(part: Mapping[str, Any], kind: str) -> tuple[Mapping[str, Any], float]:
    """Returns the latencies of a kind, and the length of their unit in us: fio 3 counts ns, fio 2 us."""
    return (part[f"{kind}_ns"], 1e-3) if f"{kind}_ns" in part else (part[kind], 1.0)


def _percentiles(parts: Sequence[tuple[Mapping[str, Any], float]]) -> dict[str, float | None]:
    if len(parts) == 1:
        return percentiles_of(*parts[0])
    if all(each.get("bins") for each, _ in parts):
        return merged([(each["bins"], scale) for each, scale in parts])
    return {}


def _doubt(entries: Sequence[Mapping[str, Any]]) -> str:
    if any(each.get("error") for each in entries):
        return FAILED
    times = [each[op].get("runtime", 0) for each in entries for op in OPS if each[op].get("iops", 0)]
    return AT_TIMES if len(times) > 1 and min(times) < 0.9 * max(times) else ""
