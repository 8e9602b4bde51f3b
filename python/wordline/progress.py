"""The progress of a run, for callbacks and for a bar on the terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Progress", "ProgressCallback", "Show", "Stoppable", "bar", "of_run", "raw", "reporting"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    Attributes:
        stage: `precondition`, then `run`.
        fraction: Finished share of the stage, 0 to 1; None if it is unknown.
        requests: Number of completed requests.
        simulated_s: Simulated time, s.
        wall_s: Wall time since the stage or its part began, s.
        note: What is to be said once, such as that the drive comes from the store.
        part: Preconditioning until write amplification is flat has several parts, each with a fraction from 0 to 1.
    """

    stage: Literal["precondition", "run"]
    fraction: float | None
    requests: int
    simulated_s: float
    wall_s: float
    note: str = ""
    part: int = 1

    @property
    def left_s(self) -> float | None:
        """Estimated wall time until the end of the stage or its part, s, if it is known."""
        if not self.fraction:
            return None
        return self.wall_s * (1.0 - self.fraction) / self.fraction


ProgressCallback = Callable[[Progress], object]


def raw(stage: Literal["precondition", "run"], callback: ProgressCallback | None) -> Callable[..., None] | None:
    """Returns the core's callback for one stage, which starts now."""
    if callback is None:
        return None
    start = time.perf_counter()
    last, part = 0.0, 1

    def report(fraction: float | None, requests: int, simulated_ns: int) -> None:
        nonlocal start, last, part
        if fraction is not None and fraction < last:
            start, part = time.perf_counter(), part + 1
        last = last if fraction is None else fraction
        wall_s = time.perf_counter() - start
        callback(Progress(stage, fraction, requests, simulated_ns / 1e9, wall_s, part=part))

    return report


Show = Callable[[str, "float | None", str], None]
"""Called with what is being done, the share that is done, if known, and a few words on it."""

INTERVAL_S = 0.2
"""A notebook's bar is drawn again after this wall time, s: kernels drop outputs that come too fast.

`WORDLINE_PROGRESS_S` names another one, also for how often a run is asked how far it is. With 0 each step is shown,
whatever the machine's speed.
"""

LINE_INTERVAL_S = 10.0
"""Without a terminal, as in the log of a job, a line comes after this wall time, s, or `WORDLINE_PROGRESS_S`."""

LABELS = {"precondition": "preconditioning", "run": "simulating"}


@contextmanager
def bar() -> Iterator[Show | None]:
    """A bar on standard error, or in a notebook, that is cleared at the end; without a terminal now and then a line."""
    if _in_notebook():
        with _notebook_bar() as show:
            yield show
    elif sys.stderr.isatty():
        with _terminal_bar() as show:
            yield show
    else:
        yield _lines()


def _in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    # Where IPython is not imported yet, there is no kernel.
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(shell.get_ipython(), "kernel")


@contextmanager
def _terminal_bar() -> Iterator[Show]:
    # A run without a bar does not wait for the library that draws it.
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[detail]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task("starting", total=None, detail="")
        current = ""

        def show(label: str, share: float | None, detail: str) -> None:
            nonlocal current
            if label != current:
                current = label
                drawn.reset(task, description=label)
            drawn.update(task, total=None if share is None else 1.0, completed=share or 0.0, detail=detail)

        yield show


def _lines() -> Show:
    interval_s = float(os.environ.get("WORDLINE_PROGRESS_S", LINE_INTERVAL_S))
    shown_s = begun_s = time.monotonic()
    current, begun = "", 0.0

    def show(label: str, share: float | None, detail: str) -> None:
        nonlocal shown_s, begun_s, current, begun
        now_s = time.monotonic()
        if label != current:
            current, begun, begun_s = label, share or 0.0, now_s
        if now_s - shown_s >= interval_s:
            shown_s = now_s
            left = "" if share is None or " left" in detail else _left(now_s - begun_s, share - begun, 1.0 - share)
            words = ", ".join(filter(None, (label if share is None else f"{label} {share:.0%}", detail, left)))
            print(f"wordline: {words}", file=sys.stderr, flush=True)

    return show


def _left(spent_s: float, done: float, undone: float) -> str:
    """The time left, where so much took so long; empty where too little is done to tell, or all."""
    if done <= 0.01 or spent_s < 1.0 or undone <= 0.0:
        return ""
    minutes, seconds = divmod(round(spent_s * undone / done), 60)
    return f"about {minutes} min left" if minutes >= 5 else f"about {60 * minutes + seconds} s left"


@contextmanager
def _notebook_bar() -> Iterator[Show]:
    from IPython.display import display

    # An output that is replaced, not a widget: it needs no extension, and a saved notebook has no dead widget.
    place = display({"text/plain": "", "text/html": ""}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
    interval_s = float(os.environ.get("WORDLINE_PROGRESS_S", INTERVAL_S))
    shown_s = -interval_s

    def show(label: str, share: float | None, detail: str) -> None:
        nonlocal shown_s
        if time.monotonic() - shown_s >= interval_s:
            shown_s = time.monotonic()
            place.update(_drawn(label, share, detail), raw=True)

    try:
        yield show
    finally:
        place.update({"text/plain": "", "text/html": ""}, raw=True)


def _drawn(label: str, share: float | None, detail: str) -> dict[str, str]:
    """A bar as an output of a notebook."""
    from html import escape

    value = "" if share is None else f' value="{share:.4f}"'
    words = " ".join(filter(None, (label, "" if share is None else f"{share:.0%}", detail)))
    return {"text/plain": words, "text/html": f'<progress max="1"{value}></progress> {escape(words)}'}


@contextmanager
def reporting(progress: bool | ProgressCallback | None) -> Iterator[ProgressCallback | None]:
    """The callback that an argument `progress` means: itself, none, or a bar."""
    if callable(progress):
        yield progress
    elif not progress:
        yield None
    else:
        with bar() as show:
            yield None if show is None else of_run(show)


def of_run(show: Show) -> ProgressCallback:
    """What tells a bar how far a run has come."""

    def report(now: Progress) -> None:
        detail = f"{now.requests:,} requests" if now.requests else ""
        part = f" (part {now.part})" if now.part > 1 else ""
        show(f"{LABELS[now.stage]}{part}", now.fraction, now.note or detail)

    return report


class Stoppable:
    """A callback whose exception ends the work as Ctrl-C does, so that what is done can be kept.

    Attributes:
        error: What the callback raised, if it did.
    """

    def __init__(self, callback: Callable[[Any], object]) -> None:
        self.callback = callback
        self.error: Exception | None = None

    def __call__(self, now: Any) -> None:  # noqa: ANN401 - whatever the callback takes
        """Calls the callback."""
        if self.error is not None:
            return
        try:
            self.callback(now)
        except Exception as error:
            self.error = error
            raise KeyboardInterrupt from error

    @property
    def why(self) -> str:
        """Returns why the work ended, for a warning."""
        return (
            "interrupted" if self.error is None else f"stopped by progress: {type(self.error).__name__}: {self.error}"
        )
