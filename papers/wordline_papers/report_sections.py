"""The report of a study: its claims, what else came out, and each figure with its claims."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wordline.report import Section

from . import reading_entry
from .checkout import ROOT
from .claim_table import cells, section
from .drawing import drawn
from .figure import Table
from .protocol import Standing, count, standings

if TYPE_CHECKING:
    from .claims import Verdict
    from .reproduction import Reproduction

__all__ = ["asked", "sections"]

COLUMNS = ("claim", "where", "what", "paper", "here", "tolerance", "holds")
OF_PAPER = re.compile(r"fig_?(\d+)")
"""The name of a figure of the paper."""
NAMED = re.compile(r"Fig\. (\d+)")
"""Figures of the paper in the text that says where a claim is."""
MADE_UP = {True: "Synthetic requests stand for the paper's.", False: "The requests are of real traces.", None: ""}


def asked(done: Reproduction) -> str:
    """Returns the first sentence of the report: what was run, and what it comes to."""
    many = f"{len(done.results):,} points" + (f", {done.seeds} seeds" if done.seeds > 1 else "")
    failing = sum(verdict.holds is False for verdict in done.verdicts)
    judged = sum(verdict.holds is not None for verdict in done.verdicts)
    told = f" {failing} of {judged} measured claims do not hold." if judged else ""
    # Readings of other studies, which are of the checkout, give standings, too.
    claims = {verdict.claim.id for verdict in done.verdicts}
    own = [each for name, each in standings_of(done).items() if each.verdict.study and name in claims]
    labels = f" Of {len(own)} about a whole SSD {count(own).sentence}." if own else ""
    return f"{'Short form' if done.quick else 'Full run'}: {many}.{told}{labels}"


def standings_of(done: Reproduction) -> Mapping[str, Standing]:
    """Returns the standing of each emergent claim by this run and the readings of the checkout.

    There is none for a short form, which decides nothing, and none outside of a checkout, which has the readings.
    """
    readings = {} if done.quick else reading_entry.load(ROOT)
    return standings({verdict.claim.id: verdict for verdict in done.verdicts}, readings) if readings else {}


def sections(done: Reproduction) -> list[Section]:
    """Returns the claims of a study, its findings, then its figures: those with a claim that does not hold first."""
    verdicts = {verdict.claim.id: verdict for verdict in done.verdicts}
    labels = {name: each.text for name, each in standings_of(done).items()}
    claims = [section(done.verdicts, labels)] if done.verdicts else []
    findings = [Section("findings", "What else came out", "", notes=done.findings)] if done.findings else []
    figures = sorted(_figures(done.tables, verdicts), key=lambda each: False not in each.verdicts)
    return [*claims, *findings, *figures]


def _figures(tables: Sequence[Table[Any]], verdicts: dict[str, Verdict]) -> Iterator[Section]:
    for table in tables:
        drawing = drawn(table)
        if not drawing:
            continue
        own = [verdict for verdict in verdicts.values() if _belongs(verdict, table)]
        yield Section(
            name=f"figure-{table.figure.name}",
            title=_title(table),
            summary=" ".join(filter(None, (_told(own), MADE_UP[table.synthetic]))),
            caption="Claims that belong to this figure",
            columns=COLUMNS if own else (),
            rows=[_row(verdict) for verdict in own],
            verdicts=[verdict.holds for verdict in own],
            notes=list(table.figure.findings(table.rows)),
            drawing=drawing,
        )


def _told(own: Sequence[Verdict]) -> str:
    """Returns how many of a figure's claims hold."""
    judged = [verdict.holds for verdict in own if verdict.holds is not None]
    return f"{sum(judged)} of the {len(judged)} claims that belong to it hold." if judged else ""


def _belongs(verdict: Verdict, table: Table[Any]) -> bool:
    """Says whether a claim is about a figure: the figure measures it, or the paper has it there."""
    if verdict.claim.id in table.claims():
        return True
    number = OF_PAPER.match(table.figure.name)
    claim = verdict.claim
    # Its name has the figure's number, as in `pnar2.fig14.pr2.avg`, or its place has.
    named = [*OF_PAPER.findall(claim.id.split(".")[1]), *NAMED.findall(claim.section)]
    return number is not None and int(number[1]) in map(int, named)


def _title(table: Table[Any]) -> str:
    """Returns the figure's name as a heading."""
    name = OF_PAPER.sub(lambda match: f"Fig. {int(match[1])}", table.figure.name).replace("_", " ")
    return f"{name[:1].upper()}{name[1:]}"


def _row(verdict: Verdict) -> list[str]:
    name, what, _, paper, here, tolerance, holds, _ = cells(verdict)
    return [name, verdict.claim.section, what, paper, here, tolerance, holds]
