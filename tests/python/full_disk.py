"""Small file systems for tests, and how they are filled."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def disk(place: Path, mib: int) -> Iterator[Path]:
    """A file system of some MiB; where none can be mounted the test is skipped."""
    if os.geteuid() != 0:
        pytest.skip("a mount needs root")
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={mib}m", "wordline-test", str(place)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no mounts here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        # A failed write may leave a file open until the next collection of garbage.
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path, leave_bytes: int = 0) -> None:
    """Leaves so much room on a file system, and no more."""
    with (place / "rest").open("wb", buffering=0) as file:
        with suppress(OSError):
            while True:
                file.write(bytes(4096))
        file.truncate(max(0, file.tell() - leave_bytes))
