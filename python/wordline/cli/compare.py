"""`wordline compare`: the same workload at every point of a grid."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import options as opt
from . import talk
from .against import Against, compare_against, refuse_beside
from .errors import BadInputError
from .placed import Placed, compare_placements

if TYPE_CHECKING:
    from ..document import Document
    from ..output.view import View
    from ..result import Result
    from ..sweeps import Outcome

# If none of these differs, a setting has done nothing that matters.
MAIN = ("requests", "iops", "bandwidth_mb_s", "response_us", "write_amplification", "gc")
EXAMPLE = "give a key several values, for example --set gc.policy=greedy,fifo"


def compare(
    *,
    ssd: opt.SSD = None,
    job: opt.Job = None,
    source: opt.Source,
    sets: opt.Sets = None,
    drive: opt.Drive,
    load: opt.Loads = None,
    repeats: opt.Repeats,
    targets: opt.Targets,
    shown: opt.Shown,
    cache: opt.Cache = None,
    replay: opt.Replay,
    measured: Against,
    placed: Placed,
) -> None:
    """Simulate every point of a grid and print them side by side, or a drive beside what was measured.

    Comma lists in --set make the grid; a value in square brackets is one value. Changes are against the first row.
    With --placement the drive keeps data of handles apart in several ways: docs/how-to/fdp.md.
    With --against each load that was measured is run, and the errors are printed: docs/how-to/fit.md.
    With --until all points run on together, always with the same number of requests.
    Ctrl-C prints the finished points, marked as partial.
    """
    from .. import sweeps
    from ..report import Entry
    from ..sweeps import axes
    from .assignment import grid
    from .one_run import say_reached
    from .progress import of_points
    from .results import check_report, write_report
    from .run import requests_of
    from .source import configuration

    out, report = targets.out, targets.report
    check_report(report)
    single, lists = grid(sets or [])
    if load is not None and (measured.against or placed.placement is not None):
        raise BadInputError(
            f"--load does not go with --{'against' if measured.against else 'placement'}", "leave it out"
        )
    if measured.against:
        refuse_beside(job, source, replay, repeats, targets, shown, cache)
        compare_against(ssd, [*drive.settings(), *single], lists, measured, targets, repeats)
        return
    if placed.placement is not None:
        config = configuration(ssd, [*drive.settings(), *single])
        compare_placements(ssd, config, job, source, replay, lists, placed, targets, repeats, measured)
        return
    measured.refuse_without()
    placed.refuse_without()
    if load is not None and "," in load:
        lists = {"load": shares(load), **lists}
        load = None
    has_load = load is not None or "load" in lists
    load_of = {key: value for key, value in shown.wanted.items() if key != "load"} if has_load else None
    if not lists:
        raise BadInputError("there is nothing to compare", EXAMPLE)
    shown.check(axes.grid(lists))
    config = configuration(ssd, [*drive.settings(), *single])
    requests = requests_of(ssd, config, job, source, replay, is_one_run=False)
    with talk.explained_stop(repeats.seeds), of_points("comparing") as progress:
        store = sweeps.Store(cache or sweeps.default_folder())
        outcomes = sweeps.compare(
            config,
            requests,
            lists,
            requests=repeats.requests,
            load=load,
            load_of=load_of or None,
            seeds=repeats.seeds,
            jobs=repeats.jobs,
            store=store,
            progress=progress,
            keep_partial=True,
            goals=repeats.until or (),
            limit=repeats.until_limit,
        )
    total = math.prod(map(len, lists.values()))
    row = ", ".join(f"{key}={value}" for key, value in (load_of or {}).items())
    for text in loads_of(outcomes):
        talk.note(f"{text} (measured on the drive {f'with {row}' if row else 'of the first row'})")
    for text in outcomes.notes:
        talk.note(text)
    if outcomes.is_partial:
        talk.stopped(len(outcomes), total)
    points = [(each.settings, each.result) for each in outcomes if each.result is not None]
    order, view = shown.arranged([(settings, result.document) for settings, result in points])
    points = [points[number] for number in order]
    if repeats.until and not outcomes.is_partial:
        say_reached([result for _, result in points])
    heading = title(lists) + (" (partial)" if outcomes.is_partial else "")
    try:
        # Partial results do not replace earlier ones.
        if out is not None and not (outcomes.is_partial and out.exists()):
            save(out, points, heading, view, is_partial=outcomes.is_partial)
        if report is not None:
            write_report(report, heading, [Entry(result, settings) for settings, result in points], view)
    finally:
        # That the rows of an axis are alike matters more than anything else that is to be said.
        alike = idle_axes(points, lists)
        talk.warn_each([*alike, *outcomes.warnings, *of_rows([result.warnings for _, result in points])])
        mark = talk.partial(len(outcomes), total) if outcomes.is_partial else ""
        present(points, targets.json, lists, mark, view)
    if outcomes.is_partial:
        raise KeyboardInterrupt


def shares(text: str) -> list[str]:
    """Returns the loads of a list.

    Raises:
        BadInputError: One comes twice, or is empty.
    """
    from ..offered_load import share_of

    items = [item.strip() for item in text.split(",")]
    if len({share_of(item) for item in items}) < len(items):
        raise BadInputError(f"--load {text}: a load comes twice", "each point of the grid is run once")
    return items


def loads_of(outcomes: Iterable[Outcome]) -> list[str]:
    """Returns a line for each load of the points that is a share of what a drive serves at most."""
    from ..offered_load import OfferedLoad

    loads = (getattr(each.point, "load", None) for each in outcomes)
    return list(dict.fromkeys(str(load) for load in loads if isinstance(load, OfferedLoad)))


NEEDS = re.compile(r"`([\w.]+)` has no effect: it needs ")


def of_rows(warnings: Sequence[Sequence[str]]) -> list[str]:
    """Returns the warnings of all rows. A key is not idle that acts in one of them, where what it needs is compared."""
    idle = [{key for text in row for key in NEEDS.findall(text)} for row in warnings]
    in_all = set.intersection(*idle) if idle else set()
    return [text for row in warnings for text in row if set(NEEDS.findall(text)) <= in_all]


def idle_axes(points: list[tuple[dict[str, Any], Result]], lists: dict[str, list[Any]]) -> list[str]:
    """Returns a line for each key that acted in no row, or of whose values some give the same rows."""
    from ..output.compare_table import setting_text
    from ..stats.acted import reason_of

    notes = []
    for key, values in lists.items():
        if len(points) < 2 or len(values) < 2 or key == "load":
            continue
        rows: dict[str, dict[str, str]] = {}
        for settings, result in points:
            others = repr([(other, value) for other, value in settings.items() if other != key])
            measured = [result.document.get(name) for name in MAIN]
            rows.setdefault(others, {})[setting_text(key, settings.get(key))] = repr(measured)
        reasons = [reason_of(key, result.config, result.document) for _, result in points]
        if all(len(set(each.values())) == 1 for each in rows.values()):
            why = reasons[0] or "it made no difference to these requests"
            notes.append(f"--set {key}: all its values give the same numbers: {why}")
        elif all(reasons):
            # Such as over-provisioning without GC: random addresses of a larger range are other addresses.
            notes.append(f"--set {key}: what differs is chance, since {reasons[0]}")
        elif pairs := alike(list(rows.values())):
            notes.append(f"--set {key}: {'; '.join(pairs)}: they do the same to these requests")
    return notes


def alike(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Returns which values of a key have the numbers of an earlier one, whatever else is set."""
    values = list(dict.fromkeys(value for each in rows for value in each))
    pairs = []
    for number, value in enumerate(values):
        for first in values[:number]:
            both = [(each[first], each[value]) for each in rows if first in each and value in each]
            if both and all(one == other for one, other in both):
                pairs.append(f"{value} gives the numbers of {first}")
                break
    return pairs


