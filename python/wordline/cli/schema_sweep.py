"""`wordline schema sweep`."""

from __future__ import annotations

from . import talk


def sweep() -> None:
    """Print the JSON Schema of a sweep file.

    Editors check and complete such files by it, each key with its type, range, unit and help.
    """
    from ..output.json_document import text
    from ..sweeps.schema import sweep_schema

    talk.data(text(sweep_schema()))
