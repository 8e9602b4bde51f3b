"""A flash cache as CacheLib keeps it."""

from __future__ import annotations

from .part import Application, Part, share

BUCKET_BYTES = 4096
REQUEST_BYTES = 131_072


def cachelib(
    *,
    buckets: float = 0.1,
    bucket_bytes: float = 0.5,
    used: float = 1.0,
    drive_writes: float = 2.0,
    rate_mb_s: float = 5.0,
    reads_per_s: float = 0.0,
    request_bytes: int = REQUEST_BYTES,
    seed: int = 0,
) -> Application:
    """Small objects in buckets of 4 KiB at random places (handle 1), large ones in a log that is written in order (2).

    Regions of CacheLib's log, 16 MiB, follow each other, so that the log is one sequence of writes.

    Args:
        buckets: Share of the space for buckets.
        bucket_bytes: Share of the bytes that go to buckets.
        used: Share of the drive that the cache takes.
        drive_writes: Bytes written over the bytes of the drive.
        rate_mb_s: Bytes written a second.
        reads_per_s: Lookups that read 4 KiB.
        request_bytes: Bytes of a write of the log.
        seed: Another seed, another order.

    Raises:
        WorkloadError: A share is none.
    """
    share("buckets", buckets)
    share("bucket_bytes", bucket_bytes)
    parts = (
        Part("buckets", buckets * used, bucket_bytes, BUCKET_BYTES, "random", 1),
        Part("log", (1 - buckets) * used, 1 - bucket_bytes, request_bytes, "sequential", 2),
    )
    return Application(parts, drive_writes, rate_mb_s, reads_per_s, seed)
