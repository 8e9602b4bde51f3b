"""What a comparison shows: which numbers, in which order, and the row with which each row is compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import ViewError
from ..explain.not_modelled import topic_of

if TYPE_CHECKING:
    from ..stats.bounds import Bound

__all__ = ["SHOWN", "Column", "View", "arranged", "columns_named"]

Column = tuple[str, tuple[str, ...]]
"""The head of a column, and the path of its number in a document."""

SHOWN: tuple[Column, ...] = (
    ("IOPS", ("iops", "all")),
    ("MB/s", ("bandwidth_mb_s", "all")),
    ("mean us", ("response_us", "all", "mean")),
    ("read p99 us", ("response_us", "read", "p99")),
    ("read p99.99 us", ("response_us", "read", "p9999")),
    ("write p99 us", ("response_us", "write", "p99")),
    ("WA", ("write_amplification",)),
)
FIRST = "the first row"
DOWN = ":desc"
EXAMPLES = "iops, wa, read.p99.9, write.mean, die_utilisation.mean"


@dataclass(frozen=True)
class View:
    """How the rows of a comparison are shown.

    Attributes:
        columns: The numbers.
        firsts: For each row the number of the row that it is compared with, its own where that is itself; empty for
            the first row everywhere.
        beside: What rows are compared with, as text.
        scales: What the numbers of a column are multiplied by, by its head, where that is not 1.
        bounds: What numbers may be; the first row that meets all of them is named.
        sorted_by: The number by which rows are sorted, if they are; the name ends in `:desc` for the largest first.
    """

    columns: Sequence[Column] = SHOWN
    firsts: Sequence[int] = ()
    beside: str = FIRST
    scales: Mapping[str, float] = field(default_factory=dict)
    bounds: tuple[Bound, ...] = ()
    sorted_by: Column | None = None

    def first_of(self, row: int) -> int:
        """Returns the row that a row is compared with."""
        return self.firsts[row] if self.firsts else 0


def in_units(view: View, documents: Sequence[Mapping[str, Any]]) -> View:
    """Returns the view with long times in ms or s, and bytes in MB, GB or TB."""
    from ..stats.run import dig
    from .certainty import time_unit
    from .numbers import byte_unit

    columns: list[Column] = []
    scales: dict[str, float] = {}
    for label, path in view.columns:
        head = label
        if path[0] == "response_us" and label.endswith(" us"):
            unit, scale = time_unit(dig(document, ".".join(path)) for document in documents)
            head = f"{label.removesuffix('us')}{unit}"
            scales |= {head: scale} if unit != "us" else {}
        elif any(part == "bytes" or part.endswith("_bytes") for part in path):
            unit, scale = byte_unit(dig(document, ".".join(path)) for document in documents)
            head = f"{label} {unit}"
            scales[head] = scale
        columns.append((head, path))
    return replace(view, columns=tuple(columns), scales=scales) if scales else view


def columns_named(names: Sequence[str], documents: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """Returns the columns of short names (`iops`, `read.p99.9`) or of dotted paths of a document.

    Raises:
        ViewError: No document has such a number.
    """
    return tuple((_head(name), _path(name, documents)) for name in dict.fromkeys(names))


def arranged(
    points: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
    *,
    columns: Sequence[str] = (),
    sort: str | None = None,
    baseline: Mapping[str, Any] | None = None,
    bounds: tuple[Bound, ...] = (),
) -> tuple[list[int], View]:
    """Returns the order of the rows, and how they are shown in this order.

    Args:
        points: What was set in each run, and its document.
        columns: Names of the numbers to show; empty for the usual ones.
        sort: The number or setting to sort by, smallest first; with `:desc` at its end, largest first.
        baseline: The settings of the rows that others are compared with. A row is compared with the one that has these
            settings and is else set as it is.
        bounds: What numbers may be; they are shown, too.

    Raises:
        ViewError: There is no such number, key or row.
    """
    documents = [document for _, document in points]
    order = list(range(len(points)))
    sorted_by: Column | None = None
    if sort is not None:
        order = _sorted(sort, points)
        if points and sort.removesuffix(DOWN) not in points[0][0]:
            sorted_by = (sort, _path(sort.removesuffix(DOWN), documents))
    chosen = columns_named(columns, documents) if columns else SHOWN
    there = [path for _, path in chosen]
    bounded = columns_named([each.name for each in bounds], documents)
    chosen = (*chosen, *(column for column in bounded if column[1] not in there))
    if not baseline:
        return order, View(chosen, bounds=bounds, sorted_by=sorted_by)
    settings = [dict(points[number][0]) for number in order]
    said = ", ".join(f"{key}={value}" for key, value in baseline.items())
    firsts = _firsts(settings, baseline, said)
    return order, View(chosen, firsts, f"that with {said}", bounds=bounds, sorted_by=sorted_by)


def _head(name: str) -> str:
    """Returns a name as tables show it, with its unit."""
    from ..stats.names import path_of, title_of, without_unit

    return title_of(path_of(name) or name) or without_unit(name)


def _path(name: str, documents: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    from ..stats.names import path_of, without_unit
    from ..stats.run import dig

    path = path_of(name) or without_unit(name)
    values = [dig(document, path) for document in documents]
    known = path != name or any(isinstance(value, int | float) for value in values)
    if not known:
        topic = topic_of(name)
        raise ViewError(str(topic) if topic else f"no number `{name}` in a result; such are {EXAMPLES}")
    return tuple(path.split("."))


def _sorted(sort: str, points: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[int]:
    from ..stats.run import dig

    name = sort.removesuffix(DOWN)
    if points and name in points[0][0]:
        keys = [(isinstance(value, str), value) for value in (settings.get(name) for settings, _ in points)]
        return sorted(range(len(points)), key=lambda number: keys[number], reverse=sort.endswith(DOWN))
    path = ".".join(_path(name, [document for _, document in points]))
    values: list[Any] = [dig(document, path) for _, document in points]
    known = [number for number, value in enumerate(values) if isinstance(value, int | float)]
    known.sort(key=lambda number: values[number], reverse=sort.endswith(DOWN))
    return known + [number for number, value in enumerate(values) if not isinstance(value, int | float)]


def _firsts(settings: Sequence[Mapping[str, Any]], baseline: Mapping[str, Any], said: str) -> list[int]:
    keys = list(dict.fromkeys(key for each in settings for key in each))
    for key in baseline:
        if key not in keys:
            raise ViewError(f"baseline {said}: `{key}` does not vary here; {', '.join(keys)} do")
    firsts: dict[str, int] = {}
    rests = [repr({key: value for key, value in each.items() if key not in baseline}) for each in settings]
    for number, each in enumerate(settings):
        if all(each.get(key) == value for key, value in baseline.items()):
            firsts.setdefault(rests[number], number)
    missing = next((number for number, rest in enumerate(rests) if rest not in firsts), None)
    if missing is not None:
        values = ", ".join(str(each) for each in dict.fromkeys(each.get(next(iter(baseline))) for each in settings))
        raise ViewError(f"no row has the baseline {said}; the values are {values}")
    return [firsts[rest] for rest in rests]
