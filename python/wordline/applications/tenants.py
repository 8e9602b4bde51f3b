"""Tenants of one drive, of which some write hard."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import WorkloadError
from .part import Application, Part


def tenants(
    writes: Sequence[float] = (1.0, 1.0, 1.0, 7.0),
    *,
    sequential: Sequence[int] = (),
    used: float = 0.9,
    block_bytes: int = 4096,
    drive_writes: float = 2.0,
    rate_mb_s: float = 5.0,
    reads_per_s: float = 0.0,
    seed: int = 0,
) -> Application:
    """Tenants with as much space each and a handle each. All write at random, but for those that are named.

    Args:
        writes: What each tenant writes, relative to the others.
        sequential: Numbers of tenants, from 1, that write in order.
        used: Share of the drive that they have together.
        block_bytes: Bytes of a write.
        drive_writes: Bytes written over the bytes of the drive.
        rate_mb_s: Bytes written a second, of all tenants.
        reads_per_s: Reads of 4 KiB over all tenants.
        seed: Another seed, another order.

    Raises:
        WorkloadError: There is no tenant, or one writes less than nothing.
    """
    if not writes or min(writes) < 0 or not sum(writes) > 0:
        raise WorkloadError(f"writes = {list(writes)}: a number from 0 on for each tenant, and one above 0")
    parts = tuple(
        Part(
            f"tenant {number}",
            used / len(writes),
            each / sum(writes),
            block_bytes,
            "sequential" if number in sequential else "random",
            number,
        )
        for number, each in enumerate(writes, 1)
    )
    return Application(parts, drive_writes, rate_mb_s, reads_per_s, seed)
