"""How far a run has come, for callbacks and for a bar on the terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

__all__ = ["Progress", "ProgressCallback"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come.

    Attributes:
        stage: `precondition`, then `run`.
        fraction: Share of the stage that is done, 0 to 1; None where it cannot be known.
        requests: Requests completed.
        simulated_s: Simulated time, s.
        wall_s: Wall time since the stage began, s.
    """

    stage: Literal["precondition", "run"]
    fraction: float | None
    requests: int
    simulated_s: float
    wall_s: float

    @property
    def left_s(self) -> float | None:
        """Wall time that the stage will still take, s, if that can be told."""
        if not self.fraction:
            return None
        return self.wall_s * (1.0 - self.fraction) / self.fraction


ProgressCallback = Callable[[Progress], object]


def raw(stage: Literal["precondition", "run"], callback: ProgressCallback | None) -> Callable[..., None] | None:
    """The core's callback for one stage, which begins now."""
    if callback is None:
        return None
    start = time.perf_counter()

    def report(fraction: float | None, requests: int, simulated_ns: int) -> None:
        callback(Progress(stage, fraction, requests, simulated_ns / 1e9, time.perf_counter() - start))

    return report


@contextmanager
def reporting(progress: bool | ProgressCallback | None) -> Iterator[ProgressCallback | None]:
    """The callback that an argument `progress` means: itself, none, or a bar on stderr if that is a terminal."""
    if callable(progress):
        yield progress
    elif not progress:
        yield None
    else:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[said]}"),
            TimeRemainingColumn(),
        )
        console = Console(stderr=True)
        with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task("precondition", total=None, said="")

            def show(now: Progress) -> None:
                total = None if now.fraction is None else 1.0
                said = f"{now.requests:,} requests" if now.stage == "run" else ""
                bar.update(task, description=now.stage, total=total, completed=now.fraction or 0.0, said=said)

            yield show
