"""A trace that is named where an SSD, a fio job or a synthetic workload belongs."""

from __future__ import annotations

from pathlib import Path

from .errors import BadInputError

TABLES, COMPRESSED = (".csv", ".parquet", ".iolog"), (".gz", ".zst", ".bz2", ".xz")


def refuse_trace(name: str, wanted: str) -> None:
    """Checks that a file is no trace.

    Args:
        name: Its path.
        wanted: What belongs there, such as `an SSD`.

    Raises:
        BadInputError: It is a trace; the message says how to name one.
    """
    path = Path(name)
    if path.is_file() and (path.suffix in (*TABLES, *COMPRESSED) or _is_known(path)):
        raise BadInputError(
            f"{name}: a trace, not {wanted}", f"name it with --trace: wordline run PRESET --trace {name}"
        )


def _is_known(path: Path) -> bool:
    """Returns whether the first lines of a file are those of a trace."""
    from ..errors import TraceError
    from ..workload import trace

    try:
        return bool(trace(path).format)
    except TraceError:
        return False
