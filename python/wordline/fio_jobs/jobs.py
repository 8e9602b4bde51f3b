"""The jobs of a file as flows on an SSD: their places, their starts, and their pace."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, NoReturn

from ..config import Config, Zones, preset
from ..errors import WorkloadError
from ..workload import FioJob, Flow, trace
from .check import check, page_cache, warnings
from .document import JobSection, sections
from .job import depth, flag, generator, rest, time
from .place import Placed, place
from .placement import handle_ranges, handle_seed, handles
from .zones import check_apart, in_bytes, is_zoned, nothing_to_read, zbd

__all__ = ["FioFile", "fio"]


@dataclass(frozen=True)
class FioFile:
    """The jobs of a file, to run on any SSD: `wordline.run(ssd, wordline.fio("job.fio"))`.

    Attributes:
        path: The file.
        reading: How logs are read that jobs replay: options of `wordline.trace`.
    """

    path: str
    reading: tuple[tuple[str, Any], ...] = ()

    def __iter__(self) -> NoReturn:
        """Says which SSD is missing, without which a job has no addresses.

        Raises:
            TypeError: Always.
        """
        raise TypeError('a fio job has parts of an SSD: iterate over .flows(ssd), such as .flows("mqsim")')

    def flows(self, config: Config | str) -> list[Flow]:
        """Returns one flow for each job, and for each of its clones (`numjobs`), on an SSD.

        Args:
            config: The SSD: a configuration, or the name of a preset.

        Raises:
            FioError: The file cannot be read, cannot be run on this SSD, or has an option that would change its
                requests and is not simulated.
            UnknownPresetError: The preset does not exist.
        """
        if isinstance(config, str):
            config = preset(config)
        jobs = sections(Path(self.path))
        for section in jobs:
            check(section)
        zones = config.zones
        placed = place([in_bytes(section, zones) for section in jobs], config.host_bytes)
        zoned = sum(is_zoned(job.section) for job in placed)
        placed = [_on_zones(job, zones, zoned) for job in placed]
        check_apart(placed)
        names = _names(placed)
        return [
            replace(
                _flow(self, job, name, number),
                handles=handles(job.section, config),
                handle_seed=handle_seed(job.section, number),
                handle_ranges=handle_ranges(job.section, config),
            )
            for number, (job, name) in enumerate(zip(placed, names, strict=True))
        ]

    def warnings(self, config: Config) -> list[str]:
        """Returns the options that have no meaning for a simulated SSD, or a simpler one, each with its line.

        Raises:
            FioError: See `flows`.
        """
        self.flows(config)
        jobs = sections(Path(self.path))
        found = [
            page_cache(jobs),
            *(text for job in jobs for text in warnings(job)),
            *(nothing_to_read(job, config) for job in jobs),
        ]
        return list(dict.fromkeys(filter(None, found)))

    def logs(self, config: Config) -> list[str]:
        """Returns the files for what a run submits (`write_iolog`), which `wordline.run` writes.

        Raises:
            FioError: See `flows`.
        """
        jobs = [flow.workload for flow in self.flows(config)]
        return list(dict.fromkeys(job.iolog for job in jobs if isinstance(job, FioJob) and job.iolog is not None))


def fio(path: str | PathLike[str], **reading: str) -> FioFile:
    """Returns a fio job file as a workload; it is read when it is run.

    Args:
        path: The file. Its jobs are flows; `numjobs` clones them, `stonewall` makes them start one after the other.
        reading: How logs are read that jobs replay (`read_iolog`): options of `wordline.trace`, such as
            `on_time_back="clamp"`.

    Raises:
        WorkloadError: This is no file's name.
    """
    if not isinstance(path, str | PathLike):
        raise WorkloadError(f"a {type(path).__name__} is no fio job file's name")
    return FioFile(fspath(path), tuple(reading.items()))


def _on_zones(job: Placed, zones: Zones | None, jobs: int) -> Placed:
    """Returns a job with what its generator needs to know of zones, where it is one of so many on zones."""
    if zones is None or not is_zoned(job.section):
        return job
    if job.file.start:
        fix = "add filename=/dev/nvme0n1 to each job, and tell their zones apart by offset="
        raise job.section.wrong("filename", "this job's file begins behind another one", fix)
    definition, extent = zbd(job.section, zones, job.extent, jobs)
    return replace(job, extent=extent, zbd=definition)


def _flow(jobs: FioFile, job: Placed, name: str, number: int) -> Flow:
    path = jobs.path
    section = job.section
    ramp_ns, delay_ns = time(section, "ramp_time"), time(section, "startdelay")
    if "read_iolog" in section.options:
        log = Path(path).parent / section.text("read_iolog", "")
        replayed = trace(log, format="fio-iolog", wrap=True, **dict(jobs.reading))
        is_closed = flag(section, "replay_no_stall")
        mode: Literal["closed", "auto"] = "closed" if is_closed else "auto"
        return Flow(
            name, replayed, mode=mode, group=job.group, queue_depth=depth(section), ramp_s=ramp_ns / 1e9 or None
        )
    lasts_ns = time(section, "runtime")
    if flag(section, "time_based") and not lasts_ns:
        raise section.wrong("time_based", "there is no runtime", "add runtime=10s, or remove it")
    definition = generator(section, job.extent) | ({"zbd": job.zbd} if job.zbd else {})
    paced = rest(section)
    is_paced = bool(paced[0] or delay_ns or definition["gap_ns"] or definition["bytes_per_s"])
    workload = FioJob(
        name=name,
        file=path,
        text=json.dumps(definition),
        number=number,
        iolog=_log(section, Path(path).parent),
    )
    return Flow(
        name,
        workload,
        mode="paced" if is_paced else "closed",
        queue_depth=depth(section),
        first_sector=job.file.start // 512,
        sectors=job.end // 512,
        group=job.group,
        # As in fio, the runtime starts at the end of the ramp, and both after the delay.
        lasts_s=(lasts_ns + ramp_ns + delay_ns) / 1e9 if lasts_ns else None,
        ramp_s=(ramp_ns + delay_ns) / 1e9 if ramp_ns else None,
        rest=paced if paced[0] else None,
    )


def _log(section: JobSection, folder: Path) -> str | None:
    """Returns the file for what a job submits, in the folder of the job file: a job may come from anybody.

    Raises:
        FioError: It names another folder.
    """
    option = section.get("write_iolog")
    if option is None:
        return None
    if option.value in ("", ".", "..") or any(mark in option.value for mark in "/\\:"):
        fix = "write a plain name: the log goes to the folder of the job file"
        raise section.wrong("write_iolog", f"`{option.value}` is no name of a file in that folder", fix)
    return str(folder / option.value)


def _names(placed: Sequence[Placed]) -> list[str]:
    """Returns the jobs' names; clones, and sections of one name, get a number at the end."""
    names = [job.section.name for job in placed]
    seen: dict[str, int] = {}
    numbered = []
    for name in names:
        number = seen.get(name, 0)
        seen[name] = number + 1
        numbered.append(name if names.count(name) == 1 else f"{name}.{number}")
    return numbered
