"""Says on a measured page how old its numbers are.

A tool of this folder that measures a page ends with `stamp.write(PAGE, text)`. `make docs` adds how many commits have
changed the core or a preset since.
"""
# ruff: noqa: INP001

from __future__ import annotations

import datetime as dt
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: What numbers depend on.
SOURCES = ("crates", "presets")
MADE_BY = re.compile(r"^<!-- Made by tools/\w+\.py.*-->$", re.MULTILINE)
STAMP = "*Measured on {date} with the simulator of commit `{commit}`.*"


def measured_commit() -> str:
    """Returns the last commit that changed what numbers depend on."""
    asked = ["git", "log", "-1", "--format=%h", "--abbrev=8", "--", *SOURCES]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603


def write(page: Path, text: str) -> None:
    """Writes a page with the commit that it was measured at, below the line that names its tool."""
    today = dt.datetime.now(tz=dt.UTC).date()
    line = STAMP.format(date=f"{today.day} {today:%B %Y}", commit=measured_commit())
    stamped, places = MADE_BY.subn(lambda made_by: f"{made_by[0]}\n\n{line}", text)
    if places != 1:
        message = f"{page.name} has no line `<!-- Made by tools/… -->`"
        raise ValueError(message)
    page.write_text(stamped, encoding="utf-8", newline="\n")
