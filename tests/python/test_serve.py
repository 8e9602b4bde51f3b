"""A served SSD: data, time, limits and messages. See also `test_serve_records.py` and `test_serve_programs.py`."""

from __future__ import annotations

import os
import resource
import signal
import socket
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from serve_client import FLUSH, FUA, READ, WRITE, Client
from serve_session import BYTES, SMALL, Session
from wordline.cli.errors import BadInputError
from wordline.cli.serve import check_listen, cut_settings, line, parse_slow_down, without_handles
from wordline.serving import Status, state_of


def read_for_ever(client: Client) -> None:
    while True:
        client.ask(READ, 1 << 20, 4096)


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
    result = wl.serve(config, listen="localhost:0", ready=uris.append, status=status, log_requests=True)
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
        (("mqsim", "--sync", "never", "--store", "x"), "write flush or end"),
        (("mqsim", "--sync", "end"), "add --store FILE"),
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
    assert (answer.code, "a file is there already; name another one" in answer.err) == (2, True), answer.err
    assert record.read_text() == "mine"


def test_a_client_is_told_that_it_names_no_handle() -> None:
    drive = wl.preset("mqsim")
    assert without_handles(drive) == []
    for settings in ({"fdp.isolation": "initially"}, {"ftl.placement": "handle", "ftl.streams": 4}):
        (warning,) = without_handles(drive.set_all(settings))
        assert "NBD has no placement handles" in warning


def test_the_pieces_of_the_command() -> None:
    assert parse_slow_down("auto") is None
    assert parse_slow_down("0") == 0
    assert parse_slow_down("2.5") == 2.5
    assert cut_settings(None) == []
    assert cut_settings(0.5) == ["power.cut_at_s=0.5", "power.off_h=0.0"]
    for here in ("127.0.0.1:5", "[::1]:5", "localhost:5"):
        check_listen(here, remote=False)
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


def test_a_state_that_cannot_be_saved_loses_no_results(tmp_path: Path) -> None:
    store = tmp_path / "store"
    config = wl.preset("mqsim").assign(*(word.removeprefix("--set=") for word in SMALL))

    def ready(_: str) -> None:
        # Nothing can take the name of a folder.
        (state_of(store) / "in the way").mkdir(parents=True)

    result = wl.serve(config, socket=tmp_path / "s", store=store, ready=ready, status=lambda _: False)
    document = result.to_dict()
    assert "store.state" in document["wall_session"]["store_failure"]
    assert "the store does not have all" in document["warnings"][-1]


def cpu_s(pid: int) -> float:
    """Processor time that a process has taken, s."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def test_no_file_descriptors_are_left() -> None:
    if not hasattr(resource, "prlimit"):
        pytest.skip("limits of another process need Linux")
    with Session() as session, ExitStack() as waiting:
        pid = session.process.pid
        used = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 1, used + 1))
        with Client(session.socket) as client:
            for _ in range(5):
                extra = waiting.enter_context(socket.socket(socket.AF_UNIX))
                extra.connect(str(session.socket))
            before = cpu_s(pid)
            time.sleep(1)
            assert cpu_s(pid) - before < 0.5, "it spins"
            client.ask(WRITE, 0, data=b"a" * 4096)
            assert client.ask(READ, 0, 4096) == b"a" * 4096
        waiting.close()
        with Client(session.socket) as client:
            assert client.ask(READ, 0, 4096) == b"a" * 4096
        session.end()
