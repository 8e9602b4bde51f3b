"""Writes and reads the files in the folder of a run."""

from __future__ import annotations

import array
import csv
import errno
import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config import Config
from ..config import config as config_of
from ..errors import ConfigFileError, RecordError
from ..files import is_file, read_input
from ..inputs import clash, inputs_of_run
from ..output import csv_table, json_document
from ..output.result_folder import folder as new_folder
from ..result import Result
from ..tables import Columns
from . import kv_runs
from .config_text import annotated
from .record import RECORD, Record, RecordedRun
from .versions import current

if TYPE_CHECKING:
    from ..document import Document
    from ..sweeps import Point, Results

__all__ = ["documents", "load", "save", "write_result"]

RESULT = "result.json"
CONFIG = "config.toml"
POINTS = "points"
TABLES = ("bins", "series", "intervals", "flow_bins", "flow_intervals", "handle_intervals")
WORDS = ("op", "flow", "handle")
"""Columns of words, in all tables."""
KINDS = {
    "run": RESULT,
    "compare": "compare.json",
    "sweep": "sweep.json",
    "scenarios": "scenarios.json",
    "pts": "points.json",
}
"""File with the documents, by kind of a record."""
NS_PER_US = 1000
KINDS_OF_ARRAY = {"uint64": "Q", "uint32": "I", "dictionary": "i"}


def write_result(folder: Path, result: Result) -> None:
    """Writes `result.json`, the tables as CSV and the resolved configuration.

    Raises:
        OSError: A file cannot be written.
    """
    (folder / RESULT).write_text(json_document.text(result.to_dict()), encoding="utf-8", newline="\n")
    (folder / CONFIG).write_text(annotated(result.config), encoding="utf-8", newline="\n")
    for name in TABLES:
        if name in result.columns:
            _write_table(folder / f"{name}.csv", result.columns[name])


def save(result: Result, place: str | PathLike[str]) -> None:
    """Writes the folder of one run, as `--out` does: the document, its tables, the configuration, and the record.

    Args:
        result: The run.
        place: A new folder; an earlier result there is replaced, anything else is not.

    Raises:
        OSError: It cannot be written, or something else is there, such as a file that the run has read.
        RecordError: The result is the mean over several seeds, which one record does not repeat.
    """
    if "seeds" in result.document["options"]:
        raise RecordError("the mean over several seeds is no single run; save its parts, or run it with --out")
    if (why := clash(place, inputs_of_run(result.config, result.document))) is not None:
        raise FileExistsError(errno.EEXIST, f"{why}; name another folder", str(place))
    with new_folder(Path(place)) as work:
        write_result(work, result)
        text = Record.of("run", [RecordedRun.of(result)]).to_toml()
        (work / RECORD).write_text(text, encoding="utf-8", newline="\n")


def _write_table(path: Path, columns: Columns) -> None:
    """Writes a table with its column names; bins also get a cumulative count."""
    cells: dict[str, Sequence[object]] = {}
    for name, (kind, data, words) in columns.items():
        values = array.array(KINDS_OF_ARRAY[kind], data)
        cells[name] = [words[place] for place in values] if kind == "dictionary" else values
    if "op" in cells:
        so_far: dict[object, int] = {}
        cumulative = []
        kinds = zip(cells["flow"], cells["op"], strict=True) if "flow" in cells else cells["op"]
        for op, count in zip(kinds, array.array("Q", columns["count"][1]), strict=True):
            so_far[op] = so_far.get(op, 0) + count
            cumulative.append(so_far[op])
        cells["cumulative"] = cumulative
    csv_table.write_rows(path, list(cells), zip(*cells.values(), strict=True))


