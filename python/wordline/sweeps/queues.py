"""Which process does which job: jobs that begin on the same preconditioned SSD go to one process."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .worker import Job

__all__ = ["Queues"]


class Queues:
    """The jobs that wait, by the drive that they begin on, for a number of lanes; each lane is a process.

    A process keeps the last drive that it has preconditioned. So a lane takes the jobs of a drive one after the other,
    and no other lane does as long as there are drives that nobody has begun. Then lanes help each other.

    Args:
        jobs: The jobs by number, in the order in which they begin if they share no drives.
        lanes: The number of lanes.
    """

    def __init__(self, jobs: Iterable[tuple[int, Job]], lanes: int) -> None:
        groups: dict[object, deque[int]] = {}
        for number, job in jobs:
            # A job without a drive is a group of its own.
            groups.setdefault(("alone", number) if job.drive is None else job.drive, deque()).append(number)
        self.unbegun = deque(groups.values())
        self.begun: list[deque[int]] = [deque() for _ in range(lanes)]
        self.waiting = sum(map(len, self.unbegun))

    def take(self, lane: int) -> int | None:
        """Returns the next job of a lane; None if no job waits."""
        if not self.waiting:
            return None
        self.waiting -= 1
        if not self.begun[lane] and self.unbegun:
            self.begun[lane] = self.unbegun.popleft()
        return (self.begun[lane] or max(self.begun, key=len)).popleft()
