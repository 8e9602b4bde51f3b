"""`wordline schema result`: the JSON Schema of `result.json`."""

from __future__ import annotations

from . import talk


def result() -> None:
    """Print the JSON Schema of result.json."""
    from ..output.json_document import text
    from ..record.schema import result_schema

    talk.data(text(result_schema()))
