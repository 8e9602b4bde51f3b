"""`wordline sweep`: the points of a TOML file, on this machine or on a cluster, as one table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import extras
from . import options as opt
from . import paths, talk
from .cluster import Dask, cluster
from .compare import loads_of
from .paths import FILLS, KEEPS, READS

if TYPE_CHECKING:
    from ..output.view import View
    from ..sweeps import Point, Results, Spec


def sweep(
    *,
    file: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="Grids, zips and seeds."), READS],
    sets: opt.Sets = None,
    drive: opt.Drive,
    load: opt.Load = None,
    requests: opt.Requests = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="The results' folder; out/STUDY by default."),
        FILLS,
    ] = None,
    report: opt.Report = None,
    json: opt.Json = False,
    jobs: opt.Jobs = None,
    shown: opt.Shown,
    cache: opt.Cache = None,
    dask: Dask = None,
) -> None:
    """Simulate every point of a study file and write one table of results.

    Finished points are kept: a second run, or one after a kill, reuses them.
    --set sets a key for all points. Ctrl-C writes the finished points, marked as partial.
    """
    from ..config import parse_value
    from ..report.entry import of_results
    from ..sweeps import Spec, Store, default_folder
    from .assignment import split
    from .compare import of_rows
    from .progress import of_points
    from .results import check_report, write_report

    check_report(report)
    target = out or Path("out") / file.stem
    if out is None:
        paths.declare("--out", target, FILLS)
    spec = Spec.read(file)
    settings = {key: parse_value(value) for key, value in map(split, [*drive.settings(), *(sets or [])])}
    store = Store(cache or default_folder())
    if cache is None:
        paths.declare("the cache", store.folder, KEEPS)
    points = spec.points(settings, requests, load)
    reads_of(file, points)
    shown.check([point.coordinates for point in points])
    with cluster(dask) as executor, talk.explained_stop(spec.seeds), of_points("sweeping") as progress:
        results = spec.run(
            settings,
            requests=requests,
            load=load,
            jobs=jobs,
            executor=executor,
            store=store,
            progress=progress,
            keep_partial=True,
        )
    for text in loads_of(results):
        talk.note(text)
    talk.warn_each([*results.warnings, *of_rows([each.result.warnings for each in results if each.result is not None])])
    mark = ""
    if results.is_partial:
        mark = talk.partial(len(results), total := len(points))
        talk.stopped(len(results), total)
    if results.rows():
        results, view = ordered(results, spec, shown)
        try:
            # Partial results do not replace earlier ones.
            if not (results.is_partial and target.exists()):
                save(target, results, spec, file.stem + (" (partial)" if results.is_partial else ""), view)
            if report is not None:
                write_report(report, file.stem, of_results(over_seeds(results, spec)), view)
        finally:
            present(results, spec, json, mark, view)
        there = sum(outcome.cached for outcome in results)
        talk.note(f"{len(results)} points, {there} of them kept from before; results in {target}")
    results.raise_failures()
    if results.is_partial:
        raise KeyboardInterrupt


def reads_of(file: Path, points: Sequence[Point]) -> None:
    """Declares what a study names: configurations, the files that these name, and traces."""
    from ..errors import WordlineError
    from ..fio_jobs import FioFile
    from ..flow_file import FlowFile
    from .source import configuration

    ssds = dict.fromkeys(point.ssd for point in points if isinstance(point.ssd, str))
    settings = (value for point in points for value in point.settings.values() if isinstance(value, str))
    paths.reads(file.name, [*ssds, *settings])
    for ssd in ssds:
        # What is wrong with it, the sweep says, with the line of the study.
        with suppress(WordlineError):
            configuration(ssd, [])
    for point in points:
        if isinstance(point.workload, FioFile):
            paths.reads(file.name, [point.workload.path])
        elif isinstance(point.workload, FlowFile):
            paths.reads(file.name, point.workload.traces)
        elif not isinstance(point.workload, str):
            paths.reads_traces(point.workload, file.name)


def over_seeds(results: Results, spec: Spec) -> Results:
    """The points as tables and reports show them: those that differ in their seed alone as one, with intervals."""
    return results.pooled(spec.seeds) if spec.seeds > 1 else results


def document(results: Results, spec: Spec) -> dict[str, Any]:
    """The JSON document: each point, and where there are several seeds their means."""
    means = {"over_seeds": over_seeds(results, spec).to_dict()["points"]} if spec.seeds > 1 else {}
    partial = {"partial": True} if results.is_partial else {}
    return {**partial, **results.to_dict(), **means}


def save(out: Path, results: Results, spec: Spec, title: str, view: View) -> None:
    """Writes the folder of a sweep: `results.parquet`, `sweep.json`, `report.html` and the study file."""
    from ..output import json_document
    from ..output.result_folder import folder
    from ..report.entry import of_results
    from .results import REPORT, left_out, write_record, write_report

    with folder(out) as work:
        write_report(work / REPORT, title, of_results(over_seeds(results, spec)), view)
        if extras.is_there("tables"):
            extras.parquet.write_table(results.to_arrow(), work / "results.parquet")
        else:
            left_out("results.parquet", "tables")
        (work / "sweep.json").write_text(json_document.text(document(results, spec)), encoding="utf-8", newline="\n")
        (work / "study.toml").write_text(spec.text, encoding="utf-8", newline="\n")
        write_record(work, "sweep", [(o.coordinates, o.result) for o in results if o.result is not None])


def rows_of(results: Results) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Returns the rows of the table: what varies, and the document."""
    good = [outcome for outcome in results if outcome.error is None]
    keys = results.varying() or list(good[0].coordinates)
    return [({key: o.coordinates.get(key, "") for key in keys}, dict(o.document)) for o in good]


def ordered(results: Results, spec: Spec, shown: opt.Shown) -> tuple[Results, View]:
    """Returns the points in the order of the table, those that failed last, and how the table shows them."""
    from ..sweeps import Results

    over = over_seeds(results, spec)
    order, view = shown.arranged(rows_of(over))
    if order == sorted(order):
        return results, view
    good = [number for number, outcome in enumerate(over) if outcome.error is None]
    failed = [number for number, outcome in enumerate(over) if outcome.error is not None]
    seeds = spec.seeds
    groups = [good[number] for number in order] + failed
    outcomes = [each for number in groups for each in results[number * seeds : (number + 1) * seeds]]
    return Results(outcomes, results.warnings, is_partial=results.is_partial), view


def present(results: Results, spec: Spec, as_json: bool, partial: str, view: View) -> None:
    """Prints the differences between the points, and their main numbers; `partial` as in `compare.present`."""
    rows = rows_of(over_seeds(results, spec))
    if as_json:
        from ..output import bounds
        from ..output.json_document import text

        talk.data(text(document(results, spec) | bounds.document_of(rows, view.bounds)))
        return
    from ..output.compare_table import show

    talk.show(lambda console: show(rows, console, partial, view))
    if view.sorted_by is not None and len(rows) > 1:
        from ..output.best import best

        talk.data(f"{best(rows, view.sorted_by)}\n")
    if view.bounds:
        from ..output.bounds import answer

        talk.data(f"{answer(rows, view.bounds)}\n")
