"""The table of readings: as the page papers/docs/reproduction/readings.md, and as rows for CSV files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wordline.output.numbers import NOTHING

from . import claim_table, reading_entry, technique_pages
from .reading_entry import Entry, Line
from .readings import Alternative, Reading, of_study
from .study import Study, find, names

__all__ = ["PAGE", "cells", "claim_rows", "page", "rows", "write"]

PAGE = Path("papers") / "docs" / "reproduction" / "readings.md"
COLUMNS = (
    "choice", "reading", "support", "default", "claims that hold", "settings that hold", "hold only here",
    "hold only by default", "runs",
)  # fmt: skip
HEAD = """# Readings

A reading is a choice that a paper leaves open and a study makes. Each has a number of alternatives. The quote beside an
alternative is what the paper says for it. The default is what the study takes. This page is made by
`wordline reproduce readings`, or for one study by `wordline reproduce readings STUDY --scoreboard`, and is not edited
by hand. [The scoreboard](../reproduction.md) has the claims under the defaults.

*claims that hold* counts the claims that the choice moves: those of kinds *exact* and *emergent* whose measurement is
not the same under all measured alternatives. *settings that hold* counts claims of kind *setting* apart: a study's free
settings are fitted to them, so they are no evidence for an alternative. The next columns name the claims whose verdict
changes, without settings: those that hold only under the alternative, and those that hold only under the default.
*not measured* says what the simulator lacks; *not run* is still to be measured. An alternative stays here when it does
worse, and none is taken because it does better. *runs* has the length of the runs, with `--quick` short, and the commit
that ran. A *scenario* is a choice that no text states, such as how requests bunch: all of its alternatives count, as a
range. *Declared late* says what was known when a choice was added after results had been seen. Each reading is measured
for itself (`--reading`), with the first seed alone: AERO's 99.9999th percentile is the slowest read then. Readings of
AERO in full are of Table 4's claims alone (`--figure table4`): counting does not decide tails, the bracket does.

**Rows of short runs cannot judge emergent claims about tails.** A short run has some thousand requests, a few
workloads and, for AERO, a smaller SSD. Of a 99.99th percentile it has about one read, of a 99.9999th none. Its counts
show what a choice reaches, not which alternative is right. The same holds for averages over workloads that a short run
leaves out, so its default may hold fewer claims than the scoreboard says.
"""


def page(entries: Mapping[str, Entry], studies: Sequence[Study]) -> str:
    """Returns the page's text: every reading of these studies, with what was measured."""
    parts = [HEAD]
    for study in studies:
        if of_study(study):
            parts += _section(study, entries.get(study.name))
    return "\n".join(parts)


def write(entries: Sequence[Entry], root: Path) -> Path | None:
    """Writes entries and the page, if the package is in a checkout; returns the page's path.

    Readings that they do not have keep what was measured before.

    Raises:
        StudyError: An entry of another study is damaged.
        OSError: They cannot be written.
    """
    path = root / PAGE
    if not path.parent.is_dir():
        return None
    before = reading_entry.load(root)
    for entry in entries:
        reading_entry.save(entry.over(before.get(entry.study)), root)
    path.write_text(page(reading_entry.load(root), _every_study()), encoding="utf-8", newline="\n")
    technique_pages.write(root)
    return path


