"""The outcomes of points."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

from .. import extras
from ..config import full_key
from ..errors import PointFailedError
from ..result import Result, flat
from .point import Computation, Point, coordinates_text
from .pooled import pooled

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from ..output.plot.axes import Bars, PointsPlot

__all__ = ["Outcome", "Results", "Values"]


class Values(dict[str, Any]):
    """The return values of a computation."""


@dataclass(frozen=True)
class Outcome:
    """A point and its result.

    Attributes:
        point: The point.
        result: The measurements of a run; None for a computation and for a point that failed.
        values: The return values of a computation; empty for a run.
        error: Why the point failed; None if it did not fail.
        wall_s: Wall time of the point, s; 0 if it came from the store.
        cached: Whether it came from the store.
    """

    point: Point | Computation
    result: Result | None = None
    values: Mapping[str, Any] | None = None
    error: Exception | None = None
    wall_s: float = 0.0
    cached: bool = False

    @property
    def coordinates(self) -> dict[str, Any]:
        """The values that distinguish the point from the others."""
        return self.point.coordinates

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of this point: dotted keys of a run, or the arguments of a computation; and its labels."""
        if isinstance(self.point, Computation):
            return {**self.point.arguments, **self.point.labels}
        return {full_key(key): value for key, value in self.point.settings.items()} | dict(self.point.labels)

    @property
    def synthetic(self) -> bool | None:
        """Whether any request was generated; None for a computation, which has no requests."""
        return None if self.result is None else self.result.synthetic

    def __getitem__(self, path: str) -> Any:  # noqa: ANN401 - a number of the document, or anything computed
        """Returns a value by its dotted path in the document (`"response_us.read.mean"`), or a computed one by name.

        Raises:
            KeyError: The value does not exist.
        """
        place: Any = self.document
        for step in path.split("."):
            if not isinstance(place, Mapping) or step not in place:
                raise KeyError(f"{path}: not in the result of {self.point}")
            place = place[step]
        return place

    @property
    def document(self) -> Mapping[str, Any]:
        """The JSON document of the run, or the computed values."""
        return self.result.document if self.result is not None else self.values or {}

    def row(self) -> dict[str, Any]:
        """Returns coordinates and flat results, as a row of a table."""
        return {**{key: _cell(value) for key, value in self.coordinates.items()}, **flat(self.document)}


