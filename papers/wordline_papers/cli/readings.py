"""`wordline reproduce readings`: what the papers leave open, and what holds under each alternative."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline.cli import talk
from wordline.cli.errors import BadInputError

if TYPE_CHECKING:
    from rich.console import Console

    from .. import Store, Study, Verdict
    from ..reading_entry import Entry
    from ..readings import Reading

__all__ = ["READINGS", "all_measured", "named", "show_readings", "with_readings"]

READINGS = "readings"


def with_readings(names: list[str]) -> list[Study]:
    """Returns the studies of some names that have readings; without names all that have.

    Raises:
        BadInputError: A named study has none.
        StudyError: A name is no study's.
    """
    import wordline_papers as studies

    from ..readings import of_study

    chosen = studies.select(names or ["all"])
    having = [study for study in chosen if of_study(study)]
    for name in names:
        if not any(study in having for study in studies.select([name])):
            known = ", ".join(study.name for study in studies.select(["all"]) if of_study(study))
            raise BadInputError(f"study {name} has no readings", f"studies that have: {known}")
    return having


def named(
    study: Study, names: Collection[str], alternatives: Collection[str] = (), figures: Collection[str] = ()
) -> list[Reading]:
    """Returns the readings of a study that can be measured: those of some names, or all.

    With names of alternatives each has these alone, and its default. With names of figures each is about these alone.

    Raises:
        BadInputError: There is no reading of a name that can be measured, no alternative, or no figure that it reaches.
    """
    from ..readings import of_study

    every = [reading for reading in of_study(study) if reading.is_measurable]
    known = {reading.name for reading in every}
    if unknown := [name for name in names if name not in known]:
        raise BadInputError(f"study {study.name} has no reading {unknown[0]}", f"it has {', '.join(sorted(known))}")
    matching = [reading for reading in every if not names or reading.name in names]
    known = {each.name for reading in matching for each in reading.alternatives if each.can_run}
    if unknown := [name for name in alternatives if name not in known]:
        raise BadInputError(f"there is no alternative `{unknown[0]}`", f"there are {'; '.join(sorted(known))}")
    if alternatives:
        matching = [of_alternatives(reading, alternatives) for reading in matching]
    return [of_figures(study, reading, figures) for reading in matching] if figures else matching


def of_alternatives(reading: Reading, names: Collection[str]) -> Reading:
    """Returns a reading with some of its alternatives, and its default."""
    kept = (each for each in reading.alternatives if each is reading.usual or each.name in names)
    return replace(reading, alternatives=tuple(kept))


def of_figures(study: Study, reading: Reading, names: Collection[str]) -> Reading:
    """Returns a reading that is about some figures alone.

    Raises:
        BadInputError: It has no such figure.
    """
    from ..reading_runs import figures_of

    known = {each.name for each in figures_of(study, reading)}
    if unknown := [name for name in names if name not in known]:
        reaches = ", ".join(sorted(known))
        raise BadInputError(f"reading {reading.name} has no figure {unknown[0]}", f"it reaches {reaches}")
    return replace(reading, only=tuple(names))


def measured(study: Study, reading: Reading, quick: bool, jobs: int | None, store: Store) -> dict[str, list[Verdict]]:
    """Runs every alternative of a reading, and returns its claims by alternative."""
    from wordline.cli.progress import of_points

    from ..reading_runs import verdicts_of

    verdicts: dict[str, list[Verdict]] = {}
    for each in reading.alternatives:
        if each.can_run:
            with of_points(f"{study.name}, {reading.name}: {each.name}") as progress:
                verdicts[each.name] = verdicts_of(
                    study, reading, each, quick=quick, jobs=jobs, store=store, progress=progress
                )
    return verdicts


def all_measured(
    study: Study, readings: Sequence[Reading], quick: bool, jobs: int | None, store: Store, to_docs: bool
) -> Entry:
    """Runs some readings; with `to_docs` each is in the checkout as soon as it is done."""
    from ..checkout import ROOT, commit
    from ..reading_entry import Entry, Ran
    from ..readings_page import write
    from ..scoreboard import renew

    # First: what is written into the checkout changes it.
    present = commit()
    entry = Entry(study.name, {})
    for reading in readings:
        entry = Entry(
            study.name,
            {**entry.ran, reading.name: Ran(quick, present, measured(study, reading, quick, jobs, store))},
        )
        if to_docs:
            write([entry], ROOT)
            # Its labels follow from the readings.
            renew({})
    return entry


def show_readings(entries: list[Entry], out: Path, as_json: bool, to_docs: bool) -> None:
    """Prints the table of readings, and writes it to a folder and, if asked, to the checkout's page.

    Raises:
        OSError: It cannot be written.
    """
    from wordline.output.json_document import text
    from wordline.output.result_folder import folder

    from ..checkout import ROOT
    from ..drawing import save_rows
    from ..readings_page import claim_rows, page, rows, write
    from ..study import find

    by_study = {entry.study: entry for entry in entries}
    lines, verdicts = rows(entries), claim_rows(entries)
    document = text({"readings": lines, "claims": verdicts})
    with folder(out) as place:
        (place / "readings.json").write_text(document, encoding="utf-8", newline="\n")
        save_rows(place / "readings.csv", lines)
        save_rows(place / "claims.csv", verdicts)
        shown = page(by_study, [find(name) for name in by_study])
        (place / "readings.md").write_text(shown, encoding="utf-8", newline="\n")
    if as_json:
        talk.data(document)
    else:
        talk.show(lambda console: draw(lines, console))
    talk.note(f"readings.csv, readings.json, claims.csv and readings.md in {out}")
    path = write(entries, ROOT) if to_docs else None
    if path is not None:
        talk.note(f"readings in {path}")


def draw(rows: list[dict[str, Any]], console: Console) -> None:
    """Prints a line for each alternative."""
    from rich.text import Text

    from wordline.output.console import grid
    from wordline.output.numbers import NOTHING

    table = grid(
        "reading", "alternative", "default", "hold", "settings", "hold only here", "hold only by default", right=False
    )
    for row in rows:
        count, fitted = (
            f"{row[f'{kind}held']} of {row[f'{kind}measured']}" if row[f"{kind}measured"] else NOTHING
            for kind in ("", "settings_")
        )
        name = f"{row['study']} {row['reading']}"
        mark = "yes" if row["default"] else ""
        changes = row["more_hold"], row["no_longer_hold"]
        texts = (name, row["alternative"], mark, row["missing"] or count, fitted, *changes)
        table.add_row(*map(Text, texts))
    console.print(table)
