"""Where the jobs of a file lie on the SSD, and which of them begin after others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .document import JobSection
from .job import Extent, count, flag, numbers, sizes, time
from .units import size_bytes

JOBS_MAX = 4096
# Files start at multiples of this, as on a file system with large extents.
FILE_ALIGN_BYTES = 1 << 20


@dataclass
class File:
    """A file of the jobs, as a part of the SSD, bytes."""

    bytes: int
    start: int = 0


@dataclass
class Placed:
    """A job and its part of the SSD; jobs begin by group, from 0."""

    section: JobSection
    file: File
    extent: Extent
    group: int
    zbd: dict[str, Any] | None = None

    @property
    def end(self) -> int:
        """The end of what it can reach of its file, bytes: a request may end behind the region if the file goes on."""
        largest = max(max(size.up_to, *(step[0] for step in size.steps)) for size in sizes(self.section))
        return min(self.extent.offset + -(-self.extent.region // largest) * largest, self.extent.file)


def place(jobs: Sequence[JobSection], capacity: int) -> list[Placed]:
    """Returns the jobs with their clones, each with its part of an SSD of so many bytes.

    Raises:
        FioError: They do not fit, or begin in an order that cannot be simulated.
    """
    placed: list[Placed] = []
    files: dict[str, File] = {}
    barrier = 0
    for section in jobs:
        if flag(section, "stonewall") and placed:
            # It waits for all earlier jobs.
            barrier = max(job.group for job in placed) + 1
        group = max(barrier, _after(section, placed))
        for clone in range(count(section, "numjobs", 1, 1, JOBS_MAX)):
            if len(placed) >= JOBS_MAX:
                raise section.wrong("numjobs", "there are too many jobs", f"run at most {JOBS_MAX} at once")
            key = _file_name(section, clone)
            extent = _extent(section, clone, capacity)
            file = files.setdefault(key, File(0))
            file.bytes = max(file.bytes, extent.file)
            placed.append(Placed(section, file, extent, group))
    _check_order(placed)
    end = 0
    for each in files.values():
        each.start = end
        end += -(-each.bytes // FILE_ALIGN_BYTES) * FILE_ALIGN_BYTES if len(files) > 1 else each.bytes
    if end > capacity:
        last = placed[-1].section
        fix = "choose a larger SSD, or smaller sizes; with filename=/dev/nvme0n1 jobs share the SSD"
        raise last.wrong("size", f"all files take {end:,} bytes, the SSD has {capacity:,}", fix)
    for job in placed:
        # Jobs that share a file find it as long as the longest has made it.
        job.extent = job.extent._replace(file=job.file.bytes)
    return placed


def _after(section: JobSection, placed: Sequence[Placed]) -> int:
    """Returns the first group in which a job may begin that waits for another one."""
    name = section.text("wait_for", "")
    if not name:
        return 0
    groups = [job.group for job in placed if job.section.name == name]
    if not groups:
        raise section.wrong("wait_for", f"there is no job `{name}` before it", "name an earlier job")
    return max(groups) + 1


def _check_order(placed: Sequence[Placed]) -> None:
    for job in placed:
        name = job.section.text("wait_for", "")
        beside = {each.section.name for each in placed if each.group == job.group - 1} - {name}
        if name and beside:
            raise job.section.wrong(
                "wait_for",
                f"{', '.join(sorted(beside))} may still be at work when {name} ends, and a job can only wait for all",
                "write stonewall, which waits for all earlier jobs",
            )
        if time(job.section, "startdelay") and any(each.group > 0 for each in placed):
            raise job.section.wrong(
                "startdelay",
                "counts from the start of fio itself; `stonewall` and `wait_for` ignore a job that has not begun",
                "count it from the start, and without them: startdelay=60 where the job before ends sooner; "
                "or pause within one job: thinktime=3s with thinktime_blocks=N, after each N requests",
            )


def _file_name(section: JobSection, clone: int) -> str:
    folder = section.text("directory", "")
    if ":" in folder:
        raise section.wrong("directory", "names several folders", "write a job for each folder")
    named = section.get("filename")
    if named is None:
        form = section.text("filename_format", "$jobname.$jobnum.$filenum")
        for word, value in (("$jobname", section.name), ("$jobnum", str(clone)), ("$filenum", "0")):
            form = form.replace(word, value)
        return f"{folder}/{form}"
    if re.search(r"(?<!\\):", named.value):
        raise section.wrong("filename", "names several files", "write a job for each file")
    return f"{folder}/{named.value}"


def _extent(section: JobSection, clone: int, capacity: int) -> Extent:
    size_text = section.text("size", "")
    filesize = _filesize(section)
    has_file = "filename" in section.options
    # A file that is named, and has no size of its own, is the SSD.
    is_device = section.text("filename", "").startswith("/dev/") or (has_file and not size_text and not filesize)
    for name in ("size", "offset", "offset_increment"):
        if "%" in section.text(name, "") and not has_file:
            fix = "add filename=/dev/nvme0n1, which is the SSD here"
            raise section.wrong(name, "is a share of a file that has no size yet", fix)
    if not size_text and not filesize and not has_file and "read_iolog" not in section.options:
        raise section.wrong("size", "is missing", "say how large the job's file is, for example size=1g")
    whole = filesize or capacity
    offset = _offset(section, clone, whole)
    behind = whole - offset
    if filesize or "%" not in size_text:
        region = behind if filesize or not size_text else _bytes(section, "size", whole)
    else:
        region = min(_bytes(section, "size", whole), max(behind, 0))
    if size_text.endswith("%"):
        region -= region % min(size.least for size in sizes(section))
    least = min(size.least for size in sizes(section))
    if region < least or offset + region > capacity:
        raise section.wrong(
            "size" if size_text else "filesize" if filesize else "offset",
            f"bytes {offset:,} to {offset + region:,} are not within the SSD's {capacity:,}",
            "choose a larger SSD, a smaller size, or a smaller offset",
        )
    size = region if not size_text or size_text.endswith("%") else min(_bytes(section, "size", whole), region)
    return Extent(offset, region, capacity if is_device else offset + region, size)


def _bytes(section: JobSection, name: str, whole: int) -> int:
    value: int = numbers(section, name, lambda text: size_bytes(text, whole), section.text(name, "0"))
    return value


def _filesize(section: JobSection) -> int:
    text = section.text("filesize", "0")
    low, dash, high = text.partition("-")
    if dash and low != high:
        raise section.wrong("filesize", "is a random size", "write one size")
    value: int = numbers(section, "filesize", size_bytes, low)
    return value


def _offset(section: JobSection, clone: int, whole: int) -> int:
    offset = _bytes(section, "offset", whole) + clone * _bytes(section, "offset_increment", whole)
    if any("%" in section.text(name, "") for name in ("offset", "offset_increment")):
        # As in fio, a share is rounded up.
        align = _bytes(section, "offset_align", whole) or min(size.least for size in sizes(section))
        offset = -(-offset // align) * align
    if offset % 512:
        name = "offset" if _bytes(section, "offset", whole) % 512 else "offset_increment"
        fix = f"write {name}={offset - offset % 512}, or another multiple of 512"
        raise section.wrong(name, f"byte {offset:,} is within a sector of 512 bytes", fix)
    return offset
