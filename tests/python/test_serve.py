"""A served SSD: results, records, limits and messages. Real programs are in `test_serve_programs.py`."""

from __future__ import annotations

import json
import signal
import socket
import struct
import time
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from cli_runner import without_wall, wordline
from serve_session import BYTES, SMALL, Session
from wordline.cli.errors import BadInputError
from wordline.cli.serve import check_listen, cut_settings, line, parse_slow_down
from wordline.serving import Status

READ, WRITE, LEAVE, FLUSH, TRIM = 0, 1, 2, 3, 4
FUA = 1


class Client:
    """The least that a client can be."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(path))
        self.socket.sendall(struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">II", 1, 0))
        assert self.take(18)[:8] == b"NBDMAGIC"
        self.bytes, self.flags = struct.unpack(">QH", self.take(10))

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def take(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise ConnectionError
            data += piece
        return data

    def ask(self, kind: int, offset: int = 0, count: int = 0, data: bytes = b"", flags: int = 0) -> bytes:
        self.socket.sendall(struct.pack(">IHHQQI", 0x25609513, flags, kind, 7, offset, count or len(data)) + data)
        magic, error, cookie = struct.unpack(">IIQ", self.take(16))
        assert (magic, cookie) == (0x67446698, 7)
        if error:
            raise OSError(error, "the server says so")
        return self.take(count) if kind == READ else b""

    def leave(self) -> None:
        self.socket.sendall(struct.pack(">IHHQQI", 0x25609513, 0, LEAVE, 0, 0, 0))
        assert self.socket.recv(1) == b""


def use(client: Client) -> None:
    """A few hundred requests of all kinds, over and over the same places, so that garbage is collected."""
    for turn in range(2):
        for place in range(0, 24 << 20, 256 << 10):
            client.ask(WRITE, place, data=bytes([turn + 1]) * (192 << 10), flags=FUA if place % (3 << 20) == 0 else 0)
        for place in range(0, 24 << 20, 1 << 20):
            assert client.ask(READ, place + 4096, 1024) == bytes([turn + 1]) * 1024
        client.ask(TRIM, 1 << 20, 64 << 10)
        client.ask(FLUSH)


def read_for_ever(client: Client) -> None:
    while True:
        client.ask(READ, 1 << 20, 4096)


def compared(document: dict[str, Any]) -> object:
    """What a replay has to repeat: all but wall time, what was typed, and what only a session has."""
    kept = {key: value for key, value in document.items() if key not in {"workload", "warnings"}}
    return without_wall(kept)


@pytest.mark.parametrize(
    ("slow_down", "settings"),
    [
        ("0", ("--set=cache.mode=read-write", "--set=cache.capacity_bytes=4194304", "--set=cache.flush=watermark")),
        ("0.5", ("--set=host.submit_ns=1500", "--set=host.link_rate_mb_s=3000", "--set=precondition.fill=0.9")),
        ("0", ("--power-cut-after=0.5", "--set=cache.mode=write")),
    ],
)
def test_a_replay_of_the_record_gives_the_same_numbers(
    slow_down: str, settings: tuple[str, ...], tmp_path: Path
) -> None:
    record, out = tmp_path / "session.wlt", tmp_path / "out"
    with Session(*settings, "--record", record, "--out", out, slow_down=slow_down) as session:
        with Client(session.socket) as client:
            try:
                use(client)
            except (ConnectionError, BrokenPipeError):
                assert "--power-cut-after=0.5" in settings
        live = session.end()
    assert live["requests"]["all"] > 100
    answer = wordline("run", out / "config.toml", "--trace", record, "--json")
    assert answer.code == 0, answer.err
    replay = json.loads(answer.out)
    assert compared(replay) == compared(live)
    assert ("--power-cut-after=0.5" in settings) == (live["power"] is not None)
    again = wordline("rerun", out)
    assert again.code == 0, again.out + again.err


def test_a_store_survives_and_a_power_cut_loses_what_the_model_says(tmp_path: Path) -> None:
    store = tmp_path / "store"
    cache = ("--set=cache.mode=write", "--set=cache.flush=full")
    with Session("--store", store, *cache, "--power-cut-after=0.02", "--once") as session:
        with Client(session.socket) as client:
            client.ask(WRITE, 0, data=b"a" * 4096)
            client.ask(FLUSH)
            client.ask(WRITE, 4096, data=b"b" * 4096, flags=FUA)
            client.ask(WRITE, 8192, data=b"c" * 4096)
            assert client.ask(READ, 8192, 4096) == b"c" * 4096
            with pytest.raises(ConnectionError):
                read_for_ever(client)
        assert session.end(None)["wall_session"]["power_was_cut"]
    assert store.stat().st_size == BYTES
    assert store.read_bytes()[: 3 * 4096] == b"a" * 4096 + b"b" * 4096 + bytes(4096)
    with Session("--store", store, *cache) as session, Client(session.socket) as client:
        assert client.ask(READ, 4096, 4096) == b"b" * 4096
        answer = wordline("serve", "mqsim", *SMALL, "--store", store, "--socket", tmp_path / "x")
        assert (answer.code, "another server uses this store" in answer.err) == (2, True), answer.err
        client.ask(WRITE, 8192, data=b"d" * 4096)
        session.end(signal.SIGTERM)
    assert store.read_bytes()[8192:12288] == b"d" * 4096


def test_the_ssd_behind_a_store_goes_on_where_it_was(tmp_path: Path) -> None:
    store, record, out = tmp_path / "store", tmp_path / "second.wlt", tmp_path / "out"
    state = tmp_path / "store.state"
    cache = ("--set=cache.mode=write", "--set=cache.capacity_bytes=1048576", "--set=precondition.fill=1.0")
    with Session("--store", store, *cache) as session:
        with Client(session.socket) as client:
            use(client)
            client.ask(WRITE, 5 << 20, data=b"e" * 4096)
        first = session.end()
    assert first["gc"]["erases"] > 0
    assert state.exists()
    with Session("--store", store, *cache, "--record", record, "--out", out) as session:
        with Client(session.socket) as client:
            assert client.ask(READ, 5 << 20, 4096) == b"e" * 4096
            use(client)
        second = session.end()
    assert second["requests"]["all"] == first["requests"]["all"], "what was measured begins anew"
    # The first session had free blocks for a while: the second one collects garbage from its beginning.
    assert second["gc"]["erases"] > first["gc"]["erases"]
    assert second["counters"]["ftl"]["preloaded"] == 0
    copy = Path(f"{record}.state")
    assert second["options"]["load_state"]["path"] == str(copy)
    replay = wordline("run", out / "config.toml", "--trace", record, "--load-state", copy, "--json")
    assert replay.code == 0, replay.err
    assert compared(json.loads(replay.out)) == compared(second)
    assert wordline("rerun", out).code == 0
    # Another SSD cannot go on from there, and data that came from elsewhere are told of.
    other = wordline("serve", "mqsim", *SMALL, "--store", store, "--socket", tmp_path / "s")
    assert other.code == 2
    assert "holds another SSD: cache" in other.err
    assert "or remove it" in other.err
    with store.open("r+b") as file:
        file.write(b"f")
    with Session("--store", store, *cache) as session, Client(session.socket) as client:
        assert client.ask(READ, 0, 1024)[:1] == b"f"
        warnings = session.end()["warnings"]
    assert any("was written after the state of its SSD was saved" in warning for warning in warnings)


def test_a_read_of_lost_data_fails_where_that_is_asked_for() -> None:
    worn = (
        "--set=read.retry=baseline", "--set=ssd.pages_per_block=576", "--set=ecc.correctable_bits=1",
        "--set=reliability.pec=2000", "--set=reliability.retention_months=12.0",
    )  # fmt: skip
    for policy in ("ignore", "eio"):
        with Session(*worn, "--uncorrectable", policy, ssd="pnar2") as session, Client(session.socket) as client:
            failed = 0
            for place in range(64):
                try:
                    data = client.ask(READ, place * 4096, 4096)
                except OSError:
                    failed += 1
                else:
                    assert data == bytes(4096)
            assert session.end()["counters"]["controller"]["uncorrectable_pages"] > 0
            assert (failed > 0) == (policy == "eio")


def test_a_program_too_fast_for_the_host_is_told_so() -> None:
    with Session(slow_down="0.001") as session, Client(session.socket) as client:
        for place in range(300):
            client.ask(READ, place * 4096, 4096)
        document = session.end()
    lateness = document["wall_session"]["lateness"]
    assert lateness["share_of_response"] > 0.05
    assert lateness["p50_us"] <= lateness["p99_us"] <= lateness["max_us"]
    assert "raise --slow-down" in document["warnings"][-1]


def test_auto_finds_a_slow_down() -> None:
    with Session(slow_down="auto") as session, Client(session.socket) as client:
        for place in range(1500):
            client.ask(READ, place % 4096 * 4096, 4096)
        assert session.end()["wall_session"]["slow_down"] >= 1.0


def test_python_serves_too() -> None:
    heard: list[Status] = []

    def status(now: Status) -> bool:
        heard.append(now)
        return len(heard) < 3

    uris: list[str] = []
    config = wl.preset("mqsim").assign(*(word.removeprefix("--set=") for word in SMALL))
    result = wl.serve(config, listen="127.0.0.1:0", ready=uris.append, status=status, log_requests=True)
    assert uris[0].startswith("nbd://127.0.0.1:")
    assert len(heard) == 3
    assert result.to_dict()["wall_session"]["requests"] == 0
    assert line(heard[0], 512).startswith("0.000 s simulated, 0 IOPS")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "there is no SSD to serve"),
        (("mqsim", "--listen", "0.0.0.0:10809"), "--remote"),
        (("mqsim", "--listen", "nowhere", "--remote"), "not an address"),
        (("mqsim", "--listen", "127.0.0.1:1", "--socket", "s"), "exclude each other"),
        (("mqsim", "--slow-down", "-1"), "not a slow-down"),
        (("mqsim", "--slow-down", "nan"), "not a slow-down"),
        (("mqsim", "--socket", "no/such/folder/s"), "no/such/folder/s"),
        (("mqsim", "--record", "no/such/folder/r", "--socket", "s"), "no/such/folder/r"),
        (("mqsim", "--store", "no/such/folder/r", "--socket", "s"), "no/such/folder/r"),
        (("mqsim", "--uncorrectable", "maybe"), "write eio or ignore"),
        (("mqsim", "--set", "host.mode=closed"), "host.mode"),
        (("mqsim", "--set", "host.time_scale=2.0"), "host.time_scale"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    answer = wordline("serve", *arguments, cwd=tmp_path)
    assert (answer.code, message in answer.err) == (2, True), answer.err
    assert len(answer.err.splitlines()) <= 2
    assert not list(tmp_path.iterdir())


def test_a_record_is_not_overwritten(tmp_path: Path) -> None:
    record = tmp_path / "record"
    record.write_text("mine")
    answer = wordline("serve", "mqsim", "--record", record, "--socket", tmp_path / "s")
    assert (answer.code, "exists" in answer.err) == (2, True), answer.err
    assert record.read_text() == "mine"


def test_the_pieces_of_the_command() -> None:
    assert parse_slow_down("auto") is None
    assert parse_slow_down("0") == 0
    assert parse_slow_down("2.5") == 2.5
    assert cut_settings(None) == []
    assert cut_settings(0.5) == ["power.cut_at_s=0.5", "power.off_h=0.0"]
    check_listen("127.0.0.1:5", remote=False)
    check_listen("0.0.0.0:5", remote=True)
    with pytest.raises(BadInputError):
        check_listen("0.0.0.0:5", remote=False)


def test_a_served_ssd_takes_no_longer_than_simulated() -> None:
    with Session(slow_down="1") as session, Client(session.socket) as client:
        start = time.perf_counter()
        for place in range(50):
            client.ask(WRITE, place * 4096, data=bytes(4096))
        wall_s = time.perf_counter() - start
        document = session.end()
    # Programs of 750 us, one after the other.
    assert document["response_us"]["write"]["mean"] > 750
    assert wall_s > 50 * 750e-6
