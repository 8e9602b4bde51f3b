"""Claims beside what was measured: on the terminal, and as text for pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..output.numbers import NOTHING, measure, percent
from ..report import Section
from .claims import Row

if TYPE_CHECKING:
    from rich.console import Console

COLUMNS = ("claim", "what", "kind", "paper", "here", "tolerance", "holds", "requests")
SIGNS = {"=": "", "<=": "≤ ", ">=": "≥ ", "order": ""}
# Fewer digits would hide what a tolerance allows.
DIGITS = 4


def amount(value: float | str | None, unit: str) -> str:
    """A value of a claim with its unit; fractions as percentages."""
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return value
    if unit == "fraction":
        return percent(value)
    number = f"{value:,.{DIGITS}g}" if abs(value) < 10**DIGITS else measure(value)
    return number if not unit or unit == "count" else f"{number} {unit}"


def expected(row: Row) -> str:
    """The paper's side of a row."""
    return SIGNS[row.claim.op] + amount(row.claim.value, row.claim.unit)


def tolerance(row: Row) -> str:
    """What a value may be off by."""
    claim = row.claim
    if isinstance(claim.value, str):
        return NOTHING
    if not claim.tol:
        return "0"
    # Of a percentage in percentage points, two digits are enough.
    return f"{100 * claim.tol:g} points" if claim.unit == "fraction" else f"{claim.tol:g} {claim.unit}".rstrip()


def verdict(row: Row) -> str:
    """Whether a claim holds, in a word."""
    return "not measured" if row.holds is None else "yes" if row.holds else "NO"


def requests(row: Row) -> str:
    """Whose requests the measurement stands on."""
    return NOTHING if row.synthetic is None else "synthetic" if row.synthetic else "real trace"


def cells(row: Row) -> tuple[str, ...]:
    """A row's texts, one for each of `COLUMNS`."""
    claim = row.claim
    here = amount(row.measured, claim.unit)
    return claim.id, claim.about, claim.kind, expected(row), here, tolerance(row), verdict(row), requests(row)


def summary(rows: Sequence[Row]) -> str:
    """How many claims hold, by kind, and how many are not measured."""
    measured = [row for row in rows if row.holds is not None]
    parts = []
    for kind in ("exact", "calibration", "emergent"):
        of_kind = [row.holds for row in measured if row.claim.kind == kind]
        if of_kind:
            parts.append(f"{sum(map(bool, of_kind))} of {len(of_kind)} {kind}")
    said = f"claims that hold: {', '.join(parts)}" if parts else "no claim is measured"
    missing = len(rows) - len(measured)
    return said + (f"; not measured: {missing}" if missing else "")


def section(rows: Sequence[Row]) -> Section:
    """The claims as a section of a report."""
    measured = [row for row in rows if row.study]
    missing = [row.claim.id for row in rows if not row.study]
    return Section(
        name="claims",
        title="Claims",
        summary=summary(rows),
        caption="What the papers report, and what comes out here",
        columns=COLUMNS,
        rows=[cells(row) for row in measured],
        notes=[f"{row.claim.id}: {row.note}" for row in measured if row.note],
        closing=f"Not measured: {', '.join(missing)}." if missing else "",
    )


def show(rows: Sequence[Row], console: Console, title: str) -> None:
    """Prints the claims that were measured, notes on them, and a summary of all."""
    from rich.text import Text

    from ..output.console import grid

    console.print(Text(title, style="bold"))
    measured = [row for row in rows if row.study]
    if measured:
        table = grid(*COLUMNS, right=False)
        for name in (0, 2, 3, 4, 5, 6, 7):
            table.columns[name].no_wrap = name in (0, 2, 6)
        for row in measured:
            style = "" if row.holds else "bold red" if row.holds is False else "dim"
            texts = cells(row)
            table.add_row(*(Text(text, style=style if place in (4, 6) else "") for place, text in enumerate(texts)))
        console.print(table)
    for row in measured:
        if row.note:
            console.print(Text(f"{row.claim.id}: {row.note}", style="dim"))
    console.print(Text(summary(rows)))
