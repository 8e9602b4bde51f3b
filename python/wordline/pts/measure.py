"""Runs the cells of a test, round by round, until five rounds are steady.

It follows SNIA's PTS, with three differences. A cell is one continuous run on its own preconditioned SSD; its rounds
are intervals of equal simulated time; the PTS goes through all cells in each round. Preconditioning writes the capacity
in order and then once at random; the PTS writes it twice in order and leaves the rest to the rounds. In steady rounds
GC frees as much as is programmed; the PTS takes a drive that lives on its free blocks for steady, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..api import run
from ..config import Config
from ..progress import ProgressCallback
from ..result import Result
from ..stats.balance import imbalance_of
from ..stats.columns import Batches
from ..workload import workload
from .plan import Cell, cells
from .rounds import ROUNDS, Window, steady_window

__all__ = ["Measured", "measure", "rounds_of"]

REQUESTS = 50_000
"""Requests of a cell's first attempt; each further attempt has twice as many."""
ATTEMPTS = 5
MB = 1e6


@dataclass(frozen=True, slots=True)
class Steady:
    """Means over the steady window.

    Attributes:
        bandwidth_mb_s: Bytes read and written, MB/s.
        mean_us: Response time, us.
        write_amplification: Bytes programmed over those that the host wrote; None if it wrote none.
    """

    bandwidth_mb_s: float
    mean_us: float
    write_amplification: float | None


@dataclass(frozen=True)
class Measured:
    """The results of a cell.

    Attributes:
        cell: The load.
        result: Its run.
        rounds: IOPS of each round, from the first.
        round_s: Length of a round, simulated s.
        window: The five steady rounds; None if none were found.
        steady: What was measured in them.
    """

    cell: Cell
    result: Result
    rounds: list[float]
    round_s: float
    window: Window | None
    steady: Steady | None

    def to_dict(self) -> dict[str, Any]:
        """Returns the results for JSON."""
        window, steady = self.window, self.steady
        numbers = self.result.document
        return {
            "test": self.cell.test,
            "cell": self.cell.name,
            "set": self.cell.settings,
            "requests": numbers["requests"]["all"],
            "round_s": self.round_s,
            "rounds_iops": self.rounds,
            "steady": None
            if window is None or steady is None
            else {
                "first_round": window.first + 1,
                "iops": window.mean,
                "range": window.spread,
                "slope": window.slope,
                **asdict(steady),
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
        batches = Batches.of_run(result.document, result.columns)
        rounds = rounds_of(batches.requests("all"), batches.duration_s)
        window = steady_window(rounds, _balance(result, batches))
        if window is not None:
            break
    round_s = batches.duration_s[0] if rounds else 0.0
    return Measured(cell, result, rounds, round_s, window, None if window is None else _steady(batches, window))


def _balance(result: Result, batches: Batches) -> Callable[[slice], bool]:
    return lambda rounds: imbalance_of(result.document, batches, rounds) is None


def rounds_of(requests: Sequence[int], duration_s: Sequence[float]) -> list[float]:
    """Returns the IOPS of each round, without the last one: the run ends within it, and GC may go on for long."""
    rates = [count / duration for count, duration in zip(requests, duration_s, strict=True)]
    return rates[:-1] if len(rates) > 1 else rates


def _steady(batches: Batches, window: Window) -> Steady:
    """Returns the means over the rounds of a window."""
    rounds = slice(window.first, window.first + ROUNDS)
    requests, duration_s = sum(batches.requests("all")[rounds]), sum(batches.duration_s[rounds])
    written = sum(batches["host_written_bytes"][rounds])
    return Steady(
        bandwidth_mb_s=sum(batches.bytes("all")[rounds]) / duration_s / MB,
        mean_us=sum(batches.latency_us("all")[rounds]) / requests,
        write_amplification=sum(batches["media_written_bytes"][rounds]) / written if written else None,
    )
