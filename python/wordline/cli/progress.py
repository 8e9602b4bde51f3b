"""Progress bars on standard error, if it is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..progress import bar
from ..progress import of_run as progress_of_run
from . import talk

__all__ = ["bar", "of_points", "of_run", "of_study", "of_trace"]

if TYPE_CHECKING:
    from ..progress import Progress
    from ..sweeps import PointsProgress


@contextmanager
def of_run() -> Iterator[Callable[[Progress], object]]:
    """A bar for one simulation, and behind it what the run had to say."""
    notes: list[str] = []
    with bar() as show:
        drawn = None if show is None else progress_of_run(show)

        def report(now: Progress) -> None:
            if now.note and now.note not in notes:
                notes.append(now.note)
            if drawn is not None:
                drawn(now)

        yield report
    for note in notes:
        talk.note(note)


@contextmanager
def of_points(label: str) -> Iterator[Callable[[PointsProgress], None] | None]:
    """A bar for the points of a grid or study."""
    with bar() as show:
        if show is None:
            yield None
            return

        def report(now: PointsProgress) -> None:
            show(label, now.known_share, now.detail)

        yield report


@contextmanager
def of_trace(label: str) -> Iterator[Callable[[float | None, int, int], None] | None]:
    """A bar for reading or writing a trace."""
    with bar() as show:
        if show is None:
            yield None
            return
        yield lambda share, requests, _: show(label, share, f"{requests:,} requests")


@contextmanager
def of_study(label: str) -> Iterator[Callable[[float | None, int, int], None] | None]:
    """A bar for a Monte Carlo study, which has several rounds."""
    with bar() as show:
        if show is None:
            yield None
            return
        yield lambda share, chunks, _: show(label, share, f"of this round; {chunks:,} chunks before it")
