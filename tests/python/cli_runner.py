"""Calls the command line as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Fields that tell of the clock on the wall differ from run to run.
WALL = "wall_"


@dataclass(frozen=True)
class Answer:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str


def environment(**changes: str) -> dict[str, str]:
    """This process's environment, with the source tree behind what is installed."""
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(ROOT / "python"), str(ROOT / "papers"))))
    return {**os.environ, "PYTHONPATH": path, **changes}


def command(*arguments: str) -> list[str]:
    """The command line, as a process."""
    return [sys.executable, "-m", "wordline.cli", *arguments]


def wordline(*arguments: str | Path, cwd: Path | None = None) -> Answer:
    """Runs `wordline` in a process of its own."""
    done = subprocess.run(
        command(*map(str, arguments)),
        capture_output=True,
        text=True,
        cwd=cwd,
        # No line of progress, however slow the machine.
        env=environment(WORDLINE_PROGRESS_S=os.environ.get("WORDLINE_PROGRESS_S", "3600")),
        check=False,
        timeout=300,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def without_wall(document: object) -> object:
    """A JSON document without what differs from run to run."""
    if isinstance(document, dict):
        return {key: without_wall(value) for key, value in document.items() if not key.startswith(WALL)}
    if isinstance(document, Sequence) and not isinstance(document, str):
        return [without_wall(item) for item in document]
    return document


def wait_until(condition: Callable[[], object], limit_s: float = 240.0) -> None:
    """Waits until something is so, however slow the machine; the limit is for what never comes."""
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, f"it did not come about within {limit_s:.0f} s"
        time.sleep(0.02)
