"""`wordline run --mqsim`: every scenario of a pair of MQSim's files, each on a fresh SSD."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import paths, talk

if TYPE_CHECKING:
    from ..mqsim import MqsimWarning
    from ..result import Result
    from .results import Files


def run_pair(
    pair: tuple[Path, Path],
    assignments: Sequence[str],
    reading: Mapping[str, Any],
    out: Path | None,
    as_json: bool,
    check: bool,
    window: tuple[float, float] | None,
    files: Files,
    *,
    notes: bool = False,
) -> None:
    """Runs the scenarios one after the other; `reading` says how their traces are read.

    Keys of MQSim without a meaning here are summed up, or with `notes` each is told with its line and reason.

    A single scenario gives the output of an ordinary run.
    Several give a JSON document `{"scenarios": [{"name", "result"}]}` and a folder with one folder for each.
    """
    from ..mqsim.runs import runs
    from .one_run import save, simulate
    from .states import States

    scenarios = runs(*pair, assignments, reading)
    for each in scenarios:
        paths.reads_traces(each.flows)
    for line in told(list(dict.fromkeys(each for scenario in scenarios for each in scenario.warnings)), each=notes):
        talk.warning(line)
    results = {each.name: simulate(each.config, each.flows, check, window, files, States()) for each in scenarios}
    try:
        if out is not None and len(results) == 1:
            save(out, results[scenarios[0].name], files, pair[0].stem)
        elif out is not None:
            save_all(out, results, files)
    finally:
        present(results, str(pair[0]), as_json=as_json)


def present(results: dict[str, Result], title: str, *, as_json: bool) -> None:
    """Prints one result, or those of several scenarios."""
    from .one_run import show_result

    if len(results) == 1:
        show_result(next(iter(results.values())), as_json, title)
        return
    if as_json:
        from ..output.json_document import text

        talk.data(text(document_of(results)))
        return
    for number, (name, result) in enumerate(results.items()):
        talk.data("\n" if number else "")
        show_result(result, as_json, name)


SUMMED_UP = 5
"""More warnings than these are summed up."""


def told(warnings: Sequence[MqsimWarning], *, each: bool) -> list[str]:
    """Returns the warnings of the files of a pair, or a line for each file with the keys."""
    if each or len(warnings) <= SUMMED_UP:
        return [str(warning) for warning in warnings]
    files: dict[str, dict[str, None]] = {}
    for warning in warnings:
        files.setdefault(warning.file, {})[warning.key] = None
    return [
        f"{file}: {len(keys)} keys of MQSim have no meaning here, or another one: {', '.join(keys)}; --notes says why"
        for file, keys in files.items()
    ]


def document_of(results: dict[str, Result]) -> dict[str, object]:
    """Returns the JSON document of several scenarios."""
    return {"scenarios": [{"name": name, "result": result.to_dict()} for name, result in results.items()]}


def save_all(out: Path, results: dict[str, Result], files: Files) -> None:
    """Writes a folder with a folder for each scenario."""
    from ..output import json_document
    from ..output.result_folder import folder
    from ..report import Entry
    from .results import REPORT, write_record, write_report, write_run

    with folder(out) as work:
        (work / "scenarios.json").write_text(json_document.text(document_of(results)), encoding="utf-8", newline="\n")
        for name, result in results.items():
            (work / name).mkdir()
            write_run(work / name, result, files)
            write_record(work / name, "run", [({}, result)])
        write_record(work, "scenarios", [({"scenario": name}, result) for name, result in results.items()])
        write_report(work / REPORT, "Scenarios", [Entry(each, {"scenario": name}) for name, each in results.items()])
    talk.note(f"results in {out}")