class Results:
    """The outcomes of points, in the order of the points.

    `results[2]` is an outcome; `results[{"read.retry": "baseline"}]` is the result of the one run with these settings.

    Attributes:
        warnings: Damaged files of the store, whose points were computed again, points that could not be stored,
            and that fewer points ran at a time than asked for, because memory is too small.
        notes: What was done beside what was asked, such as keys that the values of a row need.
        is_partial: True if Ctrl-C ended the work, and points are missing.
    """

    def __init__(self, outcomes: Sequence[Outcome], warnings: Sequence[str] = (), *, is_partial: bool = False) -> None:
        self.notes: tuple[str, ...] = ()
        self._outcomes = list(outcomes)
        self.warnings = tuple(warnings)
        self.is_partial = is_partial

    @overload
    def __getitem__(self, index: int) -> Outcome: ...
    @overload
    def __getitem__(self, index: slice) -> Results: ...
    @overload
    def __getitem__(self, index: Mapping[str, object]) -> Result: ...

    def __getitem__(self, index: int | slice | Mapping[str, object]) -> Outcome | Results | Result:
        if isinstance(index, Mapping):
            result = self.one({full_key(key): value for key, value in index.items()}).result
            if result is None:
                raise KeyError(f"the point with {dict(index)} is no run, or has failed")
            return result
        return Results(self._outcomes[index]) if isinstance(index, slice) else self._outcomes[index]

    def __len__(self) -> int:
        return len(self._outcomes)

    def __repr__(self) -> str:
        partial = ", partial" if self.is_partial else ""
        return f"<wordline.Results {len(self)} points{partial}: {', '.join(self.varying()) or 'all alike'}>"

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self._outcomes)

    def where(self, wanted: Mapping[str, Any] | None = None, **labels: object) -> Results:
        """Returns the outcomes whose coordinates have all these values; an unknown coordinate matches none.

        `results.where({"reliability.pec": 2000}, workload="msrc/stg_0")`
        """
        asked = {**(wanted or {}), **labels}
        missing = object()
        return Results(
            [o for o in self if all(o.coordinates.get(key, missing) == value for key, value in asked.items())]
        )

    def one(self, wanted: Mapping[str, Any] | None = None, **labels: object) -> Outcome:
        """Returns the only outcome with these coordinates.

        Raises:
            KeyError: There is no such outcome, or more than one.
        """
        matching = self.where(wanted, **labels)
        if len(matching) != 1:
            raise KeyError(f"{len(matching)} points have { ({**(wanted or {}), **labels}) }")
        return matching[0]

    def pooled(self, seeds: int) -> Results:
        """Returns the means over each group of `seeds` consecutive points that differ only in their seed."""
        groups = [self._outcomes[start : start + seeds] for start in range(0, len(self), seeds)]
        return Results([_pooled(group) for group in groups], self.warnings, is_partial=self.is_partial)

    def values_of(self, key: str) -> list[Any]:
        """Returns the different values of a coordinate, in order of appearance."""
        return list(dict.fromkeys(o.coordinates[key] for o in self if key in o.coordinates))

    def varying(self) -> list[str]:
        """Returns the coordinates in which the points differ, in order of appearance."""
        keys = dict.fromkeys(key for o in self for key in o.coordinates)
        return [key for key in keys if len({str(o.coordinates.get(key)) for o in self}) > 1]

    def mean(self, measure: str | Callable[[Outcome], float]) -> float:
        """Returns the mean of a value (by its path, or by a function) over all outcomes."""
        return statistics.fmean(measure(o) if callable(measure) else o[measure] for o in self)

    @property
    def synthetic(self) -> bool | None:
        """Whether any of the requests was generated; None if there are none."""
        answers = [o.synthetic for o in self if o.synthetic is not None]
        return any(answers) if answers else None

    @property
    def failed(self) -> list[Outcome]:
        """Returns the points that failed."""
        return [o for o in self if o.error is not None]

    def raise_failures(self) -> None:
        """Raises an error if any point failed.

        Raises:
            PointFailedError: Names every point that failed, and why.
        """
        if self.failed:
            keys = self.varying() or list(self.failed[0].coordinates)
            names = [{key: o.coordinates[key] for key in keys if key in o.coordinates} for o in self.failed]
            lines = [f"{coordinates_text(name)}: {o.error}" for name, o in zip(names, self.failed, strict=True)]
            count = f"{len(lines)} of {len(self)} points" if len(self) > 1 else "the point"
            raise PointFailedError(f"{count} failed; the others are kept\n  " + "\n  ".join(lines))

    def to_dict(self) -> dict[str, Any]:
        """Returns coordinates and JSON document of every point, or why it failed."""
        return {
            "points": [
                {"set": o.coordinates, "result": dict(o.document)}
                if o.error is None
                else {"set": o.coordinates, "error": str(o.error)}
                for o in self
            ]
        }

    def rows(self) -> list[dict[str, Any]]:
        """Returns a row of coordinates and flat results for each point that did not fail."""
        return [o.row() for o in self if o.error is None]

    def to_pandas(self) -> pd.DataFrame:
        """Returns a row for each point that did not fail."""
        return extras.pd.DataFrame(self.rows())

    def to_arrow(self) -> pa.Table:
        """Returns the same as `to_pandas`, for Arrow."""
        from ..tables import of_rows

        return of_rows(self.rows())

    @property
    def plot(self) -> PointsPlot:
        """Its figures: `results.plot.bars("response_us.read.p99")`, `.lines()` and `.cdf()` return matplotlib axes."""
        from ..output.plot.axes import PointsPlot

        return PointsPlot(self._bars, [(self._label(o), o.result.plot) for o in self if o.result is not None])

    def _bars(self, path: str) -> list[Bars]:
        from ..output.plot.axes import Bars, number_of
        from ..stats import interval_of

        bars, keys = [], self.varying()
        for outcome in self:
            interval = interval_of(outcome.document, path)
            ends = (None, None) if interval is None else (interval.low, interval.high)
            settings = {key: outcome.coordinates[key] for key in keys if key in outcome.coordinates}
            bars.append(Bars(settings, self._label(outcome), number_of(outcome.document, path), *ends))
        return bars

    def _label(self, outcome: Outcome) -> str:
        """A point by what tells it from the others."""
        keys = [key for key in self.varying() if key in outcome.coordinates]
        if len(keys) == 1:
            return str(outcome.coordinates[keys[0]])
        return ", ".join(f"{key.rpartition('.')[2]}={outcome.coordinates[key]}" for key in keys) or str(outcome.point)

    def _repr_html_(self) -> str:
        from ..output.notebook import of_points

        runs = [o for o in self if o.result is not None]
        keys = self.varying()
        points = [({key: o.coordinates.get(key, "") for key in keys}, dict(o.document)) for o in runs]
        return of_points(points) if points else f"<p>{len(self)} points, none of them a run</p>"

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def _pooled(group: Sequence[Outcome]) -> Outcome:
    failed = next((each for each in group if each.result is None), None)
    if failed is not None:
        return failed
    point = group[0].point
    shared = replace(point, seed=None) if isinstance(point, Point) else point
    result = pooled([each.result for each in group if each.result is not None])
    wall_s = sum(each.wall_s for each in group)
    return Outcome(shared, result, wall_s=wall_s, cached=all(each.cached for each in group))


def _cell(value: object) -> object:
    """Converts a value to a cell of a table: lists become texts."""
    return str(value) if isinstance(value, list | tuple | dict) else value
