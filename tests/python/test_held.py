"""A drive that a program steps: jobs and times, replay, window, forks, states, mistakes."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import wordline as wl
from api_helpers import reproducible, small
from wordline.errors import ConfigError, RequestError, StateError
from wordline.held import OPERATIONS, Op

PAGES = 8000
LETTERS = {"read": "R", "write": "W", "trim": "T", "flush": "F", "close": "C"}
DTYPE = np.dtype(
    [("operation", "U5"), ("offset", "u8"), ("length", "u4"), ("flow", "u2"), ("handle", "u2"), ("job", "u4")]
)


def used(**settings: object) -> wl.Config:
    """A small SSD that collects garbage."""
    return small(**{"precondition.fill": 1.0, "precondition.overwrite": 1.0} | settings)


def draws(seed: int) -> random.Random:
    """Random numbers that are the same in every run."""
    return random.Random(seed)  # noqa: S311


def any_op(draw: random.Random, flows: int = 1) -> Op:
    """A read, a write or a trim somewhere."""
    name = draw.choice(["read", "read", "write", "write", "write", "trim"])
    return (name, draw.randrange(PAGES) * 4096, 4096 * draw.randint(1, 4), draw.randrange(flows), 0)


def drive_some(drive: wl.Drive, draw: random.Random, calls: int, flows: int = 1) -> list[tuple[int, int, str]]:
    """Submits jobs of one or more operations at random times, until all are done."""
    done = []
    for _ in range(calls):
        jobs: list[Op | list[Op]] = [any_op(draw, flows) for _ in range(draw.randint(0, 3))]
        if draw.random() < 0.3:
            jobs.append([any_op(draw, flows) for _ in range(draw.randint(1, 5))])
        if draw.random() < 0.1:
            jobs.append(("flush", 0, 0))
        drive.submit(drive.now_ns, jobs)
        done += drive.advance(drive.now_ns + draw.choice([0, 20_000, 400_000, 3_000_000]))
    return done + drive.advance()


def as_trace(drive: wl.Drive, path: Path) -> wl.Trace:
    """The log of a drive as a CSV trace."""
    rows = [
        f"{at},{LETTERS[op]},{offset // 512},{length // 512}" for at, op, offset, length, _flow, _handle in drive.log()
    ]
    path.write_text("\n".join(["time_ns,op,sector,sectors", *rows]) + "\n", encoding="utf-8")
    return wl.trace(path)


@pytest.mark.parametrize("check", [False, True])
def test_a_replay_of_the_same_operations_gives_the_same_bytes(tmp_path: Path, check: bool) -> None:
    config = used(**{"host.mode": "open", "host.warmup_requests": 10})
    drive = wl.open(config, log=True, check=check, flows=("session.csv",))
    drive.submit(0, [("write", 0, 4096)])
    drive_some(drive, draws(1), 150)
    stepped = drive.result()
    replayed = wl.run(config, as_trace(drive, tmp_path / "session.csv"), check=check)
    assert stepped.to_dict()["write_amplification"] > 1.1

    def measured(result: wl.Result) -> str:
        document = json.loads(reproducible(result))
        del document["workload"]
        return json.dumps(document)

    assert measured(stepped) == measured(replayed)


def test_the_same_calls_give_the_same_answers_whatever_the_size_of_a_step() -> None:
    """Time may go on in one step or in many: jobs are done at the same times."""

    def session(step_ns: int) -> list[tuple[int, int, str]]:
        drive, draw, done = wl.open(used()), draws(2), []
        for at in range(0, 40_000_000, 500_000):
            drive.submit(at, [any_op(draw) for _ in range(4)])
            for until in range(at + step_ns, at + 500_000, step_ns):
                done += drive.advance(until)
        return done + drive.advance()

    assert session(499_999) == session(7_001)


def test_no_job_is_done_before_the_next_event() -> None:
    drive, draw = wl.open(used()), draws(3)
    drive.submit(0, [any_op(draw) for _ in range(20)])
    last = 0
    while (event := drive.next_event()) is not None:
        assert event >= last
        if event > drive.now_ns:
            assert drive.advance(event - 1) == []
        last = event
        assert all(done_ns == event for _, done_ns, _ in drive.advance(event))
    assert drive.under_way == 0


def test_a_job_of_several_operations_ends_with_its_last_one() -> None:
    ops: list[Op] = [("read", 0, 4096), ("read", 1 << 20, 131_072), ("write", 2 << 20, 4096)]
    one, three = wl.open(used()), wl.open(used())
    assert one.submit(0, [ops]) == range(1)
    assert three.submit(0, ops) == range(3)
    ((job, done_ns, status),) = one.advance()
    assert (job, status) == (0, "success")
    assert done_ns == max(done_ns for _, done_ns, _ in three.advance())


def test_arrays_are_what_tuples_are() -> None:
    draw = draws(4)
    ops = [any_op(draw, flows=2) for _ in range(60)]
    rows = np.array([(*op, number // 3) for number, op in enumerate(ops)], dtype=DTYPE)
    numbered = np.zeros(60, dtype=[("operation", "u1"), ("offset", "u8"), ("length", "u8"), ("flow", "u1")])
    numbered["operation"] = [OPERATIONS.index(op[0]) for op in ops]
    for name in ("offset", "length", "flow"):
        numbered[name] = rows[name]
    drives = [wl.open(used(), flows=("a", "b"), log=True) for _ in range(4)]
    assert drives[0].submit(0, ops) == drives[1].submit(0, numbered) == range(60)
    grouped = [list(ops[at : at + 3]) for at in range(0, 60, 3)]
    assert drives[2].submit(0, grouped) == drives[3].submit(0, rows) == range(20)
    for drive in drives:
        drive.advance()
    logs = [drive.log() for drive in drives]
    assert logs[0] == logs[1] == logs[2] == logs[3]
    assert {flow for *_, flow, _ in logs[0]} == {0, 1}


def test_flows_are_told_apart() -> None:
    drive = wl.open(used(), flows=("reader", "writer"))
    drive.submit(0, [("read", 0, 4096), ("write", 4096, 8192, 1), ("write", 65536, 4096, 1)])
    drive.advance()
    flows = drive.result().to_dict()["flows"]
    assert {name: flow["requests"]["all"] for name, flow in flows.items()} == {"reader": 1, "writer": 2}


def test_results_begin_at_the_mark() -> None:
    drive, draw = wl.open(used(), log_requests=True), draws(5)
    drive_some(drive, draw, 60)
    before = drive.result().to_dict()
    drive.mark()
    assert drive.result().to_dict()["requests"]["all"] == 0
    began = drive.now_ns
    drive.submit(began, [("read", 4096 * at, 4096) for at in range(50)])
    drive.advance()
    after = drive.result().to_dict()
    assert (after["requests"]["read"], after["requests"]["write"]) == (50, 0)
    assert after["requests"]["warmup"] == before["requests"]["all"] + before["requests"]["warmup"]
    rows = drive.result().arrays("requests")
    assert len(rows["arrival_ns"]) == 50
    assert rows["arrival_ns"].min() >= began
    assert sum(drive.result().arrays("intervals")["reads"]) == 50


def test_a_result_before_the_end_says_so() -> None:
    drive = wl.open(used())
    drive.submit(0, [("read", 0, 4096)] * 3)
    document = drive.result().to_dict()
    assert document["partial"] is True
    assert "3 jobs are under way" in document["warnings"][-1]
    drive.advance()
    assert "partial" not in drive.result().to_dict()


def test_forks_differ_only_by_what_they_are_told() -> None:
    drive = wl.open(used(), log=True)
    drive_some(drive, draws(6), 40)
    drive.submit(drive.now_ns, [any_op(draws(7)) for _ in range(8)])
    drive.advance(drive.now_ns + 50_000)
    assert drive.under_way > 0
    twin, other = drive.fork(), drive.fork()
    other.submit(other.now_ns, [("write", 4096 * at, 4096) for at in range(64)])
    assert len(other.advance()) == 64 + twin.under_way
    rest = [drive_some(each, draws(8), 40) for each in (drive, twin)]
    assert rest[0] == rest[1]
    assert drive.log() == twin.log() != other.log()
    assert reproducible(drive.result()) == reproducible(twin.result())


def test_forks_of_a_drive_with_large_tables_share_them_and_nothing_else(tmp_path: Path) -> None:
    """Tables of 59 MB, which forks share until they write: a drive that was forked is one that was not."""
    ssd = wl.preset("datacenter-tlc", ssd__scale=1 / 64, precondition__fill=0.02)
    pages = ssd.host_bytes // 4096

    def session(drive: wl.Drive, seed: int, count: int) -> list[tuple[int, int, str]]:
        draw = draws(seed)
        names = ("read", "write", "write", "trim")
        drive.submit(drive.now_ns, [(draw.choice(names), draw.randrange(pages) * 4096, 4096) for _ in range(count)])
        return drive.advance()

    alone, forked = wl.open(ssd), wl.open(ssd)
    assert session(alone, 1, 800) == session(forked, 1, 800)
    first = forked.fork()
    session(first, 2, 800)
    assert session(alone, 3, 800) == session(forked, 3, 800)
    second = forked.fork()
    last = session(alone, 4, 400)
    assert session(second, 4, 400) == last == session(forked, 4, 400)
    assert reproducible(alone.result()) == reproducible(second.result()) == reproducible(forked.result())
    saved = []
    for name, drive in (("alone", alone), ("second", second), ("forked", forked), ("first", first)):
        drive.save(tmp_path / name)
        saved.append((tmp_path / name).read_bytes())
    assert saved[0] == saved[1] == saved[2] != saved[3]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere forks copy all tables")
def test_a_drive_whose_forks_are_gone_has_its_tables_once() -> None:
    """It overwrites a fifth of a table that a fork sees, and gives up what only the fork saw."""
    drive = wl.open(wl.preset("datacenter-tlc", ssd__scale=1 / 64, precondition__fill=0.02))
    pages, draw = drive.config.host_bytes // 4096, draws(1)
    fork = drive.fork()
    drive.submit(0, [("write", draw.randrange(pages) * 4096, 4096) for _ in range(4000)])
    drive.advance()
    del fork
    before = own_memory()
    drive.advance(drive.now_ns + 1)
    assert before - own_memory() > 6 << 20


def own_memory() -> int:
    """Bytes of this process that no file has."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("RssAnon:")[2].split()[0]) << 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no child processes that go on from here")
