"""Records of sessions: a replay gives the same numbers, also where the SSD goes on from an earlier session."""

from __future__ import annotations

import json
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from cli_runner import without_wall, wordline
from serve_client import FLUSH, FUA, NO_HOLE, READ, TRIM, WRITE, WRITE_ZEROES, Client, use
from serve_session import SMALL, Session
from wordline.record.schema import result_schema

ASKED = (
    (WRITE, 0), (WRITE, FUA), (READ, 0), (TRIM, 0), (FLUSH, 0), (WRITE_ZEROES, FUA), (WRITE_ZEROES, NO_HOLE),
)  # fmt: skip


def use_part(path: Path, part: int) -> None:
    """What one of several clients does at the same time as the others, in a part of the device that is its own."""
    start, step = part * (8 << 20), 64 << 10
    draw = np.random.default_rng(part)
    with Client(path) as client:
        held: dict[int, bytes] = {}
        for _ in range(400):
            place = start + int(draw.integers(64)) * step
            kind, flags = ASKED[draw.integers(len(ASKED))]
            count = int(draw.choice((512, 4096, 12_288, 65_536)))
            if kind == READ:
                assert client.ask(READ, place, step) == held.get(place, b"").ljust(step, b"\0")
            elif kind == FLUSH:
                client.ask(FLUSH)
            else:
                data = draw.bytes(count) if kind == WRITE else bytes(count)
                client.ask(kind, place, count, data if kind == WRITE else b"", flags)
                held[place] = data + held.get(place, b"")[count:]
        client.leave()


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
    assert [error.message for error in jsonschema.Draft202012Validator(result_schema()).iter_errors(live)] == []
    answer = wordline("run", out / "config.toml", "--trace", record, "--json")
    assert answer.code == 0, answer.err
    replay = json.loads(answer.out)
    assert compared(replay) == compared(live)
    assert ("--power-cut-after=0.5" in settings) == (live["power"] is not None)
    again = wordline("rerun", out)
    assert again.code == 0, again.out + again.err


@pytest.mark.parametrize("slow_down", ["0", "0.2"])
def test_a_session_of_several_clients_is_replayed_too(slow_down: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    cache = ("--set=cache.mode=read-write", "--set=cache.capacity_bytes=1048576")
    with Session(*cache, "--check", "--record", tmp_path / "r", "--out", out, slow_down=slow_down) as session:
        with ThreadPoolExecutor(4) as clients:
            list(clients.map(use_part, [session.socket] * 4, range(4)))
        document = session.end()
    assert document["wall_session"]["clients"] == 4
    assert document["wall_session"]["requests"] == 1600
    again = wordline("rerun", out)
    assert again.code == 0, again.out + again.err


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


def test_a_file_that_comes_while_the_session_goes_on_stays(tmp_path: Path) -> None:
    record, out = tmp_path / "session.wlt", tmp_path / "out"
    with Session("--record", record, "--out", out) as session, Client(session.socket) as client:
        client.ask(WRITE, 0, data=b"a" * 4096)
        record.write_text("mine")
        session.process.send_signal(signal.SIGINT)
        assert session.process.stdout is not None
        document = json.loads(session.process.stdout.read())
        assert session.process.wait() == 2
        session.listener.join()
    assert record.read_text() == "mine"
    beside = tmp_path / "session.wlt-2"
    said = f"a file has come there meanwhile; the record is in {beside}"
    assert document["wall_session"]["record_failure"] == said
    assert f"{record}: {said}" in session.said
    assert (out / "result.json").exists()
    replayed = wordline("run", out / "config.toml", "--trace", beside, "--json")
    assert json.loads(replayed.out)["requests"]["all"] == 1
    assert not list(tmp_path.glob(".*"))
