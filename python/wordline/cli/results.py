"""The files of a result folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import extras
from . import talk
from .errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..output.view import View
    from ..report import Entry, Section
    from ..result import Result

FIGURES = ("run.svg", "run.png", "run.pdf")
REPORT = "report.html"


class Files(NamedTuple):
    """Optional content of a result folder."""

    parquet: bool = False
    timeline: bool = False
    plot: bool = False


def write_run(folder: Path, result: Result, files: Files) -> None:
    """Writes one run: document, tables, resolved configuration, and the optional files.

    Raises:
        OSError: A file cannot be written.
    """
    from ..record.folder import write_result

    write_result(folder, result)
    if files.parquet:
        from ..output import parquet

        parquet.write(folder / "requests.parquet", result.requests(), result.document)
    if files.timeline:
        from ..output import perfetto

        page_bytes = result.config["ssd.page_bytes"]
        perfetto.write(folder / "timeline.json", result.arrays("timeline"), result.arrays("requests"), page_bytes)
    if files.plot:
        from ..output.drive_name import drive_name, scaled
        from ..output.plot import run

        drive = drive_name(result.config) + scaled(result.config)
        flows = None
        if "flow_bins" in result.columns and "flow_intervals" in result.columns:
            names = list(result.document["response_us"]["flows"])
            flows = run.Flows(names, result.arrays("flow_bins"), result.arrays("flow_intervals"))
        bins, series = result.arrays("bins"), result.arrays("series")
        run.draw([folder / name for name in FIGURES], bins, series, result.document, drive, flows)


def write_record(folder: Path, kind: str, results: Sequence[tuple[Mapping[str, Any], Result]]) -> None:
    """Writes `run.toml`: the inputs of the results, each with its settings.

    Raises:
        OSError: The file cannot be written.
    """
    from ..record.record import RECORD, Record, RecordedRun
    from .invocation import command

    record = Record.of(kind, (RecordedRun.of(result, settings) for settings, result in results), command())
    (folder / RECORD).write_text(record.to_toml(), encoding="utf-8", newline="\n")


def write_report(
    path: Path, title: str, entries: Sequence[Entry], view: View | None = None, sections: Sequence[Section] = ()
) -> bool:
    """Writes a report of runs, if its packages are installed; returns whether it did.

    Raises:
        OSError: The file cannot be written.
    """
    from .. import report

    if not report.available():
        left_out(path.name, "report")
        return False
    from .invocation import command

    report.write(path, title, entries, sections, command=command(), view=view)
    return True


def check_report(path: Path | None) -> None:
    """Checks before a long run whether a report can be written.

    Raises:
        BadInputError: The folder does not exist.
        MissingExtraError: A package that it needs is not installed.
    """
    if path is None:
        return
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise BadInputError(f"--report {path}: no place for a file", "name a file in a folder that exists")
    extras.need("--report", "report")


def left_out(what: str, extra: str) -> None:
    """Prints that a file is not written, and how to get it."""
    packages = " and ".join(extras.EXTRAS[extra].packages)
    talk.note(f"no {what}: it needs {packages}; pip install 'wordline[{extra}]'")
