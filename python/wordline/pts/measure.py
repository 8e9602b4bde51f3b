"""Runs the cells of a test, round by round, until five rounds are steady.

It follows SNIA's PTS, with two differences. A cell is one continuous run on its own preconditioned SSD, and its rounds
are intervals of equal simulated time; the PTS goes through all cells in each round. Preconditioning writes the capacity
in order and then once at random; the PTS writes it twice in order and leaves the rest to the rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..api import run
from ..config import Config
from ..progress import ProgressCallback
from ..result import Result
from ..stats.columns import Batches
from ..workload import workload
from .plan import Cell, cells
from .rounds import Window, steady_window

__all__ = ["Measured", "measure"]

REQUESTS = 50_000
"""Requests of a cell's first attempt; each further attempt has twice as many."""
ATTEMPTS = 5


@dataclass(frozen=True)
class Measured:
    """The results of a cell.

    Attributes:
        cell: The load.
        result: Its run.
        rounds: IOPS of each round, from the first.
        round_s: Length of a round, simulated s.
        window: The five steady rounds; None if none were found.
    """

    cell: Cell
    result: Result
    rounds: list[float]
    round_s: float
    window: Window | None

    def to_dict(self) -> dict[str, Any]:
        """Returns the results for JSON."""
        window = self.window
        numbers = self.result.document
        return {
            "test": self.cell.test,
            "cell": self.cell.name,
            "set": self.cell.settings,
            "requests": numbers["requests"]["all"],
            "round_s": self.round_s,
            "rounds_iops": self.rounds,
            "steady": None
            if window is None
            else {
                "first_round": window.first + 1,
                "iops": window.mean,
                "range": window.spread,
                "slope": window.slope,
            },
            "bandwidth_mb_s": numbers["bandwidth_mb_s"]["all"],
            "response_us": numbers["response_us"]["all"],
            "write_amplification": numbers["write_amplification"],
        }


def measure(
    config: Config,
    test: str,
    *,
    quick: bool = False,
    requests: int = REQUESTS,
    progress: Callable[[Cell], ProgressCallback | None] | None = None,
) -> list[Measured]:
    """Runs a test's cells.

    Args:
        config: The SSD.
        test: One of `TESTS`.
        quick: Use fewer mixes and block sizes.
        requests: Requests of a cell's first attempt.
        progress: Gets each cell, returns a callback for its run.

    Raises:
        WordlineError: See `wordline.run`.
    """
    return [_measured(config, cell, requests, progress(cell) if progress else None) for cell in cells(test, quick)]


def _measured(config: Config, cell: Cell, requests: int, progress: ProgressCallback | None) -> Measured:
    for attempt in range(ATTEMPTS):
        load = workload(None, requests=requests << attempt)
        result = run(config.set_all(cell.settings), load, progress=progress)
        batches = Batches(result.columns["intervals"], result.document["simulated_s"])
        rows = batches.whole(batches.requests("all"), batches.duration_s)
        rounds = [count / duration for count, duration in rows if duration > 0]
        window = steady_window(rounds)
        is_written_full = cell.test != "write-saturation" or _is_saturated(result)
        if window is not None and is_written_full:
            break
    return Measured(cell, result, rounds, rows[0][1] if rows else 0.0, window if is_written_full else None)


def _is_saturated(result: Result) -> bool:
    """Returns True if garbage collection has started: before, every round is as fast as the first."""
    return bool(result.document["gc"]["erases"])
