"""Jobs on zones (`zonemode=zbd`): their options, and the zones of the SSD that they fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ..config import Config, Zones
from .document import JobSection
from .job import Extent, count, kind, numbers, sizes
from .place import Placed
from .units import number, size_bytes

#: Options whose sizes may be counted in zones (`size=4z`).
IN_ZONES = ("size", "io_size", "offset", "offset_increment")


def is_zoned(section: JobSection) -> bool:
    """Returns True for a job on zones."""
    return section.text("zonemode", "none") == "zbd"


def in_bytes(section: JobSection, zones: Zones | None) -> JobSection:
    """Returns a job with its sizes in bytes, where some are counted in zones.

    Raises:
        FioError: The SSD has no zones.
    """
    if not is_zoned(section):
        return section
    if zones is None:
        fix = 'take a drive of zones, such as wd-zn540-1tb, or set zones.mode = "on"'
        raise section.wrong("zonemode", "writes to zones, and this SSD has none", fix)
    options = dict(section.options)
    for name in IN_ZONES:
        option = options.get(name)
        if option is not None and (match := re.fullmatch(r"(\d{1,9})z", option.value.strip())):
            options[name] = option._replace(value=str(int(match[1]) * zones.size_bytes))
    return JobSection(section.file, section.title, section.line, options)


def zbd(section: JobSection, zones: Zones, extent: Extent, jobs: int) -> tuple[dict[str, Any], Extent]:
    """Returns what the core's generator needs to know of zones, for one of so many jobs, and its region in whole zones.

    Raises:
        FioError: The options do not fit the zones of the SSD, or ask for what is not simulated.
    """
    _check_shape(section, zones)
    _check_requests(section, zones)
    first = -(-extent.offset // zones.size_bytes)
    last = (extent.offset + extent.region) // zones.size_bytes
    if last <= first:
        fix = f"begin and end at multiples of {zones.size_bytes}, or write size=4z"
        raise section.wrong("size", f"there is no whole zone of {zones.size_bytes:,} bytes in it", fix)
    region = (last - first) * zones.size_bytes
    whole = Extent(first * zones.size_bytes, region, extent.file, min(extent.size, region))
    return {
        "zone_bytes": zones.size_bytes,
        "capacity_bytes": zones.capacity_bytes,
        "max_open": _max_open(section, zones, jobs),
        "reset_threshold": _share(section, "zone_reset_threshold"),
        "reset_frequency": _share(section, "zone_reset_frequency"),
    }, whole


def check_apart(jobs: Sequence[Placed]) -> None:
    """Checks that jobs which write share no zones: each would write where the other one has moved the write pointer.

    Raises:
        FioError: Two share some.
    """
    writing = [job for job in jobs if job.zbd and not _only_reads(job.section)]
    for one, other in pairwise(sorted(writing, key=lambda job: job.extent.offset)):
        if one.extent.offset + one.extent.region > other.extent.offset:
            message = f"begins in zones that job `{one.section.name}` writes, too, which is not simulated"
            fix = "give each job zones of its own, such as size=2z with offset_increment=2z"
            raise other.section.wrong("offset" if other.section.get("offset") else "size", message, fix)


def nothing_to_read(section: JobSection, config: Config) -> str:
    """Says that a job reads zones which hold nothing before the run; nothing of other jobs."""
    if not is_zoned(section) or not _only_reads(section) or config["precondition.fill"] not in ("lazy", 0):
        return ""
    return (
        f"{section.file}:{section.line}: [{section.title}] reads what its zones hold before the run, which is nothing: "
        "set precondition.fill, or load a state"
    )


def _only_reads(section: JobSection) -> bool:
    return kind(section)[0] == {"read-percent": 100}


def _check_shape(section: JobSection, zones: Zones) -> None:
    for name, bytes_ in (("zonesize", zones.size_bytes), ("zonecapacity", zones.capacity_bytes)):
        given: int = numbers(section, name, size_bytes, section.text(name, "0"))
        if given not in (0, bytes_):
            raise section.wrong(
                name, f"{given:,} bytes are not the {bytes_:,} of the SSD", f"write {bytes_}, or remove it"
            )


def _check_requests(section: JobSection, zones: Zones) -> None:
    mix, _, modifier = kind(section)
    if not isinstance(mix, dict):
        raise section.wrong("rw", "trims zones, which fio does by resets", "write zone_reset_frequency=, or rw=write")
    if modifier:
        raise section.wrong("rw", f"`:{modifier}` has no meaning on zones", "remove it")
    if not section.text("random_distribution", "random").startswith("random"):
        raise section.wrong("random_distribution", "is not simulated on zones", "remove it")
    for size in sizes(section):
        if len(size.steps) > 1 or size.up_to:
            raise section.wrong("bs", "several sizes are not simulated on zones", "write one bs")
        if size.least % zones.block_bytes:
            fix = f"write a multiple of {zones.block_bytes} (ftl.unit_bytes)"
            raise section.wrong("bs", f"{size.least} bytes are no whole logical blocks", fix)
        if size.least > zones.capacity_bytes:
            raise section.wrong("bs", f"a zone has {zones.capacity_bytes:,} bytes", "write less")


def _max_open(section: JobSection, zones: Zones, jobs: int) -> int:
    """Returns how many zones a job may have open: its own limit, and its share of what all jobs and the SSD may."""
    own = count(section, "job_max_open_zones", 0, 0, 2**31)
    shared = count(section, "max_open_zones", 0, 0, 2**31)
    limits = [own, *(max(limit // jobs, 1) for limit in (shared, zones.max_open) if limit)]
    return min((limit for limit in limits if limit), default=0)


def _share(section: JobSection, name: str) -> float:
    share: float = numbers(section, name, number, section.text(name, "0"))
    if not 0 <= share <= 1:
        raise section.wrong(name, f"{share} is out of range", "it takes 0 to 1")
    return share