def rows(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Returns a row for each alternative."""
    return [
        {
            "study": entry.study, "reading": reading.name, "question": reading.question, "alternative": choice.name,
            "quote": choice.quote, "where": choice.where, "why": choice.why, "default": choice.name == reading.default,
            "scenario": reading.is_scenario, "declared_late": reading.seen,
            "held": line.held, "measured": line.measured if line.held is not None else None,
            "settings_held": line.settings_held if line.held is not None else None,
            "settings_measured": line.settings_measured if line.held is not None else None,
            "more_hold": " ".join(line.gained), "no_longer_hold": " ".join(line.lost), "missing": choice.missing,
            "quick": entry.ran[reading.name].quick if reading.name in entry.ran else None,
        }
        for entry in entries
        for reading, choice, line in _alternatives(of_study(find(entry.study)), entry)
    ]  # fmt: skip


def claim_rows(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Returns a row for each claim under each measured alternative."""
    return [
        {
            "study": entry.study, "reading": reading, "alternative": name, "claim": each.claim.id,
            "kind": each.claim.kind, "paper": each.claim.value, "here": each.measured, "holds": each.holds,
            "synthetic": each.synthetic, "quick": ran.quick, "note": each.note,
        }
        for entry in entries
        for reading, ran in entry.ran.items()
        for name, verdicts in ran.alternatives.items()
        for each in verdicts
    ]  # fmt: skip


def cells(reading: Reading, choice: Alternative, line: Line, entry: Entry | None) -> tuple[str, ...]:
    """Returns an alternative's texts, one for each of `COLUMNS` after the first."""
    if choice.missing:
        count = f"not measured: {choice.missing}"
    else:
        count = f"{line.held} of {line.measured}" if line.measured else _without_count(reading, line)
    ran = entry.ran.get(reading.name) if entry and line.held is not None else None
    runs = f"{'short' if ran.quick else 'full'}, `{ran.commit}`" if ran else NOTHING
    changes = (", ".join(each) or NOTHING for each in (line.gained, line.lost))
    fitted = f"{line.settings_held} of {line.settings_measured}" if line.settings_measured else NOTHING
    return (
        choice.name,
        _support(choice),
        "yes" if choice.name == reading.default else "",
        count,
        fitted,
        *changes,
        runs,
    )


def _without_count(reading: Reading, line: Line) -> str:
    if line.held is not None:
        return "moves no claim"
    return "not run" if reading.is_measurable else NOTHING


def _support(choice: Alternative) -> str:
    quote = f"“{choice.quote}” ({choice.where})" if choice.quote else ""
    return "; ".join(filter(None, (quote, choice.why)))


def _alternatives(readings: Sequence[Reading], entry: Entry | None) -> Iterator[tuple[Reading, Alternative, Line]]:
    for reading in readings:
        by_name = reading_entry.lines(reading, entry.alternatives(reading.name) if entry else {})
        yield from ((reading, alternative, by_name[alternative.name]) for alternative in reading.alternatives)


def _section(study: Study, entry: Entry | None) -> list[str]:
    readings = of_study(study)
    head, table = [f"## {study.title.partition(':')[0]}", ""], []
    if entry is None:
        head += [f"Not run yet: `wordline reproduce readings {study.name}`.", ""]
    else:
        head += [f"By `wordline reproduce readings {study.name}`. {_requests(entry)}".rstrip(), ""]
    last = None
    for reading, choice, line in _alternatives(readings, entry):
        kind = "*Scenario.* " if reading.is_scenario else ""
        question = f"{kind}{reading.question}" if reading is not last else ""
        table.append(_row((question, *cells(reading, choice, line, entry))))
        last = reading
    notes = [f"- {reading.question} {text}" for reading in readings if (text := _note(reading))]
    return [*head, _row(COLUMNS), _row(["---"] * len(COLUMNS)), *table, "", *notes, *([""] if notes else [])]


def _note(reading: Reading) -> str:
    """Returns what there is to say of a reading, and what was known when it was declared."""
    late = f"Declared late: {reading.seen}." if reading.seen else ""
    return " ".join(filter(None, (reading.note, late)))


def _requests(entry: Entry) -> str:
    """Returns whose requests decided."""
    kinds = {
        claim_table.requests(each)
        for ran in entry.ran.values()
        for verdicts in ran.alternatives.values()
        for each in verdicts
    } - {NOTHING}
    return f"Requests: {', '.join(sorted(kinds))}." if kinds else ""


def _row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(text.replace('|', chr(92) + '|') for text in texts)} |"


def _every_study() -> list[Study]:
    return [find(name) for name in names()]
