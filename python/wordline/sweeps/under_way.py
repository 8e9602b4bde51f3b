"""How much of the unfinished jobs is done; worker processes write it, the process that waits for them reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..progress import AGING, Progress, ProgressCallback

__all__ = ["TELL_S", "UnderWay", "share_of_run"]

TELL_S = 0.2
"""Wall time between two reports while no job ends, s."""
AGED = len(AGING) / (len(AGING) + 1)
"""The share of a job that is done when its drive has been aged until it is level."""


class UnderWay:
    """The share of each job that is done, 0 to 1, and what is called when it changes.

    It decides no result. The shares are in shared memory, without a lock: a process that is killed cannot block it.

    Args:
        count: Number of jobs.
        tell: Called from time to time, in the process that made this object.
    """

    def __init__(self, count: int, tell: Callable[[], object]) -> None:
        from multiprocessing.sharedctypes import RawArray

        self.shares = RawArray("d", count)
        self.tell = tell

    def set(self, number: int, share: float) -> None:
        """Sets the share of a job and reports it."""
        self.shares[number] = share
        self.tell()

    def end(self, number: int) -> None:
        """Counts a job no longer."""
        self.shares[number] = 0.0

    @property
    def jobs(self) -> float:
        """The work that is done on unfinished jobs, in jobs."""
        return float(sum(self.shares))

    def aging(self, ages: Sequence[bool]) -> int:
        """Returns how many jobs have begun and not aged their drive yet, of those that do so until it is level."""
        return sum(does and 0.0 < share < AGED for does, share in zip(ages, self.shares, strict=True))


def share_of_run(tell: Callable[[float], object]) -> ProgressCallback:
    """Returns a run's callback that tells how much of the whole run is done, preconditioning included."""
    begins_at = most = 0.0

    def report(now: Progress) -> None:
        nonlocal begins_at, most
        # An unknown share of a stage that has begun is no way back to its beginning.
        share = (1.0 if now.stage == "precondition" else 0.0) if now.fraction is None else now.fraction
        # Nobody knows beforehand how long the stages take: each part counts as much as the run.
        if now.stage == "precondition":
            begins_at = now.parts / (now.parts + 1)
            # A part that ends early, or is waited for again, is no way back, either.
            most = max(most, (now.part - 1 + share) / (now.parts + 1))
            tell(most)
        else:
            tell(begins_at + (1.0 - begins_at) * share)

    return report