def title(lists: dict[str, list[Any]]) -> str:
    """Returns the heading of a comparison's report."""
    return f"Comparison of {', '.join(lists)}"


def save(
    out: Path, points: list[tuple[dict[str, Any], Result]], heading: str, view: View, *, is_partial: bool = False
) -> None:
    """Writes the folder of a comparison: a JSON document, a table, and a folder of files for each point."""
    from ..output import compare_table, json_document
    from ..output.result_folder import folder
    from ..report import Entry
    from ..result import flat
    from .results import REPORT, Files, write_record, write_report, write_run

    with folder(out) as work:
        documents = [(settings, result.to_dict()) for settings, result in points]
        (work / "compare.json").write_text(
            json_document.text(document_of(documents, view, is_partial=is_partial)), encoding="utf-8", newline="\n"
        )
        compare_table.write_csv(
            work / "compare.csv", [(settings, flat(result.document)) for settings, result in points]
        )
        for number, (_, result) in enumerate(points, 1):
            place = work / "points" / f"{number:04}"
            place.mkdir(parents=True)
            write_run(place, result, Files())
            write_record(place, "run", [({}, result)])
        write_record(work, "compare", points)
        write_report(work / REPORT, heading, [Entry(result, settings) for settings, result in points], view)
    talk.note(f"results in {out}")


def document_of(points: Sequence[tuple[dict[str, Any], Document]], view: View, *, is_partial: bool) -> dict[str, Any]:
    """Returns the JSON document of a comparison; each point has its changes against the one it is compared with."""
    from ..output import bounds
    from ..output.compare_table import changes

    rows = []
    for number, (settings, document) in enumerate(points):
        first = view.first_of(number)
        beside = {} if first == number else {"changes": changes(points[first][1], document)}
        of = {"compared_with": first + 1} if view.firsts and first != number else {}
        rows.append({"set": settings, "result": document, **beside, **of})
    asked = bounds.document_of(points, view.bounds)
    return ({"partial": True} if is_partial else {}) | {"points": rows} | asked


def present(
    points: list[tuple[dict[str, Any], Result]], as_json: bool, lists: dict[str, list[Any]], partial: str, view: View
) -> None:
    """Prints the comparison; `partial` is the mark of one that Ctrl-C cut short."""
    documents = [(settings, result.to_dict()) for settings, result in points]
    if as_json:
        from ..output.json_document import text

        talk.data(text({"grid": lists, **document_of(documents, view, is_partial=bool(partial))}))
        return
    from ..output.compare_table import show

    talk.show(lambda console: show(documents, console, partial, view))
    if view.sorted_by is not None and len(documents) > 1:
        from ..output.best import best

        talk.data(f"{best(documents, view.sorted_by)}\n")
    if view.bounds:
        from ..output.bounds import answer

        talk.data(f"{answer(documents, view.bounds)}\n")
