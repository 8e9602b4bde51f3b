"""`wordline compare SSD --against MEASURED`: a drive, or a grid of them, beside what was measured."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..measured.labels import HOSTS
from . import options as opt
from . import talk
from .errors import BadInputError
from .grouped import Options
from .paths import READS

if TYPE_CHECKING:
    from ..config import Config
    from ..measured import Agreement, Point


class Against(Options):
    """What was measured on a real drive."""

    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="MEASURED",
            help="Run the load of each measured point (fio's JSON, a CSV or a data sheet) and compare. Repeatable.",
        ),
        READS,
    ] = None
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="COLUMN=PATTERN",
            help='With --against: points of these rows alone, "drive=wd-*". Repeatable.',
        ),
    ] = None
    history: opt.History = None
    plot: opt.Figure = None

    def refuse_without(self) -> None:
        """Rejects options that say something of measured points where there are none.

        Raises:
            BadInputError: One is given.
        """
        for option in ("only", "history", "plot"):
            if getattr(self, option) is not None:
                raise BadInputError(f"--{option} is about measured points", "name them with --against FILE")


REQUESTS_MIN = 100


def refuse_beside(
    job: Path | None,
    source: opt.Source,
    replay: opt.Replay,
    repeats: opt.Repeats,
    targets: opt.Targets,
    shown: opt.Shown,
    cache: Path | None,
) -> None:
    """Rejects what measured points bring themselves, and what has no meaning beside them.

    Raises:
        BadInputError: One of the options is given.
    """
    if source.changed() or job is not None:
        raise BadInputError("--against brings the loads of the points", "leave out --trace, --workload and job files")
    if shown.changed():
        option = "--" + next(iter(shown.changed())).replace("_", "-")
        raise BadInputError(f"{option} is about rows of runs, and here are points", "leave it out")
    if repeats.requests is not None and repeats.requests < REQUESTS_MIN:
        raise BadInputError(f"--requests {repeats.requests}: too few for a point", f"give at least {REQUESTS_MIN}")
    if replay.changed():
        option = "--" + next(iter(replay.changed())).replace("_", "-")
        raise BadInputError(f"{option} is about a trace, and there is none", "leave it out")
    for option, is_given in (("--seeds", repeats.seeds > 1), ("--until", bool(repeats.until))):
        if is_given:
            raise BadInputError(f"{option}: a point is run once", "--requests N makes its run longer")
    if targets.report is not None:
        raise BadInputError("--report shows runs, not points", "use --out or --plot")
    if cache is not None:
        raise BadInputError("--cache: points are not kept", "leave it out")


def compare_against(
    ssd: str | None,
    settings: list[str],
    lists: dict[str, list[Any]],
    wanted: Against,
    targets: opt.Targets,
    repeats: opt.Repeats,
) -> None:
    """Runs the loads of measured points on each drive of a grid, prints and writes the errors."""
    from ..measured import read
    from ..measured.labels import check_one_drive
    from .source import configuration

    if ssd is None:
        raise BadInputError(
            "there is no SSD to compare", "name a preset of `wordline presets`, or a configuration file"
        )
    if wanted.plot is not None and lists:
        raise BadInputError("--plot draws one drive, and --set makes several", "give each key one value")
    reading = read(wanted.against or [], wanted.only or ())
    check_one_drive(reading.points)
    for line in reading.left_out:
        talk.note(line)
    note_hosts(reading.points)
    points = sorted(reading.points, key=order)
    drives = [
        (
            dict(zip(lists, values, strict=True)),
            configuration(ssd, settings).set_all(dict(zip(lists, values, strict=True))),
        )
        for values in product(*lists.values())
    ]
    count, jobs = repeats.requests, repeats.jobs
    note_few(points, count)
    history = opt.kinds_of(wanted.history)
    compared = [(chosen, simulated(ssd, config, points, history, count, jobs)) for chosen, config in drives]
    try:
        if wanted.plot is not None:
            from ..output.plot.agreement import draw

            draw(wanted.plot, compared[0][1])
        if targets.out is not None:
            save(targets.out, compared, history)
    finally:
        talk.warn_each(line for _, agreement in compared for line in agreement.warnings)
        present(compared, history, targets.json)


def note_hosts(points: list[Point]) -> None:
    """Says so if points were measured on several hosts, and how to take those of one."""
    from ..measured.labels import labels_of

    for column in HOSTS:
        names = labels_of(points, column)
        if len(names) > 1:
            talk.note(
                f"the points were measured with {len(names)} {column}s ({'; '.join(names)}): "
                f"--only {quote(f'{column}={names[0]}')} takes those of one"
            )


def note_few(points: list[Point], requests: int | None) -> None:
    """Says so if few simulated requests lie beyond a percentile that was measured and counts."""
    from ..agreement import Length
    from ..measured.point import BEYOND_MIN

    count = requests or Length().requests
    is_shown = any(point.numbers.p999_us and not point.is_few("p999_us") for point in points)
    if is_shown and count < BEYOND_MIN * 1000:
        talk.note(
            f"about {count // 1000 or 'no'} of the {count:,} simulated requests of a load lie beyond p99.9; "
            f"-n {BEYOND_MIN}k has {BEYOND_MIN} there"
        )


def order(point: Point) -> tuple[object, ...]:
    """Returns where a point comes in the table: by its load, then by its host; jobs of fio stay in their order."""
    if point.label("job"):
        return ()
    first = point.loads[0]
    sizes = (first.read_bytes, first.write_bytes, first.outstanding, first.depth)
    return (first.is_random, -first.read_ratio, *sizes, point.name, *(point.label(each) for each in HOSTS))


def simulated(
    ssd: str, config: Config, points: list[Point], history: list[str], requests: int | None, jobs: int | None
) -> Agreement:
    """Runs the points under a progress bar."""
    from ..agreement import Length, against
    from ..progress import bar

    with bar() as show:
        progress = (
            None if show is None else lambda done, total: show("comparing", done / total, f"{done} of {total} loads")
        )
        count = requests or Length().requests
        gave = against(config, points, history=history, requests=count, jobs=jobs, progress=progress)
    return replace(gave, drive=ssd)


def save(out: Path, compared: list[tuple[dict[str, Any], Agreement]], history: list[str]) -> None:
    """Writes `against.json` and for each drive `against.csv`, with a figure where figures can be drawn."""
    from ..extras import is_there
    from ..output import json_document
    from ..output.agreement_table import write_csv
    from ..output.result_folder import folder

    with folder(out) as work:
        document = json_document.text(document_of(compared, history))
        (work / "against.json").write_text(document, encoding="utf-8", newline="\n")
        for number, (_, agreement) in enumerate(compared, 1):
            mark = "" if len(compared) == 1 else f"-{number:0{len(str(len(compared)))}}"
            write_csv(work / f"against{mark}.csv", agreement)
            if is_there("plot"):
                from ..output.plot.agreement import draw

                draw(work / f"against{mark}.png", agreement)
    talk.note(f"results in {out}")


def document_of(compared: list[tuple[dict[str, Any], Agreement]], history: list[str]) -> dict[str, Any]:
    """Returns the JSON document: what came before each load, and a drive for each point of the grid."""
    return {"history": history, "drives": [{"set": chosen, **agreement.to_dict()} for chosen, agreement in compared]}


def present(compared: list[tuple[dict[str, Any], Agreement]], history: list[str], as_json: bool) -> None:
    """Prints all points of one drive, or the errors of several."""
    if as_json:
        from ..output.json_document import text

        talk.data(text(document_of(compared, history)))
        return
    from ..output.agreement_table import show

    if history:
        talk.note(f"before each load its jobs ran: {', '.join(history)}")
    if len(compared) == 1:
        talk.show(lambda console: show(compared[0][1], console))
        return
    from ..output.agreement_table import show_errors

    talk.show(lambda console: show_errors(compared, console))
