"""The checkout that this package is in: where what was measured is written, and which commit measured it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

__all__ = ["ROOT", "commit"]

ROOT = Path(__file__).resolve().parents[2]
UNKNOWN = "unknown"


def commit(root: Path = ROOT) -> str:
    """Returns the commit of the tree, with `+` if tracked files differ from it; `unknown` without Git."""
    program = shutil.which("git")
    if program is None:
        return UNKNOWN
    asked = ("describe", "--always", "--abbrev=7", "--exclude=*", "--dirty=+")
    done = subprocess.run([program, "-C", root, *asked], capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout.strip() if done.returncode == 0 else UNKNOWN
