"""`wordline reproduce readings`: what the papers leave open, and what holds under each alternative."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline.cli import talk
from wordline.cli.errors import BadInputError

if TYPE_CHECKING:
    from rich.console import Console

    from .. import Store, Study, Verdict
    from ..reading_entry import Entry

__all__ = ["READINGS", "measured", "show_readings", "with_readings"]

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
    found = [study for study in chosen if of_study(study)]
    for name in names:
        if not any(study in found for study in studies.select([name])):
            known = ", ".join(study.name for study in studies.select(["all"]) if of_study(study))
            raise BadInputError(f"study {name} has no readings", f"studies that have: {known}")
    return found


def measured(study: Study, quick: bool, jobs: int | None, store: Store) -> Entry:
    """Runs every alternative of a study's readings."""
    from wordline.cli.progress import of_points

    from ..checkout import commit
    from ..reading_entry import Entry
    from ..reading_runs import verdicts_of
    from ..readings import of_study

    found: dict[str, dict[str, list[Verdict]]] = {}
    for reading in of_study(study):
        if not reading.is_measurable:
            continue
        found[reading.name] = {}
        for each in reading.alternatives:
            if not each.can_run:
                continue
            with of_points(f"{study.name}, {reading.name}: {each.name}") as progress:
                found[reading.name][each.name] = verdicts_of(
                    study, reading, each, quick=quick, jobs=jobs, store=store, progress=progress
                )
    return Entry(study.name, quick, commit(), found)


def show_readings(entries: list[Entry], out: Path, as_json: bool, to_docs: bool) -> None:
    """Prints the table of readings, and writes it to a folder and, if asked, to the checkout's page.

    Raises:
        OSError: It cannot be written.
    """
    from wordline.output.atomic import folder
    from wordline.output.json_document import text

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
