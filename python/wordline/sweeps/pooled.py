"""Combines the results of several seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..result import Result
from ..stats.seeds import added_bins, aggregate

__all__ = ["pooled"]


def pooled(results: Sequence[Result]) -> Result:
    """Combines the results of several seeds: means with their intervals, and the latency bins of all together.

    The series and intervals over time are those of the first seed.
    """
    first = results[0]
    by_seed = [each.columns["bins"] for each in results]
    document = aggregate([each.document for each in results], by_seed)
    bins = added_bins(by_seed)
    return replace(first, document=document, columns={**first.columns, "bins": bins})