def test_a_child_process_does_not_change_the_drive_of_its_parent() -> None:
    script = """
import os, wordline as wl
from wordline.errors import RequestError
drive = wl.open("mqsim")
child = os.fork()
try:
    drive.submit(0, [("write", 0, 4096)])
except RequestError as error:
    print(error, flush=True)
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
print(len(drive.advance()))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    refused, jobs = done.stdout.splitlines()
    assert "which opened it: a child process opens a state that `save` wrote" in refused
    assert jobs == "1"


def test_a_saved_drive_goes_on_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "drive.state"
    drive = wl.open(used(), log=True)
    drive_some(drive, draws(9), 40)
    drive.submit(drive.now_ns, [("write", 0, 4096)])
    under_way = drive.under_way
    drive.save(path)
    assert drive.under_way == under_way == 1
    again, copy = wl.open(used(), state=path), wl.open(used(), state=path)
    assert again.now_ns == 0
    assert drive_some(again, draws(10), 30) == drive_some(copy, draws(10), 30)
    with pytest.raises(StateError):
        drive.save(tmp_path / "no folder" / "drive.state")


@pytest.mark.parametrize(
    ("ops", "words"),
    [
        ([("raed", 0, 4096)], "the names are read, write, trim, flush, close"),
        ([("read", 0)], "an operation is (name, offset, length)"),
        ([("read", 100, 4096)], "multiples of 512"),
        ([("read", 0, 100)], "multiples of 512"),
        ([("read", -512, 512)], "none is below 0"),
        ([("read", 0.5, 512)], "whole numbers"),
        ([("read", 0, 512, 1)], "flow 1 does not exist"),
        ([("flush", 0, 512)], "offset 0 and length 0"),
        ([[]], "one operation or more"),
        (["read"], "a job is a tuple"),
        (7, "no list of jobs"),
        (np.zeros(1, dtype=[("offset", "u8"), ("length", "u8")]), "lacks operation"),
        (np.zeros(1, dtype=[*DTYPE.descr, ("size", "u8")]), "the field size has no meaning"),
        (np.array([("raed", 0, 512, 0, 0, 0)], dtype=DTYPE), "operation 'raed'"),
        (np.array([(99, 0, 512)], dtype=[("operation", "u1"), ("offset", "u8"), ("length", "u8")]), "from 0 to 10"),
    ],
)
def test_what_makes_no_sense_is_refused_whole(ops: object, words: str) -> None:
    drive = wl.open(small(), log=True)
    good: Op = ("write", 0, 4096)
    mixed = [good, *ops] if isinstance(ops, list) else ops
    with pytest.raises(RequestError) as caught:
        drive.submit(0, mixed)  # type: ignore[arg-type]
    assert words in str(caught.value)
    assert drive.log() == []
    assert drive.under_way == 0


def test_an_address_beyond_the_drive_ends_its_job_with_that_status() -> None:
    config = small()
    drive = wl.open(config)
    drive.submit(0, [[("read", 0, 4096), ("read", config.host_bytes, 4096)], ("read", 0, 0), ("read", 0, 4096)])
    assert {job: status for job, _, status in drive.advance()} == {
        0: "lba_out_of_range",
        1: "invalid_field",
        2: "success",
    }


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda drive: drive.submit(999, [("read", 0, 512)]), "999 ns is over: the drive is at 1000 ns"),
        (lambda drive: drive.advance(999), "999 ns is over"),
        (lambda drive: drive.advance(1 << 63), "beyond the end of simulated time"),
        (lambda drive: drive.advance(1e6), "give whole ns"),
        (lambda drive: drive.advance(-1), "give ns from 0 on"),
        (lambda drive: drive.log(), "open it with log=True"),
    ],
)
def test_time_never_goes_back(call: Callable[[wl.Drive], object], words: str) -> None:
    drive = wl.open(small())
    drive.advance(1000)
    with pytest.raises(RequestError) as caught:
        call(drive)
    assert words in str(caught.value)
    assert drive.now_ns == 1000


@pytest.mark.parametrize(
    ("settings", "flows", "words"),
    [
        ({"host.mode": "closed"}, ("host",), "host.mode = closed: who sends the requests says when"),
        ({"host.duration_s": 1.0}, ("host",), "host.duration_s"),
        ({"precondition.shape": "workload", "precondition.overwrite": 1.0}, ("host",), "precondition.shape"),
        ({}, (), "flows"),
        ({}, "reader", "flows"),
        ({}, ("a", "a"), "flows"),
    ],
)
def test_settings_that_a_stepped_drive_cannot_keep_are_refused(
    settings: dict[str, object], flows: tuple[str, ...], words: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        wl.open(small(**settings), flows=flows)
    assert words in str(caught.value)


def test_a_closed_drive_says_so() -> None:
    with wl.open("mqsim") as drive:
        assert drive.advance(5) == []
    with pytest.raises(RequestError, match="closed"):
        drive.advance(6)
