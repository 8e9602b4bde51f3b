"""A served SSD whose store is on a disk without room."""

from __future__ import annotations

import json
import signal
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

import full_disk
from serve_client import FLUSH, FUA, READ, TRIM, WRITE, Client
from serve_session import Session, run

PIECE_BYTES = 64 << 10


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB."""
    with full_disk.disk(tmp_path / "disk", 3) as place:
        yield place


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


def test_a_session_goes_on_when_its_record_has_no_room(small_disk: Path, tmp_path: Path) -> None:
    record, out = small_disk / "session.wlt", tmp_path / "out"
    with Session("--record", record, "--out", out) as session, Client(session.socket) as client:
        full_disk.fill(small_disk)
        # The record is buffered: it is full some requests later. All of them are sent before the first answer is taken.
        places = [place * 7919 % 4096 * 4096 for place in range(60_000)]
        header = struct.Struct(">IHHQQI")
        client.socket.sendall(b"".join(header.pack(0x25609513, 0, TRIM, 7, place, 4096) for place in places))
        client.take(16 * len(places))
        client.ask(WRITE, 0, data=b"a" * 4096)
        assert client.ask(READ, 0, 4096) == b"a" * 4096
        session.process.send_signal(signal.SIGINT)
        assert session.process.stdout is not None
        document = json.loads(session.process.stdout.read())
        assert session.process.wait() == 2
        session.listener.join()
    assert document["wall_session"]["requests"] == 60_002
    assert "No space left" in document["wall_session"]["record_failure"]
    assert f"{record}: No space left" in session.said
    assert "the results are whole" in session.said
    assert (out / "result.json").exists()
    assert not list(small_disk.glob("session*")), "a part of a session is no record of it"
