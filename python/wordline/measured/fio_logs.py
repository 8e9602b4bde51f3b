"""fio's logs over time (`write_iops_log`, `write_lat_log`): numbers of clones over the time in which all ran."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import InputFileError
from ..files import read_input
from .point import IOPS_MAX, Numbers, Op

__all__ = ["over_common_time"]

OPTIONS = ("write_iops_log", "write_lat_log")
DIRECTIONS: Mapping[Op, str] = {"read": "0", "write": "1"}
BYTES_MAX = 1 << 26


class _Sample(NamedTuple):
    """A value of a log, and the end of its interval, ms after the job began."""

    end_ms: int
    value: float


def over_common_time(
    file: str, options: Mapping[str, str], places: Sequence[int], op: Op, scale_us: float
) -> Numbers | None:
    """Returns IOPS and mean latency of clones from their logs; None where there are no logs of means.

    Jobs that stop by themselves end at different times: what fio prints of each is about a time of its own.

    Args:
        file: The result of fio: its logs are in the same folder.
        options: The options of the section.
        places: The numbers of the jobs in the result, from 1: they are in the names of the logs.
        op: The kind of request.
        scale_us: The length of the unit of latencies, us.

    Raises:
        InputFileError: A log cannot be read.
    """
    if any(name not in options for name in OPTIONS) or options.get("log_avg_msec", "0") == "0":
        return None
    folder = Path(file).parent
    rates, latencies = (
        [folder / f"{Path(options[name]).name}_{kind}.{place}.log" for place in places]
        for name, kind in zip(OPTIONS, ("iops", "lat"), strict=True)
    )
    if not all(path.is_file() for path in (*rates, *latencies)):
        return None
    jobs = [(_samples(rate, op), _samples(latency, op)) for rate, latency in zip(rates, latencies, strict=True)]
    if not all(rate and latency for rate, latency in jobs):
        return None
    end_ms = min(min(rate[-1].end_ms, latency[-1].end_ms) for rate, latency in jobs)
    iops = [_mean(rate, end_ms) for rate, _ in jobs]
    means = [_mean(latency, end_ms) for _, latency in jobs]
    total = sum(iops)
    if not 0 < total <= IOPS_MAX:
        return None
    weighed = sum(rate * mean for rate, mean in zip(iops, means, strict=True))
    return Numbers(total, weighed * scale_us / total or None)


def _samples(path: Path, op: Op) -> list[_Sample]:
    """Returns the samples of one kind of request: `time, value, direction, ...` a line."""
    samples = []
    lines = csv.reader(read_input(path, BYTES_MAX).decode("utf-8", "replace").splitlines(), skipinitialspace=True)
    for line in lines:
        try:
            time_ms, value, direction = int(line[0]), float(line[1]), line[2]
        except (ValueError, IndexError):
            raise InputFileError(str(path), lines.line_num, "", "is no line of a log of fio's", "log it anew") from None
        if direction == DIRECTIONS[op]:
            samples.append(_Sample(time_ms, value))
    return samples


def _mean(samples: Sequence[_Sample], end_ms: int) -> float:
    """Returns the mean until a time, each value over the interval that ends with it."""
    begin_ms, total = 0, 0.0
    for each in samples:
        stop_ms = min(each.end_ms, end_ms)
        total += each.value * max(stop_ms - begin_ms, 0)
        begin_ms = max(begin_ms, stop_ms)
    return total / begin_ms if begin_ms else 0.0
