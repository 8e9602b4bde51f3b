"""A table of claims and measurements: on the terminal, and as text for pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from wordline.output.numbers import NOTHING, measure, percent
from wordline.report import Section

from .claims import KINDS, STALE, Verdict
from .over_seeds import certainty

if TYPE_CHECKING:
    from rich.console import Console

NAMED_MAX = 8
"""More claims that are not measured are counted, not named."""
COLUMNS = ("claim", "what", "kind", "paper", "here", "tolerance", "holds", "requests")
SIGNS = {"=": "", "<=": "≤ ", ">=": "≥ ", "order": ""}
# Fewer digits would hide the size of a tolerance.
DIGITS = 4


def amount(value: float | str | None, unit: str) -> str:
    """Formats a value of a claim with its unit; fractions as percentages."""
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return value
    if unit == "fraction":
        return percent(value)
    number = f"{value:,.{DIGITS}g}" if abs(value) < 10**DIGITS else measure(value)
    return number if not unit or unit == "count" else f"{number} {unit}"


def expected(verdict: Verdict) -> str:
    """Formats the paper's value of a verdict."""
    return SIGNS[verdict.claim.op] + amount(verdict.claim.value, verdict.claim.unit)


def tolerance(verdict: Verdict) -> str:
    """Formats the tolerance of a value."""
    claim = verdict.claim
    if isinstance(claim.value, str):
        return NOTHING
    if not claim.tol:
        return "0"
    # The tolerance of a percentage is in percentage points; two digits are enough.
    return f"{100 * claim.tol:g} points" if claim.unit == "fraction" else f"{claim.tol:g} {claim.unit}".rstrip()


def answer(verdict: Verdict) -> str:
    """Returns whether a claim holds, and how sure that is if several seeds were measured."""
    if verdict.holds is None:
        return "not run" if verdict.note == STALE else "not measured"
    return ", ".join(filter(None, ("yes" if verdict.holds else "NO", certainty(verdict))))


def here(verdict: Verdict) -> str:
    """Formats the measured value, with its interval if several seeds were measured."""
    text, interval = amount(verdict.measured, verdict.claim.unit), verdict.interval
    if interval is None:
        return text
    low, high = (amount(end, verdict.claim.unit) for end in (interval.low, interval.high))
    return f"{text} ({low} to {high})"


def requests(verdict: Verdict) -> str:
    """Returns the kind of requests behind the measurement."""
    return NOTHING if verdict.synthetic is None else "synthetic" if verdict.synthetic else "real trace"


def cells(verdict: Verdict) -> tuple[str, ...]:
    """Returns a verdict's texts, one for each of `COLUMNS`."""
    claim = verdict.claim
    return (
        claim.id,
        claim.about,
        claim.kind,
        expected(verdict),
        here(verdict),
        tolerance(verdict),
        answer(verdict),
        requests(verdict),
    )


def summary(verdicts: Sequence[Verdict]) -> str:
    """Returns how many claims hold, by kind, and how many are not measured."""
    measured = [verdict for verdict in verdicts if verdict.holds is not None]
    parts = []
    for kind in KINDS:
        of_kind = [verdict.holds for verdict in measured if verdict.claim.kind == kind]
        if of_kind:
            parts.append(f"{sum(map(bool, of_kind))} of {len(of_kind)} {kind}")
    text = f"claims that hold: {', '.join(parts)}" if parts else "no claim is measured"
    missing = len(verdicts) - len(measured)
    return text + (f"; not measured: {missing}" if missing else "")


def _not_measured(missing: Sequence[str]) -> str:
    """Returns the sentence on claims that a study leaves out; many of them belong to other studies of its papers."""
    if len(missing) > NAMED_MAX:
        return f"{len(missing)} further claims of these papers are not measured here; the scoreboard lists all claims."
    return f"Not measured: {', '.join(missing)}." if missing else ""


def section(verdicts: Sequence[Verdict], labels: Mapping[str, str] | None = None) -> Section:
    """Returns the claims as a section of a report: what does not hold first, and of that what is evidence.

    Args:
        verdicts: The verdicts of a study.
        labels: The label of each emergent claim, by id (`protocol`), where there is one.
    """
    measured = sorted((verdict for verdict in verdicts if verdict.study), key=_urgency)
    missing = [verdict.claim.id for verdict in verdicts if not verdict.study]
    more = ("label",) if labels else ()
    return Section(
        name="claims",
        title="Claims",
        summary=summary(verdicts),
        caption="What the papers report, and what comes out here; what does not hold comes first",
        columns=(*COLUMNS, *more),
        rows=[(*cells(each), *((labels or {}).get(each.claim.id, NOTHING) for _ in more)) for each in measured],
        verdicts=[verdict.holds for verdict in measured],
        notes=[f"{verdict.claim.id}: {verdict.note}" for verdict in measured if verdict.note],
        closing=_not_measured(missing),
    )


def _urgency(verdict: Verdict) -> tuple[int, int]:
    """Orders claims for a reader who looks for what is wrong."""
    return {False: 0, None: 1, True: 2}[verdict.holds], -KINDS.index(verdict.claim.kind)


def show(verdicts: Sequence[Verdict], console: Console, title: str) -> None:
    """Prints the measured claims, notes on them, and a summary of all."""
    from rich.text import Text

    from wordline.output.console import grid

    console.print(Text(title, style="bold"))
    measured = [verdict for verdict in verdicts if verdict.study]
    if measured:
        table = grid(*COLUMNS, right=False)
        for name in (0, 2, 3, 4, 5, 6, 7):
            table.columns[name].no_wrap = name in (0, 2, 6)
        for verdict in measured:
            style = "" if verdict.holds else "bold red" if verdict.holds is False else "dim"
            texts = cells(verdict)
            table.add_row(*(Text(text, style=style if place in (4, 6) else "") for place, text in enumerate(texts)))
        console.print(table)
    for verdict in measured:
        if verdict.note:
            console.print(Text(f"{verdict.claim.id}: {verdict.note}", style="dim"))
    console.print(Text(summary(verdicts)))
