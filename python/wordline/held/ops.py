"""Operations as a program says them, and as the core takes them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..errors import RequestError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["OPERATIONS", "Op", "columns_of", "jobs_of", "numbers_of", "whole_ns"]

Op: TypeAlias = tuple[str, int, int] | tuple[str, int, int, int] | tuple[str, int, int, int, int]
"""Operation, offset, length in bytes; then the flow and the placement handle, 0 if left out.

A handle acts with `fdp.isolation`, with `ftl.placement = "handle"`, or with a policy of yours.
"""

OPERATIONS: Final = (
    "read",
    "write",
    "trim",
    "flush",
    "close",
    "append",
    "zone-open",
    "zone-close",
    "zone-finish",
    "zone-reset",
    "zone-report",
)
"""Names of operations; the place of a name is its number in a NumPy column."""
_NUMBER_OF: Final = {name: number for number, name in enumerate(OPERATIONS)}
_FIELDS: Final = ("operation", "offset", "length", "flow", "handle", "job")
_NEEDED: Final = _FIELDS[:3]
_LARGEST: Final = (1 << 64) - 1

Numbers: TypeAlias = tuple[int, int, int, int, int]
"""An operation with its number in place of its name, and all that may be left out."""


def whole_ns(number: int, name: str) -> int:
    """Returns a time as an integer; NumPy's integers are welcome, floating-point numbers are not.

    Raises:
        RequestError: It is no integer, or out of range.
    """
    try:
        time_ns = number.__index__()
    except AttributeError:
        raise RequestError(f"{name} = {number!r}: give whole ns") from None
    if not 0 <= time_ns <= _LARGEST:
        raise RequestError(f"{name} = {time_ns}: give ns from 0 on, below 2^64")
    return time_ns


def jobs_of(ops: Any) -> tuple[list[Numbers], list[int] | None]:  # noqa: ANN401 - what it is not is told
    """Returns the operations of jobs one behind the other, and how many each job has; None if each has one.

    Raises:
        RequestError: An operation that makes no sense.
    """
    try:
        jobs = list(ops)
    except TypeError:
        raise RequestError(f"ops = {ops!r}: give a list of jobs, or a structured array") from None
    if all(isinstance(job, tuple) for job in jobs):
        return [_numbers(job) for job in jobs], None
    flat: list[Numbers] = []
    lengths: list[int] = []
    for job in jobs:
        if not isinstance(job, tuple | list):
            raise RequestError(f"{job!r}: a job is a tuple, or a list of tuples")
        parts = [job] if isinstance(job, tuple) else job
        flat.extend(_numbers(part) for part in parts)
        lengths.append(len(parts))
    return flat, lengths


def _numbers(op: Any) -> Numbers:  # noqa: ANN401 - see jobs_of
    if not isinstance(op, tuple) or not 3 <= len(op) <= 5 or op[0] not in _NUMBER_OF:
        raise RequestError(
            f"{op!r}: an operation is (name, offset, length), then flow and handle if they are not 0; the names are "
            f"{', '.join(OPERATIONS)}"
        )
    try:
        numbers = [number.__index__() for number in op[1:]]
    except AttributeError:
        raise RequestError(f"{op!r}: offset, length, flow and handle are whole numbers") from None
    offset, length, flow, handle = (*numbers, 0, 0)[:4]
    if not (0 <= offset <= _LARGEST and 0 <= length <= _LARGEST and 0 <= flow <= 0xFFFF and 0 <= handle <= 0xFFFF):
        raise RequestError(f"{op!r}: offset and length are below 2^64, flow and handle below 65,536; none is below 0")
    return _NUMBER_OF[op[0]], offset, length, flow, handle


def columns_of(
    ops: np.ndarray[Any, Any],
) -> tuple[tuple[bytes, bytes, bytes, bytes, bytes], list[int] | None]:
    """Returns the columns of a structured array as little-endian bytes, and how many rows each job has.

    Without a column of jobs each row is one, and there is None for that.

    Raises:
        RequestError: A field is missing or unknown, or has a value that makes no sense.
    """
    names = ops.dtype.names or ()
    if missing := [name for name in _NEEDED if name not in names]:
        raise RequestError(
            f"ops: an array of operations has the fields {', '.join(_NEEDED)}; this one lacks {', '.join(missing)}"
        )
    if unknown := [name for name in names if name not in _FIELDS]:
        raise RequestError(f"ops: the field {unknown[0]} has no meaning here; there are {', '.join(_FIELDS)}")
    columns = (
        _codes(ops["operation"]),
        _column(ops, "offset", "<u8"),
        _column(ops, "length", "<u8"),
        _column(ops, "flow", "<u2"),
        _column(ops, "handle", "<u2"),
    )
    lengths = [len(list(rows)) for _, rows in groupby(ops["job"].tolist())] if "job" in names else None
    return columns, lengths


def numbers_of(ops: np.ndarray[Any, Any]) -> tuple[list[Numbers], list[int] | None]:
    """Returns the operations of a structured array as `jobs_of` does.

    Raises:
        RequestError: See `columns_of`.
    """
    if not hasattr(ops, "dtype"):
        raise RequestError(f"ops: a {type(ops).__name__} is no list of jobs and no structured array")
    import numpy as np

    columns, lengths = columns_of(ops)
    kinds = ("u1", "<u8", "<u8", "<u2", "<u2")
    rows = zip(*(np.frombuffer(each, kind).tolist() for each, kind in zip(columns, kinds, strict=True)), strict=True)
    return list(rows), lengths


def _codes(column: np.ndarray[Any, Any]) -> bytes:
    """Returns the numbers of operations that a column names or numbers, a byte each."""
    import numpy as np

    if column.dtype.kind in "SUO":
        words, places = np.unique(column, return_inverse=True)
        names = [word.decode() if isinstance(word, bytes) else str(word) for word in words]
        if unknown := [name for name in names if name not in _NUMBER_OF]:
            raise RequestError(f"operation {unknown[0]!r}: take {', '.join(OPERATIONS)}")
        column = np.array([_NUMBER_OF[name] for name in names], dtype="u1")[places]
    elif not _is_within(column, len(OPERATIONS) - 1):
        raise RequestError(f"operation: give names, or numbers from 0 to {len(OPERATIONS) - 1}")
    return column.astype("u1").tobytes()


def _column(ops: np.ndarray[Any, Any], name: str, kind: str) -> bytes:
    """Returns a column as bytes; zeros if the array has none of this name."""
    import numpy as np

    if name not in (ops.dtype.names or ()):
        return bytes(np.dtype(kind).itemsize * len(ops))
    largest = int(np.iinfo(kind).max)
    if not _is_within(ops[name], largest):
        raise RequestError(f"{name}: give whole numbers from 0 to {largest}")
    return ops[name].astype(kind).tobytes()


def _is_within(column: np.ndarray[Any, Any], largest: int) -> bool:
    return column.dtype.kind in "iu" and (not len(column) or 0 <= int(column.min()) <= int(column.max()) <= largest)
