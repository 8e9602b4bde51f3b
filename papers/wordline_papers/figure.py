"""The parts of studies: figures, each with the points that it needs, its rows, its claims and its drawing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, dataclass_transform

from wordline.errors import StudyError
from wordline.sweeps.outcome import Outcome, Results
from wordline.sweeps.point import Computation, Point

from .claims import Measured, Measurement, said

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Columns", "Figure", "Part", "Row", "Sheet", "Table", "columns", "grouped", "of_runs", "part"]

R = TypeVar("R")
"""The type of a figure's rows: a `Row`, or `Outcome`."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Row:
    """A row of a figure's table: its subclasses are frozen dataclasses, whose fields are columns, see `columns`."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True)(cls)

    @classmethod
    def field_names(cls) -> list[str]:
        """Returns the names of the fields."""
        return [each.name for each in fields(cls)]  # type: ignore[arg-type]  # a dataclass, see `__init_subclass__`


class Columns(Row):
    """A row of a table from which nothing else is computed: its columns by name."""

    of: Mapping[str, Any]


T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def grouped(rows: Iterable[T], by: Callable[[T], K]) -> dict[K, list[T]]:
    """Returns rows by a key, in order of appearance."""
    groups: dict[K, list[T]] = {}
    for row in rows:
        groups.setdefault(by(row), []).append(row)
    return groups


class Sheet(Protocol):
    """The sheet of a figure: call it once to get axes, one below the other."""

    def __call__(self, panels: int = 1, *, height: float = 2.1, width: float = 3.5) -> list[Axes]:
        """Returns axes in the common style; `height` per panel and `width` in inches: a column has 3.5, a page 7.2."""


@dataclass(frozen=True)
class Part:
    """A group of points. Figures name the parts that they need; a part that several need runs once.

    Attributes:
        name: The label `part` of its points.
        make: `make(quick)` returns the points; with `quick` few and short ones, but enough for every figure.
    """

    name: str
    make: Callable[[bool], Iterable[Point | Computation]]

    def points(self, quick: bool) -> list[Point | Computation]:
        """Returns the points with their label."""
        return [replace(point, labels={"part": self.name, **point.labels}) for point in self.make(quick)]

    def of(self, results: Results, wanted: Mapping[str, Any] | None = None, **labels: object) -> Results:
        """Returns the outcomes of this part that have these coordinates, see `Results.where`."""
        return results.where(wanted, part=self.name, **labels)

    def by(self, results: Results, *names: str) -> dict[tuple[Any, ...], Results]:
        """Returns the outcomes of this part by their values of some coordinates, in order of appearance."""
        groups = grouped(self.of(results), lambda outcome: tuple(outcome.coordinates.get(name) for name in names))
        return {values: Results(outcomes) for values, outcomes in groups.items()}


def part(name: str) -> Callable[[Callable[[bool], Iterable[Point | Computation]]], Part]:
    """Returns a decorator that makes a part of a function: what it returns or yields are the part's points."""
    return lambda make: Part(name, make)


def no_claims(rows: Sequence[object]) -> Mapping[str, Measurement]:
    """Returns no claims, for a figure without claims in the papers."""
    del rows
    return {}


def no_findings(rows: Sequence[object]) -> Iterable[str]:
    """Returns no findings, for a figure whose claims say everything."""
    del rows
    return ()


@dataclass(frozen=True, eq=False)
class Figure(Generic[R]):
    """A figure or table, of a paper or our own.

    Attributes:
        name: The name of its files, without suffix.
        parts: The points that it needs.
        rows: Returns its content: a list of rows of one type.
        claims: Returns measurements from the rows, by claim id.
        draw: Draws the rows on a sheet; None for a table, which is saved only as CSV.
        findings: Returns results without a claim in the papers, a sentence each.
        is_saved: Whether rows and drawing are saved; False if the rows serve only for claims.
        is_view: Whether it only shows something. It measures no claim, so the study's fingerprint leaves it out, with
            the points that only views need. A view may be added without a full run of the study.

    Raises:
        StudyError: A view measures claims.
    """

    name: str
    parts: tuple[Part, ...]
    rows: Callable[[Results], Sequence[R]]
    claims: Callable[[Sequence[R]], Mapping[str, Measurement]] = no_claims
    _: KW_ONLY
    draw: Callable[[Sequence[R], Sheet], None] | None = None
    findings: Callable[[Sequence[R]], Iterable[str]] = no_findings
    is_saved: bool = True
    is_view: bool = False

    def __post_init__(self) -> None:
        if self.is_view and self.measures_claims:
            raise StudyError(f"figure {self.name}: a view measures no claims; leave out `claims` or `is_view`")

    @property
    def measures_claims(self) -> bool:
        """Whether it measures claims of the papers."""
        return self.claims is not no_claims

    def table(self, results: Results) -> Table[R]:
        """Returns the figure with the rows from some results."""
        runs = [outcome for part in self.parts for outcome in part.of(results)]
        return Table(self, self.rows(results), Results(runs).synthetic)


def of_runs(
    name: str, *parts: Part, claims: Callable[[Sequence[Outcome]], Mapping[str, Measurement]]
) -> Figure[Outcome]:
    """Returns claims that follow from the outcomes themselves, of one part after the other; nothing is saved."""
    return Figure(
        name, parts, lambda results: [each for part in parts for each in part.of(results)], claims, is_saved=False
    )


@dataclass(frozen=True)
class Table(Generic[R]):
    """A figure with its rows.

    Attributes:
        figure: The figure.
        rows: Its rows.
        synthetic: Whether any of its requests was generated; None if there are none.
    """

    figure: Figure[R]
    rows: Sequence[R]
    synthetic: bool | None = None

    def columns(self) -> list[dict[str, Any]]:
        """Returns the rows in the form in which they are saved."""
        return [columns(row) for row in self.rows]

    def claims(self) -> dict[str, Measured]:
        """Returns the measurements by claim id.

        Raises:
            StudyError: A claim does not exist, or a measurement does not fit it.
        """
        return {name: said(name, given, self.synthetic) for name, given in self.figure.claims(self.rows).items()}


def columns(row: object) -> dict[str, Any]:
    """Returns a row by the names of its fields.

    An underscore at the end of a name is removed (`yield_`). A mapping's items and a dataclass's fields become columns
    of their own. Fields with `repr=False` are not columns: they are only for claims and drawing.

    Raises:
        StudyError: It is not a dataclass.
    """
    by_name: dict[str, Any] = {}
    if not is_dataclass(row):
        raise StudyError(f"a row is a dataclass, not {row!r}")
    for each in fields(row):
        value = getattr(row, each.name)
        if not each.repr:
            continue
        if isinstance(value, Mapping) or is_dataclass(value):
            by_name |= value if isinstance(value, Mapping) else columns(value)
        else:
            by_name[each.name.rstrip("_")] = value
    return by_name
