"""Lone requests: the time of each, and the equations of PR2/AR2 for a read."""

from __future__ import annotations

from ..sweeps.outcome import Outcome

__all__ = ["PAGE_BYTES", "PLANES", "SENSES", "T_DMA_US", "T_ECC_US", "T_SENSE_US", "page_senses", "read_us", "times_us"]

# PR2/AR2, Eq. 1, Table 1 and section 7.1: one sense, senses of LSB, CSB and MSB, transfer of 16 KiB, decoding.
T_SENSE_US, SENSES, T_DMA_US, T_ECC_US = 39.0, (2, 3, 2), 16.0, 20.0
PAGE_BYTES = 16_384
# Pages that the allocation fills before the next page type: one in each plane.
PLANES = 32
NS_PER_US = 1000


def times_us(outcome: Outcome) -> list[float]:
    """Returns response times in order of completion, us, exact to the nanosecond; empty for a computation."""
    if outcome.result is None:
        return []
    table = outcome.result.requests()
    times = zip(table["arrival_ns"].to_pylist(), table["completed_ns"].to_pylist(), strict=True)
    return [(end - start) / NS_PER_US for start, end in times]


def page_senses() -> list[int]:
    """Returns the senses of the pages of a strided read, which reaches each page type on every plane."""
    return [senses for senses in SENSES for _ in range(PLANES)]


def read_us(retry_steps: int, senses: float) -> float:
    """Returns the time of a lone read with regular retry steps, us (Eq. 2 and 3)."""
    return (retry_steps + 1) * (senses * T_SENSE_US + T_DMA_US + T_ECC_US)
