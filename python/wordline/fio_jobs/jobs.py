"""The jobs of a file as flows on an SSD: the place of each one's file, its start, and its pace."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from ..config import Config
from ..errors import WorkloadError
from ..workload import FioJob, Flow, trace
from .document import JobSection, sections
from .iolog import write_log
from .job import count, flag, generator, numbers, rest, sizes
from .units import NotANumberError, size_bytes, time_ns

__all__ = ["FioFile", "fio"]

JOBS_MAX = 4096
# Files start at multiples of this, as on a file system with large extents.
FILE_ALIGN_BYTES = 1 << 20
# Options about fio's work on a host, or its output: the requests to a simulated SSD do not depend on them.
OF_THE_HOST = frozenset({
    "allow_mounted_write", "cpus_allowed", "create_on_open", "create_only", "description", "direct",
    "directory", "end_fsync", "exitall", "fallocate", "file_service_type", "fsync_on_close", "group_reporting",
    "invalidate", "ioengine", "iodepth_batch", "iodepth_batch_complete", "iodepth_batch_complete_max",
    "iodepth_batch_complete_min", "iodepth_batch_submit", "iodepth_low", "log_avg_msec", "lat_percentiles",
    "clat_percentiles", "slat_percentiles", "name", "new_group", "nice", "numa_cpu_nodes", "numa_mem_policy",
    "overwrite", "percentile_list", "per_job_logs", "prio", "prioclass", "randrepeat", "refill_buffers",
    "thread", "unlink", "userspace_reap", "write_bw_log", "write_hist_log", "write_iops_log", "write_lat_log",
    "buffer_compress_percentage", "buffer_pattern", "zero_buffers", "scramble_buffers", "hipri",
    "registerfiles", "fixedbufs", "sqthread_poll", "eta", "gtod_reduce", "disk_util", "bandwidth-log",
})  # fmt: skip

# Supported options, some of them only together with others.
HONOURED = frozenset({
    "ba", "blockalign", "blocksize", "blocksize_range", "bs", "bsrange", "bssplit", "fdatasync", "filename",
    "fsync", "io_limit", "io_size", "iodepth", "loops", "norandommap", "numjobs", "offset", "offset_increment",
    "percentage_random", "ramp_time", "random_distribution", "rate", "rate_iops", "read_iolog", "readwrite",
    "runtime", "rw", "rwmixread", "rwmixwrite", "size", "stonewall", "thinktime", "thinktime_blocks",
    "time_based", "timeout", "wait_for_previous", "write_iolog",
})  # fmt: skip


@dataclass(frozen=True)
class FioFile:
    """The jobs of a file, to run on any SSD: `wordline.run(ssd, wordline.fio("job.fio"))`.

    Attributes:
        path: The file.
    """

    path: str

    def flows(self, config: Config) -> list[Flow]:
        """Returns one flow for each job, and for each of its clones (`numjobs`), on an SSD of this configuration.

        Raises:
            FioError: The file cannot be read, or cannot be run on this SSD.
        """
        return _Layout(self.path, config).flows()

    def warnings(self, config: Config) -> list[str]:
        """Returns the options that have no meaning for a simulated SSD, each with its line.

        Raises:
            FioError: See `flows`.
        """
        return _Layout(self.path, config).warnings()

    def write_iologs(self, config: Config) -> list[str]:
        """Writes the requests of jobs with `write_iolog` as fio's logs; returns the files' names.

        Raises:
            FioError: See `flows`.
            TraceError: A file cannot be written.
        """
        return _Layout(self.path, config).write_iologs()


def fio(path: str | PathLike[str]) -> FioFile:
    """Returns a fio job file as a workload; it is read when it is run.

    Args:
        path: The file. Its jobs are flows; `numjobs` clones them, `stonewall` makes them start one after the other.

    Raises:
        WorkloadError: This is no file's name.
    """
    if not isinstance(path, str | PathLike):
        raise WorkloadError(f"a {type(path).__name__} is no fio job file's name")
    return FioFile(fspath(path))


@dataclass
class _File:
    """A file of the jobs, as a part of the SSD."""

    bytes: int
    start: int = 0


@dataclass
class _Placed:
    """A job and its part of the SSD."""

    section: JobSection
    file: _File
    offset: int
    region: int
    group: int


class _Layout:
    """The jobs of a file on one SSD."""

    def __init__(self, path: str, config: Config) -> None:
        self.path = path
        self.capacity = config.host_bytes
        self.config = config
        self.jobs = sections(Path(path))

    def flows(self) -> list[Flow]:
        """See `FioFile.flows`."""
        files: dict[str, _File] = {}
        placed = self._placed(files)
        end = 0
        for each in files.values():
            each.start = end
            end += -(-each.bytes // FILE_ALIGN_BYTES) * FILE_ALIGN_BYTES if len(files) > 1 else each.bytes
        if end > self.capacity:
            last = placed[-1].section
            raise last.wrong(
                "size", f"all files take {end:,} bytes, the SSD has {self.capacity:,}", "choose a larger SSD"
            )
        names = _names(placed)
        return [self._flow(job, name, number) for number, (job, name) in enumerate(zip(placed, names, strict=True))]

    def warnings(self) -> list[str]:
        """See `FioFile.warnings`."""
        said = []
        for section in self.jobs:
            for name, option in section.options.items():
                if name in HONOURED:
                    continue
                if name in OF_THE_HOST:
                    reason = "is about fio's host and has no meaning for a simulated SSD"
                else:
                    reason = "is not known here and changes nothing"
                said.append(f"{section.file}:{option.line}: {name} = {option.value}: {reason}")
        return list(dict.fromkeys(said))

    def write_iologs(self) -> list[str]:
        """See `FioFile.write_iologs`."""
        of_log: dict[str, list[FioJob]] = {}
        for flow in self.flows():
            job = flow.workload
            if isinstance(job, FioJob) and job.iolog is not None:
                of_log.setdefault(job.iolog, []).append(job)
        for name, jobs in of_log.items():
            write_log(Path(name), jobs, self.config)
        return list(of_log)

    def _placed(self, files: dict[str, _File]) -> list[_Placed]:
        placed: list[_Placed] = []
        group = 0
        for section in self.jobs:
            # `stonewall` waits for all earlier jobs.
            waits = flag(section, "stonewall") or flag(section, "wait_for_previous")
            group += waits and bool(placed)
            for clone in range(count(section, "numjobs", 1, 1, JOBS_MAX)):
                if len(placed) >= JOBS_MAX:
                    raise section.wrong("numjobs", "there are too many jobs", f"run at most {JOBS_MAX} at once")
                placed.append(self._place(section, clone, group, files))
        return placed

    def _place(self, section: JobSection, clone: int, group: int, files: dict[str, _File]) -> _Placed:
        named = section.get("filename")
        key = f"={named.value}" if named else f"{section.name}.{clone}"
        raw_size = section.get("size")
        if raw_size is None and named is None and "read_iolog" not in section.options:
            raise section.wrong("size", "is missing", "say how large the job's file is, for example size=1g")
        whole = self.capacity
        offset: int = numbers(section, "offset", lambda text: size_bytes(text, whole), section.text("offset", "0"))
        step = section.text("offset_increment", "0")
        offset += clone * int(numbers(section, "offset_increment", lambda text: size_bytes(text, whole), step))
        least = max(size.least for size in sizes(section))
        offset -= offset % 512
        region = whole - offset
        if raw_size is not None:
            region = min(numbers(section, "size", lambda text: size_bytes(text, whole), raw_size.value), max(region, 0))
        region -= region % least
        if region < least:
            raise section.wrong(
                "size",
                f"leaves {max(region, 0)} bytes of the SSD's {whole:,}",
                "make the job larger, or its offset smaller",
            )
        file = files.setdefault(key, _File(0))
        file.bytes = max(file.bytes, offset + region)
        return _Placed(section, file, offset, region, group)

    def _flow(self, job: _Placed, name: str, number: int) -> Flow:
        section = job.section
        depth = count(section, "iodepth", 1, 1, 65_535)
        ramp_ns = _time(section, "ramp_time")
        if "read_iolog" in section.options:
            log = Path(self.path).parent / section.text("read_iolog", "")
            replayed = trace(log, format="fio-iolog", wrap=True)
            return Flow(name, replayed, group=job.group, queue_depth=depth, ramp_s=ramp_ns / 1e9 or None)
        lasts_ns = _time(section, "runtime" if "runtime" in section.options else "timeout")
        is_time_based = flag(section, "time_based")
        if is_time_based and not lasts_ns:
            raise section.wrong("time_based", "there is no runtime", "add runtime=10s, or remove it")
        total = 0 if is_time_based else self._total_bytes(section, job.region)
        definition = generator(section, job.region, job.offset, total)
        paced = rest(section)
        is_paced = bool(paced[0] or definition["gap_ns"] or definition["bytes_per_s"])
        iolog = section.get("write_iolog")
        workload = FioJob(
            name=name,
            file=self.path,
            text=json.dumps(definition),
            number=number,
            iolog=None if iolog is None else str(Path(self.path).parent / iolog.value),
        )
        return Flow(
            name,
            workload,
            mode="paced" if is_paced else "closed",
            queue_depth=depth,
            first_sector=job.file.start // 512,
            sectors=(job.offset + job.region) // 512,
            group=job.group,
            # As in fio, the runtime starts at the end of the ramp.
            lasts_s=(lasts_ns + ramp_ns) / 1e9 if lasts_ns else None,
            ramp_s=ramp_ns / 1e9 or None,
            rest=paced if paced[0] else None,
        )

    def _total_bytes(self, section: JobSection, region: int) -> int:
        name = "io_limit" if "io_limit" in section.options else "io_size"
        least = min(size.least for size in sizes(section))
        text = section.text(name, "")
        total = region
        if text:
            total = numbers(section, name, lambda each: size_bytes(each, region), text)
            if section.text("rw", section.text("readwrite", "")).endswith("trimwrite") and total > region:
                # fio begins another pass over the region while trims and writes together are below it.
                total = region * math.ceil(total / (2 * region))
        total *= count(section, "loops", 1, 1, 2**31)
        return max(total - total % least, least)


def _time(section: JobSection, name: str) -> int:
    text = section.text(name, "0")
    try:
        return time_ns(text, "s")
    except NotANumberError:
        raise section.wrong(name, f"`{text}` is no time", "write it as 30s or 5m") from None


def _names(placed: Sequence[_Placed]) -> list[str]:
    """Returns the jobs' names; clones, and sections of one name, get a number at the end."""
    names = [job.section.name for job in placed]
    seen: dict[str, int] = {}
    numbered = []
    for name in names:
        number = seen.get(name, 0)
        seen[name] = number + 1
        numbered.append(name if names.count(name) == 1 else f"{name}.{number}")
    return numbered
