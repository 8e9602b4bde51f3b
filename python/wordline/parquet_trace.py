"""Requests in a Parquet file, such as the `requests.parquet` of a run, as a trace."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import extras
from .errors import UnknownFormatError

__all__ = ["readable"]

ENDING = ".parquet"
LETTERS = {"read": "R", "write": "W", "trim": "T", "flush": "F", "close": "C"}
COLUMNS = ("arrival_ns", "op", "sector", "sectors")
"""Of the table that a run writes."""


def readable(form: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the form of a trace or a flow such that the core can open it: Parquet files become CSV files.

    Raises:
        UnknownFormatError: A Parquet file is no table of requests.
        MissingExtraError: The package that reads Parquet is not installed.
    """
    paths = form.get("paths", [])
    if not any(path.endswith(ENDING) for path in paths):
        return dict(form)
    is_described = "csv_columns" in form.get("trace", {})
    return {**form, "paths": [_as_csv(path, is_described) if path.endswith(ENDING) else path for path in paths]}


def _as_csv(path: str, is_described: bool) -> str:
    try:
        state = Path(path).stat()
    except OSError:
        # The core says what is wrong.
        return path
    return _written(path, (state.st_mtime_ns, state.st_size), is_described)


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="wordline-parquet-")


@functools.cache
def _written(path: str, state: tuple[int, int], is_described: bool) -> str:
    """Writes the rows of a Parquet file as a CSV, which is there until the process ends."""
    del state
    extras.need(path, "tables")
    try:
        rows = extras.parquet.read_table(path)
    except (extras.pa.ArrowException, OSError) as error:
        raise UnknownFormatError(f"{path}: no Parquet file: {str(error).splitlines()[0]}") from None
    if not is_described:
        if missing := [name for name in COLUMNS if name not in rows.column_names]:
            raise UnknownFormatError(
                f"{path}: no requests.parquet of a run: there is no column {missing[0]}; describe its columns with "
                "--csv-columns (csv_columns=)"
            )
        rows = rows.sort_by("arrival_ns")
        letters = [LETTERS[op] for op in rows["op"].to_pylist()]
        rows = extras.pa.Table.from_arrays(
            [rows["arrival_ns"], letters, rows["sector"], rows["sectors"]], ["time_ns", "op", "sector", "sectors"]
        )
    target = Path(_folder().name) / f"{len(list(Path(_folder().name).iterdir()))}.csv"
    # pyarrow puts the names of columns into quotes.
    with target.open("wb") as stream:
        stream.write(",".join(rows.column_names).encode() + b"\n")
        options = extras.arrow_csv.WriteOptions(include_header=False, quoting_style="needed")
        extras.arrow_csv.write_csv(rows, stream, options)
    return str(target)
