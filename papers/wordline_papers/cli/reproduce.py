"""`wordline reproduce`: the papers' figures, and whether their claims hold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordline.cli import options as opt
from wordline.cli import paths, talk
from wordline.cli.errors import BadInputError

from .readings import READINGS, all_measured, named, show_readings, with_readings
from .refit import refit as fit_again

if TYPE_CHECKING:
    from .. import Reproduction, Store, Study

OUT = Path("out/reproduce")


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PAPER|STUDY]...|all|readings [STUDY]...",
            help="Papers or studies; without one, what there is. `readings`: what else the papers may mean.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and shorter points, all figures.")] = False,
    full: Annotated[
        list[str] | None, typer.Option("--full", metavar="STUDY", help="With --quick: run this one in full.")
    ] = None,
    scoreboard: Annotated[
        bool,
        typer.Option(
            "--scoreboard",
            help="Write papers/docs/reproduction.md; other studies keep their numbers, and quick ones say so.",
        ),
    ] = False,
    short_forms: Annotated[
        bool,
        typer.Option(
            "--short-forms",
            help="Run short forms alone; write their fingerprints, and what is due, into the checkout.",
        ),
    ] = False,
    refit: Annotated[
        bool,
        typer.Option("--refit", help="Fit the settings of `device` or `ida` again, and print which would move."),
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds",
            min=1,
            metavar="N",
            help="Run N seeds: claims get means, each with its interval. A full run has five, where anything is drawn.",
        ),
    ] = None,
    reading: Annotated[
        list[str] | None,
        typer.Option("--reading", metavar="NAME", help="With `readings STUDY`: measure this one alone. Repeatable."),
    ] = None,
    alternative: Annotated[
        list[str] | None,
        typer.Option("--alternative", metavar="NAME", help="With --reading: this one and the default. Repeatable."),
    ] = None,
    figure: Annotated[
        list[str] | None,
        typer.Option("--figure", metavar="NAME", help="With --reading: judge this figure's claims alone. Repeatable."),
    ] = None,
    json: opt.Json = False,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="DIR", help="The folder that gets a folder for each study."),
        paths.KEEPS,
    ] = OUT,
    jobs: opt.Jobs = None,
    cache: opt.Cache = None,
) -> None:
    """Run the studies of papers: figures, tables, and each claim beside what comes out here.

    Finished points are kept: a second run, or one after a kill, reuses them.
    In a checkout, `all` in full and any study with --scoreboard write their entries in papers/docs/reproduction/ and
    the page papers/docs/reproduction.md, and for that run the short forms, too.
    `readings` measures each choice that a paper leaves open: how many claims hold under each of its alternatives. In a
    checkout, all in full and any study with --scoreboard write papers/docs/reproduction/readings.md.
    """
    import wordline_papers as studies
    from wordline.extras import need
    from wordline.output.json_document import text

    from ..checkout import ROOT
    from ..scoreboard import PAGE, write

    if not names:
        listing(json)
        return
    if refit:
        fit_again(names)
        return
    store = studies.Store(cache or studies.default_folder())
    in_full = {study.name for study in studies.select(full)} if full else set()
    if names[0] == READINGS:
        need("reproduce", "tables")
        asked = with_readings(names[1:])
        paths.declare("--out", out / READINGS, paths.FILLS)
        to_docs = scoreboard or not (names[1:] or quick)
        chosen_readings = [(study, named(study, reading or (), alternative or (), figure or ())) for study in asked]
        entries = [
            all_measured(study, readings_of_study, quick and study.name not in in_full, jobs, store, to_docs)
            for study, readings_of_study in chosen_readings
        ]
        show_readings(entries, out / READINGS, json, to_docs)
        return
    need("reproduce", "plot", "tables")
    chosen = studies.select(names)
    if short_forms:
        renew(chosen, jobs, store)
        return
    for study in chosen:
        paths.declare("--out", out / study.name, paths.FILLS)
    to_page = (scoreboard or ("all" in names and not quick)) and (ROOT / PAGE).is_file()
    # First: if the store is not up to date, a long run is in vain.
    short = {study.name: short_form(study, jobs, store) for study in chosen} if to_page else {}
    done = [
        carry_out(study, quick and study.name not in in_full, seeds, jobs, store, out / study.name, json)
        for study in chosen
    ]
    if json:
        verdicts = [verdict.to_dict() for verdict in studies.merged(done)]
        talk.data(text({"claims": verdicts, "quick": quick, "studies": [each.study.name for each in done]}))
    elif len(done) > 1:
        talk.note(closing(done, out))
    if to_page:
        talk.note(f"scoreboard in {write(done, short)}")


def renew(chosen: list[Study], jobs: int | None, store: Store) -> None:
    """Writes the fingerprints of short forms, and names the studies whose full run is due.

    Raises:
        BadInputError: There is no checkout, or the store has other results for the same revision.
    """
    from ..checkout import ROOT
    from ..scoreboard import DUE, due
    from ..scoreboard import renew as write
    from ..short_forms import FILE, load

    if not (ROOT / FILE).is_file():
        raise BadInputError(f"there is no {FILE}", "run it in a checkout")
    before, now = load(ROOT), {study.name: short_form(study, jobs, store) for study in chosen}
    page = write(now, ROOT)
    changed = [name for name, each in now.items() if before.get(name) != each]
    talk.note(f"other results than before: {', '.join(changed) or 'none'}; fingerprints in {FILE}, the page is {page}")
    if waiting := due(ROOT):
        talk.note(f"{', '.join(waiting)}: {DUE}")


def short_form(study: Study, jobs: int | None, store: Store) -> str:
    """Returns the fingerprint of a study's short form, which runs anew.

    Raises:
        BadInputError: The store has other results of the same points.
    """
    from wordline.cli.progress import of_points

    from .. import fingerprint

    with of_points(f"{study.name}, short form") as progress:
        hashes = fingerprint.of_study(study, jobs=jobs, store=store, progress=progress)
    if hashes.forgotten:
        first = f"{len(hashes.forgotten)} points, such as {hashes.forgotten[0]}"
        raise BadInputError(
            f"{study.name}: the store has other results of the same revision for {first}",
            "raise REVISION in python/wordline/sweeps/revision.py, or the version of the computation",
        )
    return hashes.fingerprint


def closing(done: list[Reproduction], out: Path) -> str:
    """Returns the summary of several studies, with their place."""
    import wordline_papers as studies

    from ..claim_table import summary

    return f"{len(done)} studies, {summary(studies.merged(done))}; their reports: {out}/*/report.html"


def carry_out(
    study: Study, quick: bool, seeds: int | None, jobs: int | None, store: Store, out: Path, as_json: bool
) -> Reproduction:
    """Runs one study, writes its folder and prints its claims."""
    import wordline_papers as studies
    from wordline.cli.progress import of_points

    from ..reproduction import write

    with of_points(study.name) as progress:
        done = studies.reproduce(study, quick=quick, seeds=seeds, jobs=jobs, store=store, progress=progress)
    for warning in done.results.warnings:
        talk.warning(warning)
    write(done, out, lambda place: report_of(done, place))
    if not as_json:
        from ..claim_table import show

        title = f"{study.title} (quick)" if quick else study.title
        if done.verdicts:
            talk.show(lambda console: show(done.verdicts, console, title))
        else:
            talk.show(lambda console: console.print(title, *done.findings, sep="\n", markup=False, highlight=False))
    there = sum(outcome.cached for outcome in done.results)
    talk.note(f"{len(done.results)} points, {there} of them kept from before; report.html, figures and tables in {out}")
    return done


def report_of(done: Reproduction, folder: Path) -> None:
    """Writes a study's report into its folder: claims and figures. What each point gave is in `results.parquet`."""
    from wordline import report
    from wordline.cli.invocation import command
    from wordline.cli.results import REPORT

    from ..report_sections import asked, sections

    notes = list(done.study.notes)
    if done.seeds > 1:
        notes.append(f"Claims are over {done.seeds} seeds; figures are of the first.")
    report.write(folder / REPORT, done.study.title, (), sections(done), notes, command(), asked(done))


def listing(as_json: bool) -> None:
    """Prints the available studies.

    Raises:
        BadInputError: There is no study.
    """
    import wordline_papers as studies
    from wordline.cli.listing import show

    from ..checkout import ROOT
    from ..scoreboard import DUE, due
    from ..short_forms import FILE

    known = [studies.find(name) for name in studies.names()]
    if not known:
        raise BadInputError("there is no study", "a study is a package in papers/wordline_papers")
    show([(study.name, study.title) for study in known], as_json, "study")
    if (ROOT / FILE).is_file() and (waiting := due(ROOT)):
        talk.note(f"{', '.join(waiting)}: {DUE}")
