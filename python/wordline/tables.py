"""Converts columns of the Rust core to numpy arrays and Arrow tables; it imports both packages on first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import extras

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["Columns", "arrays", "of_rows", "one_row", "table"]

Columns = dict[str, tuple[str, bytes, list[str]]]
"""By name of a column: its type, its numbers as bytes and, if these are indices into a list of words, the words."""

ITEM_BYTES = {"uint64": 8, "uint32": 4, "dictionary": 4}


def arrays(columns: Columns) -> dict[str, NDArray[Any]]:
    """Returns the columns as read-only numpy arrays; words as an array of texts."""
    import numpy as np

    by_name: dict[str, NDArray[Any]] = {}
    for name, (kind, data, words) in columns.items():
        values = np.frombuffer(data, np.int32 if kind == "dictionary" else np.dtype(kind))
        by_name[name] = np.array(words, np.str_)[values] if kind == "dictionary" else values
    return by_name


def table(columns: Columns) -> pa.Table:
    """Returns a table over the columns' bytes, which are not copied."""
    made = {}
    for name, (kind, data, words) in columns.items():
        count = len(data) // ITEM_BYTES[kind]
        plain = extras.pa.int32() if kind == "dictionary" else extras.pa.type_for_alias(kind)
        array = extras.pa.Array.from_buffers(plain, count, [None, extras.pa.py_buffer(data)])
        if kind == "dictionary":
            array = extras.pa.DictionaryArray.from_arrays(array, extras.pa.array(words, extras.pa.string()))
        made[name] = array
    return extras.pa.table(made)


def one_row(values: Mapping[str, Any]) -> pa.Table:
    """Returns a table of one row; None becomes a missing number."""
    return extras.pa.table(
        {key: extras.pa.array([value], extras.pa.float64() if value is None else None) for key, value in values.items()}
    )


def of_rows(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Returns a table of rows, whose keys may differ; a column of several types becomes text."""
    names = list(dict.fromkeys(key for row in rows for key in row))
    columns = {}
    for name in names:
        cells = [row.get(name) for row in rows]
        kinds = {float if type(cell) is int else type(cell) for cell in cells if cell is not None}
        if len(kinds) > 1:
            cells = [None if cell is None else str(cell) for cell in cells]
        columns[name] = extras.pa.array(cells, None if kinds else extras.pa.float64())
    return extras.pa.table(columns)
