"""Objects of a KV cache of LLM serving, by size class."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import WorkloadError
from .part import Application, Part

MIB = 1 << 20
CLASSES = {1: 0.25, 4: 0.25, 16: 0.25, 32: 0.25}


def kv_objects(
    *,
    classes: Mapping[int, float] | None = None,
    used: float = 0.9,
    by_class: bool = True,
    drive_writes: float = 2.0,
    rate_mb_s: float = 20.0,
    reads_per_s: float = 0.0,
    seed: int = 0,
) -> Application:
    """Objects of some MiB, each written as a whole where one of its class was evicted. Space follows bytes.

    Args:
        classes: Share of the bytes by object size in MiB, 1 to 32; by default a quarter each of 1, 4, 16 and 32.
        used: Share of the drive that objects take.
        by_class: A handle for each class, by size; without it none.
        drive_writes: Bytes written over the bytes of the drive.
        rate_mb_s: Bytes written a second.
        reads_per_s: Reads of 4 KiB over all objects.
        seed: Another seed, another order.

    Raises:
        WorkloadError: A class is out of its range.
    """
    shares = dict(sorted((classes or CLASSES).items()))
    if not shares or not all(1 <= size <= 32 and part > 0 for size, part in shares.items()):
        raise WorkloadError(f"classes = {shares}: sizes from 1 to 32 MiB, each with a share above 0")
    parts = tuple(
        Part(f"{size} MiB", part * used, part, size * MIB, "random", number if by_class else None)
        for number, (size, part) in enumerate(shares.items(), 1)
    )
    return Application(parts, drive_writes, rate_mb_s, reads_per_s, seed)
