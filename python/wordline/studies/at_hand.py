"""Real data that somebody may have put beside the checkout: traces, and tables that others measured."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["TRACES", "tables_folder", "traces_folder"]

TRACES = "WORDLINE_TRACES"
BESIDE = Path(__file__).resolve().parents[3].parent / "shared" / "traces"


def traces_folder() -> Path:
    """Where real traces are looked for: `WORDLINE_TRACES`, or beside the checkout."""
    return Path(os.environ.get(TRACES, BESIDE))


def tables_folder() -> Path:
    """Where measured tables are looked for: beside the traces."""
    return traces_folder().parent / "data"
