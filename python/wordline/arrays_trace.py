"""Requests in arrays or a DataFrame as a trace, without a file of the user's."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .errors import TraceOptionError
from .files import cache_folder
from .storage import named

if TYPE_CHECKING:
    import numpy as np

__all__ = ["columns_of", "written"]

FOLDER = "arrays"
SECTOR_BYTES = 512
TIMES_NS = {"time_ns": 1.0, "time_us": 1e3, "time_ms": 1e6, "time_s": 1e9, "arrival_ns": 1.0}
OPERATIONS = ("operation", "op")
OFFSETS = {"offset": SECTOR_BYTES, "offset_bytes": SECTOR_BYTES, "sector": 1}
SIZES = {"size": SECTOR_BYTES, "size_bytes": SECTOR_BYTES, "length": SECTOR_BYTES, "sectors": 1}
FLOWS = ("flow", "device")
HANDLE = "handle"
LETTERS = {"r": "R", "w": "W", "t": "T", "d": "T", "f": "F", "c": "C"}
"""First letters of operations: read, write, trim or discard, flush, close."""
COLUMNS = "time-col=1,op-col=2,offset-col=3,size-col=4,device-col=5,time-unit=ns,offset-unit=sectors,size-unit=sectors"
"""The columns of what is written, where there is one of flows."""


def columns_of(data: object) -> list[str] | None:
    """Returns the names of the columns of a table; None if it is none.

    A table is a dict of arrays, a DataFrame, an Arrow table, or a structured array.
    """
    if isinstance(data, Mapping):
        return [str(name) for name in data]
    if names := getattr(getattr(data, "dtype", None), "names", None):
        return list(names)
    for attribute in ("column_names", "columns"):
        found = getattr(data, attribute, None)
        if found is not None and hasattr(data, "__getitem__"):
            return [str(name) for name in found]
    return None


def written(data: Any, names: list[str]) -> tuple[str, str | None]:  # noqa: ANN401 - see columns_of
    """Writes the requests of a table into the user's cache, under a hash of them; returns the file, and its columns.

    The same requests are the same file, so that results name it alike, and other processes read it.

    Raises:
        TraceOptionError: A column is missing, or holds something that is no request.
    """
    text, has_flows = _text(data, names)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    folder = cache_folder() / FOLDER
    target = folder / f"{digest}.csv"
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        work = folder / f"{digest}.{os.getpid()}.part"
        try:
            with named(folder, part=work.name):
                work.write_text(text, encoding="ascii", newline="\n")
                work.replace(target)
        finally:
            with contextlib.suppress(OSError):
                work.unlink()
    return str(target), COLUMNS if has_flows else None


def _text(data: Any, names: list[str]) -> tuple[str, bool]:  # noqa: ANN401 - see columns_of
    import numpy as np

    def column(kinds: Mapping[str, float] | tuple[str, ...], what: str) -> tuple[str, np.ndarray[Any, Any]]:
        name = next((name for name in kinds if name in names), None)
        if name is None:
            wanted = f"a column {' or '.join(kinds)}"
            raise TraceOptionError(f"a table of requests needs {what}: {wanted}; there are {', '.join(names)}")
        return name, np.asarray(data[name])

    time_name, times = column(TIMES_NS, "times")
    _, operations = column(OPERATIONS, "operations")
    offset_name, offsets = column(OFFSETS, "places")
    size_name, sizes = column(SIZES, "sizes")
    if len({len(each) for each in (times, operations, offsets, sizes)}) > 1:
        raise TraceOptionError("the columns of a table of requests are of different lengths")
    times_ns = _whole(np.rint(_numbers(times, time_name) * TIMES_NS[time_name]), time_name)
    order = np.argsort(times_ns, kind="stable")
    parts = [
        times_ns[order].tolist(),
        [_letter(each) for each in operations[order].tolist()],
        _sectors(offsets, offset_name, OFFSETS[offset_name])[order].tolist(),
        _sectors(sizes, size_name, SIZES[size_name])[order].tolist(),
    ]
    if HANDLE in names and np.any(np.asarray(data[HANDLE]) != 0):
        raise TraceOptionError(
            "a trace has no placement handles: step a drive for them, wordline.open(...).submit(...)"
        )
    flow = next((name for name in FLOWS if name in names), None)
    if flow is not None:
        sources = np.asarray(data[flow])
        if sources.dtype.kind in "OSU":
            # Names have numbers in the order of the alphabet.
            sources = np.unique(sources.astype(str), return_inverse=True)[1]
        parts.append(_whole(_numbers(sources, flow), flow)[order].tolist())
    head = "time_ns,op,sector,sectors" + (",device" if flow is not None else "")
    rows = "\n".join(",".join(map(str, row)) for row in zip(*parts, strict=True))
    return f"{head}\n{rows}\n", flow is not None


def _numbers(column: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    if column.dtype.kind not in "iufb" or (column.dtype.kind == "f" and not bool((abs(column) < 2.0**63).all())):
        raise TraceOptionError(f"column {name}: give finite numbers, not {column.dtype}")
    return column


def _whole(column: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    whole = column.astype("i8")
    if bool((whole != column).any()) or bool((whole < 0).any()):
        raise TraceOptionError(f"column {name}: give whole numbers from 0 on")
    return whole


def _sectors(column: np.ndarray[Any, Any], name: str, unit: int) -> np.ndarray[Any, Any]:
    whole = _whole(_numbers(column, name), name)
    if bool((whole % unit).any()):
        row = int((whole % unit != 0).argmax())
        raise TraceOptionError(f"column {name}, row {row}: {whole[row]} is no multiple of {unit} bytes, a sector")
    return whole // unit


def _letter(word: object) -> str:
    text = word.decode() if isinstance(word, bytes) else str(word)
    letter = LETTERS.get(text.strip()[:1].lower())
    if letter is None:
        raise TraceOptionError(f"operation {text!r}: write read, write, trim, flush or close")
    return letter
