"""`wordline compare SSD --placement plain,fdp-ii,zones-log`: one workload, data kept apart in several ways."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as opt
from . import talk
from .against import Against
from .errors import BadInputError
from .grouped import Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..config import Config
    from ..held import LogResult
    from ..progress import Progress, Show
    from ..result import Result
    from ..workload import Flow

    Run = tuple[str, Result | LogResult]

DAYS_A_YEAR = 365
CAPTION = "A row for each placement, and below it one for each of its handles"
LOG_IN_TABLE = "zones-log is in this table alone: its drive serves the log, not the workload itself."


class Placed(Options):
    """How data are kept apart."""

    placement: Annotated[
        str | None,
        typer.Option(
            "--placement",
            metavar="LIST",
            help="Ways to keep data of handles apart, with commas: plain, hints, fdp-ii, fdp-pi, zones-log.",
        ),
    ] = None
    pec: Annotated[
        float | None,
        typer.Option(
            "--pec", metavar="N", help="With --placement: P/E cycles of a block, instead of the drive's (rated_pec)."
        ),
    ] = None

    def refuse_without(self) -> None:
        """Raises `BadInputError` where an option is given that acts with --placement alone."""
        if self.pec is not None:
            raise BadInputError("--pec goes with --placement", "leave it out, or see `wordline lifetime`")


def compare_placements(
    ssd: str | None,
    config: Config,
    job: Path | None,
    source: opt.Source,
    replay: opt.Replay,
    lists: dict[str, list[Any]],
    wanted: Placed,
    targets: opt.Targets,
    repeats: opt.Repeats,
    measured: Against,
) -> None:
    """Runs the workload once on the drive with each placement, prints and writes what each handle costs."""
    from ..extras import need
    from ..output import json_document, placement_table
    from ..placements import ZONES_LOG
    from ..progress import bar
    from ..workload import flows_of
    from .run import requests_of

    names = names_of(str(wanted.placement))
    if wanted.pec is not None and not wanted.pec > 0:
        raise BadInputError(f"--pec {wanted.pec:g}: it is more than 0", "write the P/E cycles that a block endures")
    for option, is_given in (
        ("--set with several values", bool(lists)),
        ("--seeds", repeats.seeds > 1),
        ("--until", bool(repeats.until)),
        ("--only", measured.only is not None),
    ):
        if is_given:
            raise BadInputError(f"{option} does not go with --placement", "leave it out")
    if measured.plot is not None:
        need("--plot", "plot")
    with_handles = config.set("fdp.isolation", "initially")
    # A job of fio that names handles is an error on a drive without. Here one of several drives ignores them.
    requests = flows_of(requests_of(ssd, with_handles, job, source, replay, is_one_run=False), with_handles)
    results: list[Run] = []
    with bar() as show:
        for number, name in enumerate(names):
            progress = None if show is None else within(show, name, number, len(names))
            results.append((name, run_one(config, name, requests, repeats.requests, progress)))
    # A key of one placement acts in no other.
    idle = [f"`{key}` has no effect" for key in ("fdp.handles", "ftl.streams", "ftl.placement")]
    lines = [line for name, run in results if name != ZONES_LOG for line in result_of(run).warnings]
    talk.warn_each(line for line in lines if not any(key in line for key in idle))
    rows = [row for name, run in results for row in rows_of(name, run, config, wanted.pec)]
    try:
        if measured.plot is not None:
            from ..output.plot.placement import draw

            draw(measured.plot, rows)
        if targets.out is not None:
            save(targets.out, results, rows)
        if targets.report is not None:
            report(targets.report, results, rows)
    finally:
        if targets.json:
            talk.data(json_document.text({"placements": rows}))
        else:
            talk.show(lambda console: placement_table.show(rows, console))


def names_of(text: str) -> list[str]:
    """Returns the placements of a list.

    Raises:
        BadInputError: One is unknown, or comes twice.
    """
    from ..placements import PLACEMENTS, ZONES_LOG

    known = (*PLACEMENTS, ZONES_LOG)
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            raise BadInputError(f"--placement {name}: there is no such placement", f"there are {', '.join(known)}")
        if names.count(name) > 1:
            raise BadInputError(f"--placement {name}: comes twice", "leave one of them out")
    return names


def within(show: Show, name: str, number: int, count: int) -> Callable[[Progress], None]:
    """Returns what shows how far the run of one of several placements has come, among all of them."""
    from ..progress import label_of
    from ..sweeps.under_way import share_of_run

    now_doing = name

    def tell(share: float) -> None:
        show("comparing", (number + share) / count, now_doing)

    share_of = share_of_run(tell)

    def report(now: Progress) -> None:
        nonlocal now_doing
        now_doing = f"{name}, {number + 1} of {count}: {label_of(now)}"
        share_of(now)

    tell(0.0)
    return report


def run_one(
    config: Config, name: str, requests: list[Flow], count: int | None, progress: Callable[[Progress], None] | None
) -> Result | LogResult:
    """Runs one placement."""
    from ..api import run
    from ..placement_log import run_on_zones
    from ..placements import ZONES_LOG, placed

    if name == ZONES_LOG:
        return run_on_zones(config, requests, count, progress)
    return run(placed(config, name), requests, requests=count, progress=progress)


def rows_of(name: str, run: Result | LogResult, config: Config, pec: float | None) -> list[dict[str, Any]]:
    """Returns the rows of a placement."""
    from ..held import LogResult
    from ..output import placement_table

    wear = wear_of(run, config, pec)
    if isinstance(run, LogResult):
        return [placement_table.row_of_log(name, run, wear)]
    return placement_table.rows([(name, run.to_dict(), wear)])


def wear_of(run: Result | LogResult, config: Config, pec: float | None) -> dict[str, float | None]:
    """Returns the P/E cycles that a drive write costs the mean block, and the years at a drive write a day."""
    from ..stats.lifetime import WARRANTY_YEARS, lifetime_of, rating

    result, rated = result_of(run), rating(config).pec
    document = {**result.document, "write_amplification": run.write_amplification}
    if document["write_amplification"] is None:
        return {"cycles_a_drive_write": None, "years": None}
    # Of one P/E cycle the drive lives as long as that many days of a drive write.
    once = lifetime_of(document, config, 1.0, of="run")
    writes = once.dwpd * WARRANTY_YEARS
    cycles = pec if pec is not None else rated.value if rated is not None else None
    return {
        "cycles_a_drive_write": 1.0 / (writes * DAYS_A_YEAR),
        "years": None if cycles is None else writes * cycles,
    }


def result_of(run: Result | LogResult) -> Result:
    """Returns what the drive measured."""
    from ..held import LogResult

    return run.result if isinstance(run, LogResult) else run


def save(out: Path, results: list[Run], rows: list[dict[str, Any]]) -> None:
    """Writes the folder of a comparison: the rows as JSON and CSV, a report, each result, and its FDP logs."""
    from ..output import json_document, placement_table
    from ..output.result_folder import folder
    from .results import REPORT

    with folder(out) as work:
        text = json_document.text({"placements": rows})
        (work / "placements.json").write_text(text, encoding="utf-8", newline="\n")
        placement_table.write_csv(work / "placements.csv", rows)
        for name, run in results:
            result = result_of(run)
            text = json_document.text(result.to_dict())
            (work / f"{name}.json").write_text(text, encoding="utf-8", newline="\n")
            for log, content in result.fdp_logs().items():
                text = json_document.text(content)
                (work / f"{name}-{log}.json").write_text(text, encoding="utf-8", newline="\n")
        report(work / REPORT, results, rows)
    talk.note(f"results in {out}")


def report(path: Path, results: list[Run], rows: list[dict[str, Any]]) -> None:
    """Writes a report of the runs with the table of placements."""
    from ..output import placement_table
    from ..placements import ZONES_LOG
    from ..report import Entry, Section
    from .results import write_report

    # The drive below a log serves the log, so its times are not those of the workload: the table has these.
    of_log = [LOG_IN_TABLE for name, _ in results if name == ZONES_LOG]
    entries = [Entry(result_of(run), {"placement": name}) for name, run in results if name != ZONES_LOG]
    heads, cells = placement_table.texts(rows)
    told = [*placement_table.notes(rows), *of_log]
    table = Section(
        "placements", "Placements", ". ".join(placement_table.MEANING), CAPTION, heads, cells, notes=told, kind="plain"
    )
    write_report(path, f"Placements: {', '.join(name for name, _ in results)}", entries, sections=[table])
