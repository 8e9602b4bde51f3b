"""Progress bars on standard error; none where that is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..progress import Progress
    from ..sweeps import PointsProgress

Show = Callable[[str, "float | None", str], None]
"""Called with what is being done, the share that is done, if known, and a few words on it."""

LABELS = {"precondition": "preconditioning", "run": "simulating"}


@contextmanager
def bar() -> Iterator[Show | None]:
    """A bar that is cleared at the end; None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[said]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=None, said="")
        current = ""

        def show(label: str, share: float | None, said: str) -> None:
            nonlocal current
            if label != current:
                current = label
                progress.reset(task, description=label)
            progress.update(task, total=None if share is None else 1.0, completed=share or 0.0, said=said)

        yield show


@contextmanager
def of_run() -> Iterator[Callable[[Progress], None] | None]:
    """A bar for one simulation."""
    with bar() as show:
        if show is None:
            yield None
            return

        def report(now: Progress) -> None:
            show(LABELS[now.stage], now.fraction, f"{now.requests:,} requests" if now.requests else "")

        yield report


@contextmanager
def of_points(label: str) -> Iterator[Callable[[PointsProgress], None] | None]:
    """A bar for the points of a grid or study."""
    with bar() as show:
        if show is None:
            yield None
            return

        def report(now: PointsProgress) -> None:
            failed = f", {now.failed} failed" if now.failed else ""
            show(label, now.done / now.total, f"{now.done} of {now.total} points{failed}, {left(now.left_s)}")

        yield report


@contextmanager
def of_trace(label: str) -> Iterator[Callable[[float | None, int, int], None] | None]:
    """A bar for reading or writing a trace."""
    with bar() as show:
        if show is None:
            yield None
            return
        yield lambda share, requests, _: show(label, share, f"{requests:,} requests")


def left(time_s: float | None) -> str:
    """How long it will still take, in words."""
    if time_s is None:
        return "time left unknown"
    minutes, seconds = divmod(round(time_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02} left"


@contextmanager
def of_study(label: str) -> Iterator[Callable[[float | None, int, int], None] | None]:
    """A bar for a Monte Carlo study, which goes in rounds."""
    with bar() as show:
        if show is None:
            yield None
            return
        yield lambda share, chunks, _: show(label, share, f"of this round; {chunks:,} chunks before it")
