"""Response times of the grid, and what comes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any

from .. import Results
from .points import BASELINE, FIG_14, FIG_15, NORR
from .workloads import TABLE_2, Traced

Condition = tuple[int, float]


class Responses:
    """Mean response times by workload, SSD and condition, us."""

    def __init__(self, results: Results) -> None:
        self._us: dict[tuple[str, str, Condition], float] = {}
        self._norr: dict[str, float] = {}
        self._norr_read: dict[str, float] = {}
        for outcome in results:
            place = outcome.coordinates
            mean_us = float(outcome["response_us.all.mean"])
            if place["system"] == NORR:
                self._norr[place["trace"]] = mean_us
                self._norr_read[place["trace"]] = float(outcome["response_us.read.mean"])
            else:
                at = (place["reliability.pec"], place["reliability.retention_months"])
                self._us[place["trace"], place["system"], at] = mean_us
        self.traces = [traced for traced in TABLE_2 if traced.name in self._norr]
        self.conditions: list[Condition] = sorted({key[2] for key in self._us})

    def us(self, trace: str, system: str, at: Condition) -> float:
        """Mean response time, us."""
        return self._norr[trace] if system == NORR else self._us[trace, system, at]

    def norr_read_us(self, trace: str) -> float:
        """Mean response time of NoRR's reads, us."""
        return self._norr_read[trace]

    def places(
        self, traces: Iterable[Traced] | None = None, conditions: Sequence[Condition] | None = None
    ) -> Iterator[tuple[str, Condition]]:
        """The points of the grid."""
        for traced in self.traces if traces is None else traces:
            for at in self.conditions if conditions is None else conditions:
                yield traced.name, at

    def reductions(self, system: str, against: str, places: Iterable[tuple[str, Condition]]) -> list[float]:
        """By what fraction response times are shorter than another SSD's."""
        return [1.0 - self.us(trace, system, at) / self.us(trace, against, at) for trace, at in places]

    def multiples(self, system: str, places: Iterable[tuple[str, Condition]]) -> list[float]:
        """Response times as multiples of NoRR's."""
        return [self.us(trace, system, at) / self.us(trace, NORR, at) for trace, at in places]

    def gap_closed(self, system: str) -> float:
        """Mean share of the gap between Baseline and NoRR that an SSD closes."""
        shares = []
        for trace, at in self.places():
            slow, fast = self.us(trace, BASELINE, at), self.us(trace, NORR, at)
            shares.append((slow - self.us(trace, system, at)) / (slow - fast))
        return fmean(shares)

    def read_dominant(self, wanted: bool = True) -> list[Traced]:
        """The workloads that mostly read, or the others."""
        return [traced for traced in self.traces if traced.is_read_dominant == wanted]


# Whose response time may not be the longer one, at any point of the grid.
ORDER = (
    (NORR, "PnAR2"),
    ("PnAR2", "PR2"),
    ("PnAR2", "AR2"),
    ("PR2", BASELINE),
    ("AR2", BASELINE),
    (NORR, "PSO+PnAR2"),
    ("PSO+PnAR2", "PSO"),
    ("PSO", BASELINE),
)


def violations(responses: Responses) -> list[dict[str, Any]]:
    """Points of the grid where an order of two SSDs does not hold."""
    return [
        {"workload": trace, "pec": at[0], "retention_months": at[1], "expected_faster": fast, "expected_slower": slow}
        for trace, at in responses.places()
        for fast, slow in ORDER
        if responses.us(trace, fast, at) > responses.us(trace, slow, at)
    ]


def rows(responses: Responses) -> list[dict[str, Any]]:
    """Every point of the grid: mean response times, us, then as fractions of Baseline's."""
    systems = [NORR, *FIG_14, *FIG_15]
    table = []
    for trace, at in responses.places():
        row: dict[str, Any] = {"workload": trace, "pec": at[0], "retention_months": at[1]}
        row |= {f"{name}_us": responses.us(trace, name, at) for name in systems}
        base_us = responses.us(trace, BASELINE, at)
        row |= {name: responses.us(trace, name, at) / base_us for name in systems}
        table.append(row)
    return table
