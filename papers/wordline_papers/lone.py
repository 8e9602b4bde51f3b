"""Lone requests: reads of one page at a time on an idle SSD, and the equations of PR2/AR2 for a read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wordline.sweeps.outcome import Outcome
from wordline.sweeps.point import Point

__all__ = [
    "FREE_HOST", "NO_COMMANDS", "ONE_PLANE", "PAGE_BYTES", "PLANES", "SENSES", "T_DMA_US", "T_ECC_US", "T_SENSE_US",
    "deviation_us", "page_senses", "read_us", "strided_reads", "times_us",
]  # fmt: skip

# PR2/AR2, Eq. 1, Table 1 and section 7.1: one sense, senses of LSB, CSB and MSB, transfer of 16 KiB, decoding.
T_SENSE_US, SENSES, T_DMA_US, T_ECC_US = 39.0, (2, 3, 2), 16.0, 20.0
PAGE_BYTES = 16_384
# Pages that the allocation fills before the next page type: one in each plane.
PLANES = 32
NS_PER_US = 1000
ONE_PLANE: dict[str, Any] = {
    "ssd.channels": 1,
    "ssd.chips_per_channel": 1,
    "ssd.dies_per_chip": 1,
    "ssd.planes_per_die": 1,
}
# A host that takes no time.
FREE_HOST: dict[str, Any] = {
    "host.link_rate_mb_s": 0.0,
    "host.link_request_ns": 0,
    "host.submit_ns": 0,
    "host.complete_ns": 0,
}
# Eq. 2 to 5 leave out what commands take on the bus.
NO_COMMANDS: dict[str, Any] = {
    "channel.read_command_ns": 0,
    "channel.read_command_plane_ns": 0,
    "channel.retry_command_ns": 0,
    "channel.set_feature_command_ns": 0,
    "channel.reset_command_ns": 0,
}


def strided_reads(
    ssd: str,
    keys: Mapping[str, Any],
    *,
    pages: int = PLANES * len(SENSES),
    page_bytes: int = PAGE_BYTES,
    **more: Any,  # noqa: ANN401 - of `Point`
) -> Point:
    """Returns reads of one page after the other, each with the same number of retry steps."""
    given = {
        "cells.chip": "none",
        "host.queue_depth": 1,
        "workload.pattern": "strided",
        "workload.stride_bytes": page_bytes,
        "workload.read_block_bytes": 4096,
    }
    return Point(ssd, {**given, **keys}, "fio/strided-read", requests=pages, **{"log_requests": True, **more})


def times_us(outcome: Outcome) -> list[float]:
    """Returns response times in order of completion, us, exact to the nanosecond; empty for a computation."""
    if outcome.result is None:
        return []
    table = outcome.result.requests()
    times = zip(table["arrival_ns"].to_pylist(), table["completed_ns"].to_pylist(), strict=True)
    return [(end - start) / NS_PER_US for start, end in times]


def deviation_us(outcome: Outcome, expected_us: Sequence[float]) -> float:
    """Returns the largest difference between response times and their formula, us."""
    return max(abs(here - there) for here, there in zip(times_us(outcome), expected_us, strict=True))


def page_senses() -> list[int]:
    """Returns the senses of the pages of a strided read, which reaches each page type on every plane."""
    return [senses for senses in SENSES for _ in range(PLANES)]


def read_us(retry_steps: int, senses: float) -> float:
    """Returns the time of a lone read with regular retry steps, us (Eq. 2 and 3)."""
    return (retry_steps + 1) * (senses * T_SENSE_US + T_DMA_US + T_ECC_US)
