"""Columns of the Rust core as Arrow tables; pyarrow is imported when one is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["one_row", "table"]

ITEM_BYTES = {"uint64": 8, "uint32": 4, "dictionary": 4}


def table(columns: Mapping[str, tuple[str, bytes, list[str]]]) -> pa.Table:
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
