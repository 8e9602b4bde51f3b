"""The log of the requests of jobs (`write_iolog`)."""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

from ..config import Config
from ..output import atomic
from ..workload import FioJob

__all__ = ["write_log"]

FORMAT = "fio-iolog"
HEAD_LINES = 3
"""The version, and that the file is added and opened."""
CLOSE = "close"


def write_log(target: Path, jobs: Sequence[FioJob], config: Config) -> None:
    """Writes the requests of jobs into one log, in the order of their times: clones share the log of their job.

    fio itself puts the log of one clone, head and all, behind that of another, and warns of the heads in a replay.

    Raises:
        TraceError: The file cannot be written.
    """
    if len(jobs) == 1:
        jobs[0].write(target, config, to=FORMAT, force=True)
        return
    with tempfile.TemporaryDirectory(prefix="wordline-iolog-") as folder:
        parts = [Path(folder) / str(number) for number in range(len(jobs))]
        for job, part in zip(jobs, parts, strict=True):
            job.write(part, config, to=FORMAT)
        atomic.file(target, lambda work: _merge(parts, work))


def _merge(parts: Sequence[Path], target: Path) -> None:
    with ExitStack() as stack, target.open("w", encoding="utf-8", newline="\n") as merged:
        files = [stack.enter_context(part.open(encoding="utf-8")) for part in parts]
        heads = [list(islice(file, HEAD_LINES)) for file in files]
        merged.writelines(heads[0])
        last = ""
        for line in heapq.merge(*files, key=_time_us):
            if line.rstrip().endswith(CLOSE):
                last = line
            else:
                merged.write(line)
        merged.write(last)


def _time_us(line: str) -> int:
    return int(line.partition(" ")[0])
