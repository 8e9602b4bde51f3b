"""A measured number as text, with how certain it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .numbers import NOTHING, dig, measure

FEW = "*"
"""Marks a percentile with fewer than 100 samples beyond it."""
FEW_MEANS = f"{FEW} fewer than 100 requests lie beyond it"
UNKNOWN = " ±?"
"""Stands for an interval that the run is too short to end."""
LONG_UNITS = (("s", 1e6, 1e7), ("ms", 1e3, 1e5))
"""Units of long times with their us, and from which us on they are used."""
DRAM = "DRAM"
"""Stands for a response time of zero: no time is modelled for what the controller answers from its DRAM."""


def cell(document: Mapping[str, Any], *path: str, scale: float = 1.0) -> str:
    """A number of a run's document, its interval and its mark: `709.1 ±3.1`, `780.3*`, `DRAM`, `-`.

    Args:
        document: The run.
        path: The number.
        scale: It is multiplied by this, as from us to ms.
    """
    from ..stats import interval_of

    value = dig(document, *path)
    if path[0] == "response_us":
        samples = beyond_of(document, path[1], path[2])
        if not dig(document, "requests", path[1]) or samples == 0:
            return NOTHING
        if not dig(document, "response_us", path[1], "max"):
            return DRAM
    # Where all requests take no time, there is no rate either.
    if value is None and path[0] in ("iops", "bandwidth_mb_s") and dig(document, "requests", path[1]):
        return DRAM
    if value is None:
        return NOTHING
    interval = interval_of(document, ".".join(path))
    mark = FEW if path[0] == "response_us" and is_few(document, path[1], path[2]) else ""
    return f"{measure(value * scale)}{mark}{beside(value, interval, scale)}"


def flows(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The numbers of each of several flows with their intervals, in the form of a document that `cell` reads."""
    uncertainty = document.get("uncertainty") or {}
    values = (uncertainty.get("values") or {}).get("flows") or {}
    return {
        name: {**each, "uncertainty": {**uncertainty, "values": values.get(name)} if values.get(name) else {}}
        for name, each in (document.get("flows") or {}).items()
    }


def rows_of_flows(document: Mapping[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """What has a row in a table of flows: its name, the operation (`all`, `read` or `write`), and the flow's numbers.

    A flow that reads and writes has three rows. Where there is one flow, there are none.
    """
    rows = []
    for name, each in flows(document).items():
        rows.append((name, "all", each))
        if dig(each, "requests", "read") and dig(each, "requests", "write"):
            rows += [(f"{name}, {op}s", op, each) for op in ("read", "write")]
    return rows


def time_unit(values_us: Iterable[float | None]) -> tuple[str, float]:
    """The unit in which times of a row or column are shown, and what us are multiplied by: us, or ms or s if long."""
    longest = max((value for value in values_us if value is not None), default=0.0)
    return next(((unit, 1.0 / us) for unit, us, least_us in LONG_UNITS if longest >= least_us), ("us", 1.0))


def beside(value: float, interval: Any, scale: float = 1.0) -> str:  # noqa: ANN401 - an interval or None
    """The longer side of an interval, as ` ±3.1`; nothing where it has no ends or no width."""
    if interval is None:
        return ""
    if interval.low is None or interval.high is None:
        return UNKNOWN
    side = max(interval.high - value, value - interval.low)
    return f" ±{short(side * scale)}" if side > 0 else ""


def short(side: float) -> str:
    """The width of an interval in two digits, as more say nothing."""
    if side >= 10:
        return f"{float(f'{side:.2g}'):,.0f}"
    return f"{float(f'{side:.2g}'):g}" if side >= 1e-3 else f"{side:.1g}"


def beyond_of(document: Mapping[str, Any], op: str, name: str) -> int | None:
    """Requests beyond a percentile; None for what is none."""
    from ..stats import beyond
    from ..stats.columns import PERCENTILES

    requests = dig(document, "requests", op)
    return None if name not in PERCENTILES or requests is None else beyond(requests, name)


def is_few(document: Mapping[str, Any], op: str, name: str) -> bool:
    """Whether fewer samples than 100 lie beyond a percentile."""
    from ..stats import BEYOND_MIN

    samples = beyond_of(document, op, name)
    return samples is not None and samples < BEYOND_MIN


def legend(document: Mapping[str, Any], shown: list[tuple[str, str]]) -> Iterator[str]:
    """What the marks of a table mean, as far as it has any, and whether another chip stands in for the SSD's own.

    Args:
        document: The run.
        shown: The response times of the table: op and name.
    """
    uncertainty = document.get("uncertainty") or {}
    if uncertainty.get("count"):
        level = f"{100 * uncertainty['level']:.0f} %"
        by = f"{uncertainty['count']} seeds" if uncertainty["method"] == "seeds" else "batches within the run"
        yield f"± {level} interval, by {by}; ±? not known: the run is too short, or its numbers change meanwhile"
    few = [(op, name) for op, name in shown if dig(document, "requests", op) and is_few(document, op, name)]
    if any(beyond_of(document, op, name) for op, name in few):
        yield FEW_MEANS
    if any(beyond_of(document, op, name) == 0 for op, name in few):
        yield f"{NOTHING} no request lies beyond it"
    for op in ("read", "write"):
        if dig(document, "requests", op) and not dig(document, "response_us", op, "max"):
            yield f"{DRAM}: {op}s are answered from DRAM, no time modelled (dram.latency_ns)"
    yield from stand_in(document)


def stand_in(document: Mapping[str, Any]) -> Iterator[str]:
    """Says so if another chip stands in for the SSD's own; results of earlier versions do not know."""
    chip = document.get("stand_in")
    if chip:
        yield f"{chip} stands in for the SSD's own chip: errors, retries, wear and retention are those of {chip}"
