"""The progress of a run, for callbacks and for a bar on the terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

__all__ = [
    "AGING",
    "Progress",
    "ProgressCallback",
    "Report",
    "Show",
    "Stages",
    "Stoppable",
    "bar",
    "duration",
    "label_of",
    "of_run",
    "raw",
    "raw_aging",
    "reporting",
]


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
        part: Preconditioning until write amplification is level has several parts, each with a fraction from 0 to 1:
            the fill, overwrites without time, and the workload with its times.
        parts: How many these are; a workload that does not age with time leaves out the last one.
        is_least: Nobody knows when the part ends, since write amplification has to be level then: `fraction` and
            `left_s` are those of the earliest end.
        load_run: The number of the run, if it only measures what the drive serves at most; else 0.
    """

    stage: Literal["precondition", "run"]
    fraction: float | None
    requests: int
    simulated_s: float
    wall_s: float
    note: str = ""
    part: int = 1
    parts: int = 1
    is_least: bool = False
    load_run: int = 0

    @property
    def left_s(self) -> float | None:
        """Estimated wall time until the end of the stage or its part, s, if it is known."""
        if not self.fraction:
            return None
        return self.wall_s * (1.0 - self.fraction) / self.fraction


ProgressCallback = Callable[[Progress], object]


Report = Callable[["float | None", int, int], None]
"""The core's callback: finished share, requests, and simulated ns."""


def raw(callback: ProgressCallback | None) -> Report | None:
    """Returns the core's callback for a run, which starts now."""
    if callback is None:
        return None
    start = time.perf_counter()

    def report(fraction: float | None, requests: int, simulated_ns: int) -> None:
        callback(Progress("run", fraction, requests, simulated_ns / 1e9, time.perf_counter() - start))

    return report


class Stages(NamedTuple):
    """The parts of preconditioning.

    Attributes:
        part: The first one to come, from 1.
        parts: How many there are. Of several, all but the first end when write amplification is level.
        fill_ends_at: The share that the core tells when the first one of several ends.
    """

    part: int = 1
    parts: int = 1
    fill_ends_at: float = 1.0


def raw_aging(callback: ProgressCallback | None, stages: Stages) -> Report | None:
    """Returns the core's callback for preconditioning; where the share falls, the next part begins."""
    if callback is None:
        return None
    (part, parts, fill_ends_at), last = stages, 0.0
    start = time.perf_counter()

    def report(fraction: float | None, requests: int, simulated_ns: int) -> None:
        nonlocal start, last, part
        if fraction is not None and fraction < last and part < parts:
            start, part = time.perf_counter(), part + 1
        last = last if fraction is None else fraction
        wall_s = time.perf_counter() - start
        if part == 1 and fraction is not None:
            fraction = min(fraction / fill_ends_at, 1.0)
        is_least = part > 1
        now = Progress("precondition", fraction, requests, simulated_ns / 1e9, wall_s, "", part, parts, is_least)
        callback(now)

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

AGING = ("filling the drive", "aging it without time", "aging it with time")
"""The parts of preconditioning until write amplification is level."""

LATE = 0.8
"""From this share of the earliest end on it may end after each round, which the share no longer tells."""


def label_of(now: Progress) -> str:
    """Returns what a run does."""
    load = f"load, run {now.load_run}: " if now.load_run else ""
    if now.stage == "run":
        return f"{load}simulating"
    if now.parts == 1:
        return f"{load}preconditioning"
    return f"{load}{AGING[now.part - 1]} ({now.part} of {now.parts})"


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
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[detail]}"),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task("starting", total=None, detail="")
        current, left = "", _TimeLeft()

        def show(label: str, share: float | None, detail: str) -> None:
            nonlocal current
            if label != current:
                current = label
                drawn.reset(task, description=label)
            words = ", ".join(filter(None, (detail, left.text(label, share, detail))))
            # `update` leaves the total as it is where it gets none.
            drawn.tasks[task].total = None if share is None else 1.0
            drawn.update(task, completed=share or 0.0, detail=words)

        yield show


def _lines() -> Show:
    interval_s = float(os.environ.get("WORDLINE_PROGRESS_S", LINE_INTERVAL_S))
    shown_s = time.monotonic()
    time_left = _TimeLeft()

    def show(label: str, share: float | None, detail: str) -> None:
        nonlocal shown_s
        now_s = time.monotonic()
        left = time_left.text(label, share, detail)
        if now_s - shown_s >= interval_s:
            shown_s = now_s
            words = ", ".join(filter(None, (label if share is None else f"{label} {share:.0%}", detail, left)))
            print(f"wordline: {words}", file=sys.stderr, flush=True)

    return show


class _TimeLeft:
    """The time left of what is being done, from how long the share took that is done since that began."""

    def __init__(self) -> None:
        self.label = ""
        self.begun, self.begun_s = 0.0, time.monotonic()

    def text(self, label: str, share: float | None, detail: str) -> str:
        """Returns it; empty where it is not known yet, or the detail says it."""
        now_s = time.monotonic()
        if label != self.label:
            self.label, self.begun, self.begun_s = label, share or 0.0, now_s
        if share is None or " left" in detail:
            return ""
        spent_s, done = now_s - self.begun_s, share - self.begun
        if done <= 0.01 or spent_s < 1.0 or share >= 1.0:
            return ""
        return f"about {duration(spent_s * (1.0 - share) / done)} left"


def duration(time_s: float) -> str:
    """Returns a wall time of seconds, minutes or hours as text."""
    seconds = round(time_s)
    if seconds < 300:
        return f"{seconds} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


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
        is_open = now.is_least and LATE < (now.fraction or 0.0) < 1.0
        detail = now.note or (_of_open_end(now, is_open) if now.is_least else "")
        requests = f"{now.requests:,} requests" if now.requests else ""
        show(label_of(now), None if is_open else now.fraction, detail or requests)

    return report


def _of_open_end(now: Progress, is_open: bool) -> str:
    """The time left of a part whose end nobody knows, and why."""
    if now.fraction == 1.0:
        return ""
    if is_open:
        left = f"{duration(now.wall_s)} so far, time left not known"
    else:
        left = "time left not known yet" if now.left_s is None else f"at least {duration(now.left_s)} left"
    return f"{left}: it ends when write amplification is level"


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