def load(folder: str | Path) -> Result | Results:
    """Reads the output of `--out`: the result of a run, or the points of a comparison, sweep or MQSim pair.

    Args:
        folder: The folder. It also reads those of earlier versions.

    Raises:
        RecordError: There is no result in it, or it is damaged.
    """
    from ..sweeps import Outcome, Results

    place = Path(folder)
    contents = documents(place)
    record = Record.read(place) if is_file(place / RECORD) else None
    if record is not None and len(record.runs) != len(contents):
        raise RecordError(
            f"{place}: {len(contents)} results, but {RECORD} has {len(record.runs)} runs", file=str(place)
        )
    runs = record.runs if record is not None else [None] * len(contents)
    results = [
        Result(document, _columns(_tables_of(place, number, settings)), _config(place, run))
        for number, ((settings, document), run) in enumerate(zip(contents, runs, strict=True), 1)
    ]
    if is_file(place / RESULT):
        return results[0]
    points = [_point(result.config, settings) for (settings, _), result in zip(contents, results, strict=True)]
    outcomes = [Outcome(point, result) for point, result in zip(points, results, strict=True)]
    return Results(outcomes, is_partial=bool(_content(place)[1].get("partial")))


def _point(config: Config, settings: Mapping[str, Any]) -> Point:
    """Returns a point with a configuration that sets everything; a setting that is not a key is a label."""
    from ..sweeps import Point

    labels = {name: value for name, value in settings.items() if name not in config}
    return Point(config, {key: value for key, value in settings.items() if key in config}, labels=labels)


def documents(place: Path) -> list[tuple[dict[str, Any], Document]]:
    """Returns the settings of each run of a folder, and its document in the current format.

    Raises:
        RecordError: There is no result, or it is damaged.
    """
    path, document = _content(place)
    try:
        if path.name == RESULT:
            return [({}, current(document))]
        entries = document["points"] if "points" in document else document["scenarios"]
        return [(_settings(each), current(each["result"])) for each in entries if "result" in each]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{path}: damaged: {error}", file=str(path)) from None


def _content(place: Path) -> tuple[Path, dict[str, Any]]:
    """Returns the file with a folder's documents, and what it says.

    Raises:
        RecordError: There is none, or it is damaged.
    """
    path = next((place / name for name in KINDS.values() if is_file(place / name)), None)
    if path is None:
        if kv_runs.is_kv(place):
            raise RecordError(
                f"{place}: numbers of `wordline kv`, not of a run: rerun, diff and explain read them", file=str(place)
            )
        raise RecordError(
            f"{place}: no result here; name a folder that --out wrote, as `wordline run … --out DIR`", file=str(place)
        )
    try:
        document = json.loads(read_input(path, None))
    except (OSError, ValueError, RecursionError) as error:
        raise RecordError(f"{path}: damaged: {error}", file=str(path)) from None
    if not isinstance(document, dict):
        raise RecordError(f"{path}: damaged: no table of results", file=str(path))
    return path, document


def _settings(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"scenario": entry["name"]} if "name" in entry else dict(entry["set"])


def _tables_of(place: Path, number: int, settings: Mapping[str, Any]) -> Path:
    """Returns the folder of a run's tables, which may not exist."""
    if is_file(place / RESULT):
        return place
    return place / settings["scenario"] if "scenario" in settings else place / POINTS / f"{number:04}"


def _config(place: Path, run: RecordedRun | None) -> Config:
    if run is not None:
        return run.config
    try:
        return config_of(place / CONFIG)
    except ConfigFileError as error:
        raise RecordError(f"{place}: neither {RECORD} nor {CONFIG}: {error}", file=str(place)) from None


def _columns(folder: Path) -> dict[str, Columns]:
    """Returns tables in the form of a run; skips those without a file."""
    return {name: _table(folder / f"{name}.csv") for name in TABLES if is_file(folder / f"{name}.csv")}


def _table(path: Path) -> Columns:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            names, *rows = list(csv.reader(file))
        columns: Columns = {}
        for name, cells in zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True):
            if name in WORDS:
                words = list(dict.fromkeys(cells))
                columns[name] = ("dictionary", array.array("i", map(words.index, cells)).tobytes(), words)
            elif name == "upper_us":  # as the first version wrote it
                upper_ns = (round(float(cell) * NS_PER_US) for cell in cells)
                columns["upper_ns"] = ("uint64", array.array("Q", upper_ns).tobytes(), [])
            elif name != "cumulative":
                columns[name] = ("uint64", array.array("Q", map(int, cells)).tobytes(), [])
    except (OSError, ValueError, OverflowError) as error:
        raise RecordError(f"{path}: damaged: {error}", file=str(path)) from None
    return columns
