"""`wordline schema flows`."""

from __future__ import annotations

from . import talk


def flows() -> None:
    """Print the JSON Schema of a file of flows, a table [[flow]] for each.

    Editors check and complete such files by it.
    """
    from ..flow_file import flow_schema
    from ..output.json_document import text

    talk.data(text(flow_schema()))
