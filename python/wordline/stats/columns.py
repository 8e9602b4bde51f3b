"""A run's tables as plain lists: statistics need a few dozen rows, so no large library is used."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from ..tables import Columns
from .percentile import Histogram

__all__ = ["OPS", "PERCENTILES", "Batches", "by_flow", "histograms"]

OPS = ("all", "read", "write")
PERCENTILES = {
    "p50": 0.5,
    "p90": 0.9,
    "p95": 0.95,
    "p99": 0.99,
    "p999": 0.999,
    "p9999": 0.9999,
    "p99999": 0.99999,
    "p999999": 0.999999,
}
"""Percentiles of a result, with the share of values up to each."""
NS_PER_US = 1000.0


class Batches:
    """The intervals of a run that have counted requests, used as batches of its statistics."""

    def __init__(self, columns: Columns, end_s: float, start_s: float = 0.0, time_s: float | None = None) -> None:
        """Takes the intervals that have requests.

        Args:
            columns: The intervals.
            end_s: When the window ends.
            start_s: When it begins.
            time_s: How long the flow ran, if it is one of several: it may begin and end within an interval.
        """
        whole = {name: array("Q", data) for name, (_, data, _) in columns.items()}
        counted = [place for place, each in enumerate(zip(whole["reads"], whole["writes"], strict=True)) if any(each)]
        kept = slice(counted[0], counted[-1] + 1) if counted else slice(0, 0)
        starts = [each / 1e9 for each in whole["start_ns"]]
        ends = [*starts[1:], max([end_s, *starts])]
        # The window begins within the first batch, and the warm-up is not part of it.
        starts = [min(max(start, start_s), end) for start, end in zip(starts, ends, strict=True)]
        self._columns = {name: column[kept] for name, column in whole.items()}
        self.duration_s = [end - start for start, end in zip(starts, ends, strict=True)][kept]
        if time_s is not None and self.duration_s:
            # What its first and last intervals have too much of is taken from both alike.
            inner, outer = math.fsum(self.duration_s[1:-1]), math.fsum(self.duration_s[:1] + self.duration_s[1:][-1:])
            share = min(1.0, max(time_s - inner, 0.0) / outer) if outer else 1.0
            for place in {0, len(self.duration_s) - 1}:
                self.duration_s[place] *= share

    def __getitem__(self, name: str) -> Sequence[int]:
        return self._columns[name]

    def __len__(self) -> int:
        return len(self.duration_s)

    @classmethod
    def of_run(cls, document: Mapping[str, Any], columns: Mapping[str, Columns]) -> Batches:
        """The batches of a run's window."""
        window = document["window"]
        return cls(columns["intervals"], window["end_s"], window["start_s"])

    def whole(self, *numbers: Sequence[float]) -> list[tuple[float, ...]]:
        """Returns several numbers of each batch, without the last batch if it is incomplete."""
        rows = list(zip(*numbers, strict=True))
        is_cut = len(rows) > 1 and self.duration_s[-1] < 0.5 * self.duration_s[-2]
        return rows[:-1] if is_cut else rows

    def requests(self, op: str) -> list[int]:
        """Returns the number of requests of each batch."""
        return self._of(op, "{}s")

    def bytes(self, op: str) -> list[int]:
        """Returns the bytes of each batch."""
        return self._of(op, "{}_bytes")

    def latency_us(self, op: str) -> list[float]:
        """Returns the sum of response times of each batch, us."""
        return [each / NS_PER_US for each in self._of(op, "{}_latency_sum_ns")]

    def places(self) -> list[float]:
        """Returns where the middle of each batch lies, from 0 to 1, by the requests before it."""
        counts = self.requests("all")
        whole, before, places = sum(counts) or 1, 0, []
        for count in counts:
            places.append((before + count / 2) / whole)
            before += count
        return places

    def beyond(self, op: str, percentile: str) -> Sequence[int]:
        """Returns the number of requests of each batch that took longer than a percentile of the whole run."""
        return self[f"{op}_over_{percentile}"]

    def _of(self, op: str, name: str) -> list[int]:
        parts = [self[name.format(each)] for each in (("read", "write") if op == "all" else (op,))]
        return [sum(each) for each in zip(*parts, strict=True)]


def histograms(bins: Columns) -> Mapping[str, Histogram]:
    """Returns response times in ns, by op. The rows of an op are consecutive."""
    _, places, words = bins["op"]
    ops = array("i", places)
    upper, count = (array("Q", bins[name][1]) for name in ("upper_ns", "count"))
    by_op = {}
    start = 0
    for number, op in enumerate(words):
        rows = slice(start, start := start + ops.count(number))
        by_op[op] = Histogram(upper[rows], count[rows])
    return by_op


def by_flow(table: Columns) -> dict[str, Columns]:
    """Returns the rows of each flow of a table whose first column is the flow; the rows of a flow are consecutive."""
    _, places, names = table["flow"]
    flows = array("i", places)
    columns_of_flow: dict[str, Columns] = {}
    start = 0
    for number, name in enumerate(names):
        stop = start + flows.count(number)
        columns_of_flow[name] = {
            column: (kind, data[start * size : stop * size], words)
            for column, (kind, data, words) in table.items()
            if column != "flow"
            for size in (8 if kind == "uint64" else 4,)
        }
        start = stop
    return columns_of_flow
