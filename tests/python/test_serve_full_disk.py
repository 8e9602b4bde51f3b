"""A served SSD whose store is on a disk without room."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from serve_client import FLUSH, FUA, READ, TRIM, WRITE, Client
from serve_session import Session, run

PIECE_BYTES = 64 << 10


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB."""
    if os.geteuid() != 0:
        pytest.skip("a mount needs root")
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "wordline-test", str(place)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no mounts here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        run("umount", place)


def data_of(place: int) -> bytes:
    return bytes([place + 1]) * PIECE_BYTES


@pytest.mark.parametrize("cache", ["off", "write"])
def test_no_acknowledged_write_is_lost_on_a_full_disk(cache: str, small_disk: Path) -> None:
    store = small_disk / "store"
    with Session("--store", store, f"--set=cache.mode={cache}") as session, Client(session.socket) as client:
        acknowledged, errors = [], set()
        for place in range(100):
            try:
                client.ask(WRITE, place * PIECE_BYTES, data=data_of(place), flags=FUA)
            except OSError as error:
                errors.add(error.errno)
            else:
                acknowledged.append(place)
        assert errors == {28}
        assert 20 < len(acknowledged) <= 48, "3 MB have room for 48"
        for place in acknowledged:
            assert client.ask(READ, place * PIECE_BYTES, PIECE_BYTES) == data_of(place)
        # A trim makes room.
        given = acknowledged.pop()
        client.ask(TRIM, given * PIECE_BYTES, PIECE_BYTES)
        client.ask(FLUSH)
        run("mount", "-o", "remount,size=8m", small_disk)
        client.ask(WRITE, 99 * PIECE_BYTES, data=data_of(99), flags=FUA)
        session.process.kill()
        session.process.wait()
    image = store.read_bytes()
    for place in [*acknowledged, 99]:
        assert image[place * PIECE_BYTES :][:PIECE_BYTES] == data_of(place)
