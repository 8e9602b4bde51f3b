"""Runs or computes a task."""

from __future__ import annotations

from .._core import Drives
from ..api import run
from ..progress import ProgressCallback
from ..result import Result
from .outcome import Values
from .point import RunTask, Task

__all__ = ["perform"]


def perform(task: Task, progress: ProgressCallback | None = None, drives: Drives | None = None) -> Result | Values:
    """Runs or computes the task. `drives` saves time only: it keeps a preconditioned SSD for the next task."""
    if isinstance(task, RunTask):
        return run(
            task.config,
            task.flows,
            check=task.check,
            log_requests=task.log_requests,
            timeline_us=task.timeline_us,
            load_state=task.load_state,
            go_on=True,
            drives=drives,
            write_iologs=False,
            progress=progress,
        )
    return Values(task.function(**task.arguments))
