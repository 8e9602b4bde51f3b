"""The JSON document of a run, as text: sorted keys, so that the same run gives the same bytes."""

from __future__ import annotations

import json


def text(document: object) -> str:
    """A document as JSON with sorted keys and a newline at its end.

    Raises:
        ValueError: for NaN or an infinity, which JSON does not have.
    """
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
