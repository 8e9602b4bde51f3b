"""Real data that a user may have placed next to the checkout: traces, and tables of measurements."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["TRACES", "tables_folder", "traces_folder"]

TRACES = "WORDLINE_TRACES"
BESIDE = Path(__file__).resolve().parents[3].parent / "shared" / "traces"


def traces_folder() -> Path:
    """Returns the folder of real traces: `WORDLINE_TRACES`, or one next to the checkout."""
    return Path(os.environ.get(TRACES, BESIDE))


def tables_folder() -> Path:
    """Returns the folder of measured tables: next to the traces."""
    return traces_folder().parent / "data"
