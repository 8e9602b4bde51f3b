"""What a run measured of some of its flows, in the words of a measured point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from ..stats.columns import NS_PER_US, by_flow, histograms
from ..stats.percentile import Histogram
from ..tables import Columns
from .agreement import Agreement, Row
from .point import SHARES, Numbers, Op, Point
from .reading import read

__all__ = ["beside", "numbers_of"]


def numbers_of(
    document: Mapping[str, Any],
    columns: Mapping[str, Columns],
    names: Sequence[str],
    op: Op,
    own_us: float = 0.0,
    length_s: float | None = None,
) -> Numbers:
    """Returns the numbers of one kind of request of some flows together.

    A percentile is None where no request lies beyond it.

    Args:
        document: The run's.
        columns: Its tables.
        names: The flows.
        op: The kind of request.
        own_us: Time that the job's processor takes before a request is submitted. fio's percentiles begin behind it.
        length_s: The length of the window in which requests were submitted that count; None: that of the run.
    """
    flows = document["flows"]
    parts = [flows[name] for name in names if name in flows] or [document]
    counts = [each["requests"][op] for each in parts]
    total = sum(counts)
    if not total:
        return Numbers()
    mean_us = sum(n * each["response_us"][op]["mean"] for n, each in zip(counts, parts, strict=True)) / total
    window = document["window"]
    time_s = max(each.get("time_s", window["end_s"] - window["start_s"]) for each in parts)
    histogram = _histogram(columns, names, op)
    percentiles = {
        name: max(histogram.at(share) / NS_PER_US - own_us, 0.0)
        for name, share in SHARES.items()
        if int(round(total * (1 - share), 6)) >= 1
    }
    return Numbers(total / (length_s or time_s), mean_us, **percentiles)


def beside(
    document: Mapping[str, Any],
    columns: Mapping[str, Columns],
    own_us: float,
    measured: str | PathLike[str] | Sequence[str | PathLike[str]],
) -> Agreement:
    """Returns the numbers of a run beside those of the measured jobs of the same name.

    Raises:
        InputFileError: A file cannot be read.
        ValueError: The run has no such flow.
    """
    names = [flow["flow"] for flow in document["workload"]["flows"]]
    rows = [
        Row(point, numbers_of(document, columns, _flows_of(point, names), point.op, own_us))
        for point in read(measured).points
    ]
    return Agreement(document["workload"]["name"], rows)


def _flows_of(point: Point, names: Sequence[str]) -> list[str]:
    """Returns the names of the flows of a point's job. Clones of a job have a number behind its name."""
    job = point.label("job")
    own = [name for name in names if name == job or name.rpartition(".")[0] == job] if job else list(names)
    if not own:
        raise ValueError(f"{point.where}: the run has no flow `{job}`; it has {', '.join(names)}")
    return own


def _histogram(columns: Mapping[str, Columns], names: Sequence[str], op: Op) -> Histogram:
    """Returns the response times of some flows together, ns."""
    if "flow_bins" not in columns:
        return histograms(columns["bins"])[op]
    counts: Counter[float] = Counter()
    for name, own in by_flow(columns["flow_bins"]).items():
        if name in names and (part := histograms(own).get(op)) is not None:
            counts.update(dict(zip(part.upper, part.count, strict=True)))
    upper = sorted(counts)
    return Histogram(upper, [counts[each] for each in upper])
