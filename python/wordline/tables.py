"""Columns of the Rust core as Arrow tables; pyarrow is imported when one is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Columns", "of_rows", "one_row", "table"]

Columns = dict[str, tuple[str, bytes, list[str]]]
"""Name of a column to its type, its numbers as bytes and, where these are places in a list of words, the words."""

ITEM_BYTES = {"uint64": 8, "uint32": 4, "dictionary": 4}


def table(columns: Columns) -> pa.Table:
    """A table over the columns' bytes, which are not copied."""
    import pyarrow as pa

    arrays = {}
    for name, (kind, data, words) in columns.items():
        count = len(data) // ITEM_BYTES[kind]
        plain = pa.int32() if kind == "dictionary" else pa.type_for_alias(kind)
        array = pa.Array.from_buffers(plain, count, [None, pa.py_buffer(data)])
        if kind == "dictionary":
            array = pa.DictionaryArray.from_arrays(array, pa.array(words, pa.string()))
        arrays[name] = array
    return pa.table(arrays)


def one_row(values: Mapping[str, Any]) -> pa.Table:
    """A table of one row; what is None is a missing number."""
    import pyarrow as pa

    return pa.table({key: pa.array([value], pa.float64() if value is None else None) for key, value in values.items()})


def of_rows(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """A table of rows that need not have the same keys; a column of several types is one of texts."""
    import pyarrow as pa

    names = list(dict.fromkeys(key for row in rows for key in row))
    columns = {}
    for name in names:
        cells = [row.get(name) for row in rows]
        kinds = {float if type(cell) is int else type(cell) for cell in cells if cell is not None}
        if len(kinds) > 1:
            cells = [None if cell is None else str(cell) for cell in cells]
        columns[name] = pa.array(cells, None if kinds else pa.float64())
    return pa.table(columns)
