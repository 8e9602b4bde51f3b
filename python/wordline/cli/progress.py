"""Progress bars on standard error, if it is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..progress import bar
from ..progress import of_run as progress_of_run

__all__ = ["bar", "of_points", "of_run", "of_study", "of_trace"]

if TYPE_CHECKING:
    from ..progress import Progress
    from ..sweeps import PointsProgress


@contextmanager
def of_run() -> Iterator[Callable[[Progress], object] | None]:
    """A bar for one simulation."""
    with bar() as show:
        yield None if show is None else progress_of_run(show)


@contextmanager
def of_points(label: str) -> Iterator[Callable[[PointsProgress], None] | None]:
    """A bar for the points of a grid or study."""
    with bar() as show:
        if show is None:
            yield None
            return

        def report(now: PointsProgress) -> None:
            show(label, now.share, now.detail)

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
