"""Progress bars on standard error; none where that is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[str, float, "float | None"], None]
"""Called with the phase, how much is done and how much there is, if known."""

LABELS = {"precondition": "preconditioning", "run": "simulating", "compare": "points"}


@contextmanager
def bar() -> Iterator[Report | None]:
    """A report that draws a bar for each phase, and clears it at the end; None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:15}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        tasks: dict[str, TaskID] = {}

        def report(phase: str, done: float, total: float | None) -> None:
            if phase not in tasks:
                for finished in tasks.values():
                    progress.update(finished, visible=False)
                tasks[phase] = progress.add_task(LABELS.get(phase, phase), total=total)
            progress.update(tasks[phase], completed=done, total=total)

        yield report
