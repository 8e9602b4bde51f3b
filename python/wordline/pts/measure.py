"""Runs the cells of a test, round by round, until five rounds are steady.

It follows SNIA's PTS, with three differences. A cell is one continuous run on its own preconditioned SSD; its rounds
are intervals of equal simulated time; the PTS goes through all cells in each round. A load that writes begins at its
equilibrium, or on request after the capacity was written in order and once at random; the PTS writes it twice in order
and leaves the rest to the rounds. Five even rounds are not enough, since a drive whose garbage collection has just
begun has them, too. GC must free as much as is programmed in them, and later rounds must have the same IOPS and WA.
The drive must have begun at the equilibrium of the load and have the write amplification that it had there, or its
capacity must be written once more from them to the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from .._core import Drives
from ..api import run
from ..config import Config
from ..progress import ProgressCallback
from ..result import Result
from ..stats.balance import imbalance_of
from ..stats.columns import Batches
from ..stats.goals import Goal
from ..sweeps.checkpoints import goals_of
from ..workload import workload
from .plan import Cell, cells
from .rounds import ROUNDS, Window, are_alike, goes_on, steady_window

__all__ = ["Measured", "measure", "rounds_of"]

REQUESTS = 50_000
"""Requests of a cell's first attempt; each further attempt has twice as many."""
LIMIT = 16
"""The last attempt has at most so many times the requests of the first."""
AGED_MAX = 0.10
"""Largest allowed difference of the write amplification of steady rounds from that of the equilibrium before them."""
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
        goals: How far each goal is met by the numbers of the whole run.
    """

    cell: Cell
    result: Result
    rounds: list[float]
    round_s: float
    window: Window | None
    steady: Steady | None
    goals: list[dict[str, Any]]

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
            "goals": self.goals,
        }


def measure(
    config: Config,
    test: str,
    *,
    quick: bool = False,
    steady: bool = True,
    requests: int = REQUESTS,
    goals: Sequence[str] = (),
    limit: int = LIMIT,
    progress: Callable[[Cell], ProgressCallback | None] | None = None,
) -> list[Measured]:
    """Runs a test's cells.

    Args:
        config: The SSD.
        test: One of `TESTS`.
        quick: Use fewer mixes and block sizes.
        steady: Loads that write begin at their equilibrium.
        requests: Requests of a cell's first attempt.
        goals: Such as `"iops ±1%"`: a cell runs on until its numbers are known so well.
        limit: At most so many times the requests of the first attempt.
        progress: Gets each cell, returns a callback for its run.

    Raises:
        GoalError: A goal is invalid.
        WordlineError: See `wordline.run`.
    """
    wanted = goals_of(goals, limit) if goals else []
    # Loads that write alike share a drive, and so do the attempts of a cell.
    drives = Drives()
    return [
        _measured(
            config.set_all(cell.settings), cell, requests, wanted, limit, drives, progress(cell) if progress else None
        )
        for cell in cells(test, quick, steady)
    ]


def _measured(
    config: Config,
    cell: Cell,
    requests: int,
    goals: Sequence[Goal],
    limit: int,
    drives: Drives,
    progress: ProgressCallback | None,
) -> Measured:
    size = requests
    while True:
        result = run(config, workload(None, requests=size), drives=drives, progress=progress)
        batches = Batches.of_run(result.document, result.columns)
        rounds = rounds_of(batches.requests("all"), batches.duration_s)
        window = steady_window(rounds, partial(_is_at_equilibrium, result, batches, rounds))
        states = [goal.state(result.document) for goal in goals]
        is_done = window is not None and all(each["is_met"] for each in states)
        if is_done or 2 * size > limit * requests:
            break
        size *= 2
    round_s = batches.duration_s[0] if rounds else 0.0
    steady = None if window is None else _steady(batches, window)
    return Measured(cell, result, rounds, round_s, window, steady, states)


def _is_at_equilibrium(result: Result, batches: Batches, rounds: Sequence[float], part: slice) -> bool:
    """Whether some rounds are those of a drive at the equilibrium of its load."""
    document = result.document
    if not goes_on(rounds, part.start) or imbalance_of(document, batches, part) is not None:
        return False
    window, later = (_amplification(batches, each) for each in (part, slice(part.stop, len(rounds))))
    if window is not None and later is not None and not are_alike(window, later):
        return False
    started = document["precondition"]["steady"]
    if window is None:
        return True
    aged = started["write_amplification"] if started is not None and started["is_flat"] else None
    if aged is not None and abs(window - aged) <= AGED_MAX * aged:
        return True
    return sum(batches["host_written_bytes"][part.start :]) >= result.config.host_bytes


def rounds_of(requests: Sequence[int], duration_s: Sequence[float]) -> list[float]:
    """Returns the IOPS of each round, without the last one: the run ends within it, and GC may go on for long."""
    rates = [count / duration for count, duration in zip(requests, duration_s, strict=True)]
    return rates[:-1] if len(rates) > 1 else rates


def _steady(batches: Batches, window: Window) -> Steady:
    """Returns the means over the rounds of a window."""
    rounds = slice(window.first, window.first + ROUNDS)
    requests, duration_s = sum(batches.requests("all")[rounds]), sum(batches.duration_s[rounds])
    return Steady(
        bandwidth_mb_s=sum(batches.bytes("all")[rounds]) / duration_s / MB,
        mean_us=sum(batches.latency_us("all")[rounds]) / requests,
        write_amplification=_amplification(batches, rounds),
    )


def _amplification(batches: Batches, rounds: slice) -> float | None:
    """Returns the bytes programmed over those that the host wrote; None if it wrote none."""
    written = sum(batches["host_written_bytes"][rounds])
    return sum(batches["media_written_bytes"][rounds]) / written if written else None
