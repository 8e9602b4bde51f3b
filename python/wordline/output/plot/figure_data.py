"""The numbers behind a figure of a command."""

from __future__ import annotations

from pathlib import Path

__all__ = ["data_path"]


def data_path(path: Path) -> Path:
    """Returns where the numbers behind a figure go: a name that a table of the user hardly has."""
    return path.with_suffix(".data.csv")
