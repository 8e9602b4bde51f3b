"""Reads measured points of files: fio's JSON, a CSV with a row for each point, or a data sheet."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from os import PathLike, fspath
from typing import Any, NamedTuple

from ..errors import InputFileError
from ..files import read_input
from .datasheet import points_of as sheet_points
from .fio_result import points_of as fio_points
from .point import Point
from .table import Points
from .table import points_of as table_points

__all__ = ["BYTES_MAX", "Reading", "read"]

DOCUMENT = re.compile(r"^[{\[]", re.MULTILINE)
OTHER_SEPARATOR = re.compile(r"[;\t]")
BYTES_MAX = 1 << 28
"""A longer file is no result of fio's, which has at most some hundred kilobytes a job."""


class Reading(NamedTuple):
    """The points of files.

    Attributes:
        points: The points, in the order of the files.
        left_out: A line for each kind of row that is no point, with the reason and the number of rows.
    """

    points: list[Point]
    left_out: list[str]


def read(paths: str | PathLike[str] | Iterable[str | PathLike[str]], only: Sequence[str] = ()) -> Reading:
    """Reads the points of files.

    Args:
        paths: fio's results (`--output-format=json` or `json+`), CSV files in the columns that the how-to lists, or
            data sheets (TOML).
        only: Selects points by columns of a CSV, or by `job` of a fio result: `"drive=wd-*"`, `"bs=4k"`. Several
            patterns of one column are alternatives.

    Raises:
        InputFileError: A file cannot be read, or has no point that is selected.
    """
    files = [paths] if isinstance(paths, str | PathLike) else list(paths)
    patterns = _patterns(only)
    points: list[Point] = []
    left_out: list[str] = []
    for each in files:
        file = fspath(each)
        got = _of_file(file, _text(file), patterns)
        points += got.points
        left_out += got.left_out
    if not points:
        reason = f" ({left_out[0]})" if left_out else ""
        fix = (
            "select others with --only COLUMN=PATTERN"
            if only
            else "it takes results of fio, a CSV of points, or a data sheet (TOML)"
        )
        raise InputFileError(fspath(files[0]) if files else "", 0, "", f"there is no point{reason}", fix)
    return Reading(points, left_out)


def _of_file(file: str, text: str, patterns: dict[str, list[str]]) -> Points:
    """Returns the points of a file that are selected, by what it is: a data sheet, a result of fio, or a table."""
    if not file.endswith(".toml") and (begin := _document(text)) is None:
        rows = [(row, (line, row)) for line, row in _rows(file, text)]
        return table_points(file, [row for _, row in _selected(file, rows, patterns)])
    if file.endswith(".toml"):
        got = sheet_points(file, text)
    else:
        got = fio_points(file, _json(file, text[begin:], text.count("\n", 0, begin)))
    chosen = _selected(file, [(dict(point.labels), point) for point in got.points], patterns)
    return Points([point for _, point in chosen], got.left_out)


def _patterns(only: Sequence[str]) -> dict[str, list[str]]:
    patterns: dict[str, list[str]] = {}
    for each in only:
        column, equals, pattern = each.partition("=")
        if not equals or not column.strip():
            raise InputFileError(f"--only {each}", 0, "", "is no selection", "write COLUMN=PATTERN, such as drive=wd-*")
        patterns.setdefault(column.strip(), []).append(pattern.strip())
    return patterns


def _selected(
    file: str, rows: list[tuple[dict[str, str], Any]], patterns: dict[str, list[str]]
) -> list[tuple[dict[str, str], Any]]:
    """Returns the rows whose columns fit the patterns.

    Raises:
        InputFileError: There is no such column.
    """
    for column in patterns if rows else ():
        if column not in rows[0][0]:
            raise InputFileError(file, 0, "", f"there is no column `{column}`", f"it has {', '.join(rows[0][0])}")
    return [
        (columns, row)
        for columns, row in rows
        if all(any(fnmatchcase(columns[name], each) for each in choices) for name, choices in patterns.items())
    ]


def _text(file: str) -> str:
    try:
        return read_input(file, BYTES_MAX).decode("utf-8-sig")
    except OSError as error:
        raise InputFileError(file, 0, "", error.strerror or "cannot be read", "check the path") from None
    except UnicodeDecodeError:
        raise InputFileError(file, 0, "", "is no text", "check the path") from None


def _document(text: str) -> int | None:
    """Returns where a JSON document begins, behind messages of fio's such as `fio: ...`; None where there is none."""
    match = DOCUMENT.search(text)
    if match is None or (text[: match.start()].strip() and "fio" not in text[: match.start()]):
        return None
    return match.start()


def _json(file: str, text: str, lines_before: int) -> object:
    # fio writes messages after the document, too, and several runs may have gone to one file.
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0) + lines_before
        raise InputFileError(
            file, line, "", "is no JSON", "write it with fio --output-format=json --output=FILE"
        ) from None
    rest = text[end:].strip()
    if rest.startswith("{"):
        raise InputFileError(file, 0, "", "holds several documents", "give each run of fio a file of its own")
    return value


def _rows(file: str, text: str) -> list[tuple[int, dict[str, str]]]:
    lines = csv.DictReader(io.StringIO(text), strict=True)
    head = next(iter(lines.fieldnames or ()), "")
    if len(lines.fieldnames or ()) == 1 and OTHER_SEPARATOR.search(head):
        raise InputFileError(file, 1, "", f"`{head}` is one column", "separate columns by commas")
    rows: list[tuple[int, dict[str, str]]] = []
    try:
        for row in lines:
            if None in row or None in row.values():
                raise InputFileError(
                    file, lines.line_num, "", "has another number of columns than the first line", "mend it"
                )
            rows.append((lines.line_num, row))
    except csv.Error as error:
        raise InputFileError(file, lines.line_num, "", f"is no CSV ({error})", "separate columns by commas") from None
    return rows
