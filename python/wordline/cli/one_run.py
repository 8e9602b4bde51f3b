"""One simulation of the command line: runs it under a progress bar, saves and prints the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import talk

if TYPE_CHECKING:
    from ..config import Config
    from ..report import Section
    from ..result import Result
    from ..workload import WorkloadLike
    from . import options as opt
    from .results import Files
    from .states import States

    Alone = Mapping[str, Result]
    """The results of the flows of a run by themselves, by name."""


def simulate(
    config: Config,
    source: WorkloadLike,
    check: bool,
    window: tuple[float, float] | None,
    files: Files,
    states: States,
    *,
    count: int | None = None,
    keep_partial: bool = False,
    replace_iologs: bool = False,
    finishing: Callable[[Result], object] | None = None,
) -> Result:
    """Runs one simulation under a progress bar; on Ctrl-C it may keep the partial result."""
    from .. import api
    from .progress import of_run

    with of_run() as progress:
        return api.run(
            config,
            source,
            requests=count,
            check=check,
            log_requests=files.parquet or files.timeline,
            timeline_us=window,
            keep_partial=keep_partial,
            load_state=states.load,
            go_on=states.go_on,
            save_state=states.save,
            save_every_s=states.every_s,
            loading=states.say_loaded,
            replace_iologs=replace_iologs,
            finishing=finishing,
            progress=progress,
        )


def replicate(config: Config, source: WorkloadLike, repeats: opt.Repeats, check: bool, files: Files) -> Result:
    """Runs several seeds under a progress bar.

    Raises:
        BadInputError: A file is requested that only a single run has.
    """
    from .. import sweeps
    from .progress import of_points

    _check_files(files, f"--seeds makes {repeats.seeds}")
    with of_points("simulating") as progress:
        return sweeps.replicate(
            config,
            source,
            requests=repeats.requests,
            seeds=repeats.seeds,
            jobs=repeats.jobs,
            check=check,
            progress=progress,
            keep_partial=True,
        )


def approach(
    config: Config,
    source: WorkloadLike,
    repeats: opt.Repeats,
    check: bool,
    files: Files,
) -> Result:
    """Runs until the goals are met, and returns whether they are.

    Raises:
        BadInputError: A file is requested that only a single run has.
        GoalError: A goal is invalid.
    """
    from .. import sweeps
    from .progress import of_run

    _check_files(files, "--until may make several")
    with of_run() as progress:
        result = sweeps.run_until(
            config,
            source,
            requests=repeats.requests,
            goals=repeats.until or (),
            limit=repeats.until_limit,
            seeds=repeats.seeds,
            jobs=repeats.jobs,
            check=check,
            progress=lambda *_: progress,
            keep_partial=True,
        )
    if "until" in result.document:
        say_reached([result])
    return result


def say_reached(results: Sequence[Result]) -> None:
    """Says for each goal whether it is met, and after how many requests or seeds; of several results the worst."""
    untils = [result.document["until"] for result in results]
    if not untils:
        return
    unit = untils[0]["unit"]
    size = max(each["checkpoints"][-1][unit] for each in untils)
    for states in zip(*(each["goals"] for each in untils), strict=True):
        is_met = all(each["is_met"] for each in states)
        shares = [each["reached_share"] for each in states]
        known = [share for share in shares if share is not None]
        reached = f"±{100 * max(known):.2g} %" if len(known) == len(shares) else "no interval"
        talk.note(f"{states[0]['goal']}: {'met' if is_met else 'not met'}, {reached} after {size:,} {unit}")
    if not all(each["is_met"] or 2 * size <= each["limit"] for each in untils):
        limit = max(each["limit"] for each in untils)
        talk.warning(f"the limit of {limit:,} {unit} is reached; --until-limit sets another one")


def _check_files(files: Files, why: str) -> None:
    from .errors import BadInputError

    if files.parquet or files.timeline:
        option = "--parquet" if files.parquet else "--timeline"
        raise BadInputError(f"{option} is about one run, {why}", "leave one of them out")


def save(out: Path, result: Result, files: Files, title: str, alone: Alone | None = None) -> None:
    """Writes the result's folder, complete or not at all."""
    from ..output import json_document
    from ..output.result_folder import folder
    from ..report import Entry
    from .results import REPORT, write_record, write_report, write_run

    with folder(out) as work:
        write_run(work, result, files)
        write_record(work, "run", [({}, result)])
        heading = f"{Path(title).name} under {result.workload['name']}"
        write_report(work / REPORT, heading, [Entry(result)], sections=of_alone(result, alone))
        if alone:
            text = json_document.text(beside(result, alone))
            (work / "alone.json").write_text(text, encoding="utf-8", newline="\n")
    talk.note(f"result in {out}")


def beside(result: Result, alone: Alone) -> dict[str, Any]:
    """Returns what several flows do to each other: the numbers of each beside the others and alone, and fairness."""
    from ..stats.flows import beside_alone

    rows = beside_alone(result.document, {name: each.document for name, each in alone.items()})
    return {"flows": rows, "fairness": result.fairness(alone)}


def of_alone(result: Result, alone: Alone | None) -> list[Section]:
    """Returns the part of a report that has each flow beside the others and alone; none without `--alone`."""
    from ..output import alone_table
    from ..report import Section

    if not alone or result.document.get("partial"):
        return []
    told = beside(result, alone)
    heads, rows = alone_table.table(told["flows"])
    fair = f"{alone_table.told(told['fairness'])}."
    return [Section("alone", "Flows alone", fair, alone_table.TITLE, heads, rows, kind="plain")]


def show_result(result: Result, as_json: bool, title: str, alone: Alone | None = None) -> None:
    """Prints the result; its warnings go to standard error."""
    talk.warnings(result.warnings)
    document = result.to_dict()
    # Of a part of a run, flows may have nothing to show.
    told = beside(result, alone) if alone and not document.get("partial") else None
    if as_json:
        from ..output.json_document import text

        talk.data(text(document if told is None else {"together": document, "alone": told}))
        return
    from ..output.table import show

    talk.show(lambda console: show(document, console, title))
    if told is not None:
        from ..output import alone_table

        talk.show(lambda console: alone_table.show(told["flows"], told["fairness"], console))
