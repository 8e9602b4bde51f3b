"""Several drives under one clock: where stripes lie, what a slow drive does, scaling, a common link, mistakes."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import wordline as wl
from api_helpers import small
from wordline.errors import ConfigError, RequestError
from wordline.held import JobTimes, Op

KIB = 1024


def drives(count: int, **settings: object) -> list[wl.Config]:
    """Small SSDs that differ by their seeds."""
    return [small(seed=seed + 1, **settings) for seed in range(count)]


def where(ssds: list[wl.Config], chunk_bytes: int, op: Op) -> list[tuple[str, int, int]]:
    """Which ranges of which drives an operation touches."""
    array = wl.open(ssds, chunk_bytes=chunk_bytes, log=True)
    array.submit(0, [op])
    array.advance()
    return [
        (name, offset, length) for name, drive in array.drives.items() for _, _, offset, length, _, _ in drive.log()
    ]


def test_chunks_of_one_operation_are_one_range_on_each_drive() -> None:
    three = drives(3)
    assert where(three, 4 * KIB, ("read", 0, 4 * KIB)) == [("0", 0, 4 * KIB)]
    assert where(three, 4 * KIB, ("read", 5 * KIB, 2 * KIB)) == [("1", KIB, 2 * KIB)]
    assert where(three, 4 * KIB, ("read", 2 * KIB, 12 * KIB)) == [
        ("0", 2 * KIB, 4 * KIB),
        ("1", 0, 4 * KIB),
        ("2", 0, 4 * KIB),
    ]
    assert where(three, 4 * KIB, ("flush", 0, 0)) == [("0", 0, 0), ("1", 0, 0), ("2", 0, 0)]


def test_every_byte_of_an_operation_is_asked_of_one_drive_once() -> None:
    draw = random.Random(1)  # noqa: S311
    for _ in range(40):
        count, chunk = draw.randint(1, 5), 512 * draw.randint(1, 9)
        offset, length = 512 * draw.randrange(500), 512 * draw.randint(1, 200)
        expected: dict[tuple[str, int], int] = {}
        for sector in range(offset, offset + length, 512):
            stripe, rest = divmod(sector, chunk)
            expected[str(stripe % count), stripe // count * chunk + rest] = 1
        array = wl.open(drives(count), chunk_bytes=chunk, log=True)
        array.submit(0, [("read", offset, length)])
        seen: dict[tuple[str, int], int] = {}
        for name, drive in array.drives.items():
            for _, _, first, size, _, _ in drive.log():
                for sector in range(first, first + size, 512):
                    seen[name, sector] = seen.get((name, sector), 0) + 1
        assert seen == expected


def test_one_drive_in_an_array_is_that_drive() -> None:
    ops: list[Op] = [("write", 4096 * (at * 37 % 500), 4096) for at in range(200)]
    alone, array = wl.open(small()), wl.open([small()])
    assert alone.submit(0, ops) == array.submit(0, ops)
    assert sorted(alone.advance()) == sorted(array.advance())
    assert array.now_ns == alone.now_ns


def test_a_job_ends_with_its_slowest_part() -> None:
    """One of two drives is slow: a job over both takes as long as that one."""
    fast, slow = small(), small(**{"nand.read_us": [5000, 5000]})
    array = wl.open([fast, slow], chunk_bytes=4 * KIB)
    array.submit(0, [("read", 0, 4 * KIB), ("read", 0, 8 * KIB), ("read", 4 * KIB, 4 * KIB)])
    done = {job: done_ns for job, done_ns, _ in array.advance()}
    assert done[0] < 1_000_000 < 5_000_000 < done[2]
    assert done[1] > 5_000_000


def slow_share(count: int, share: float, rounds: int) -> float:
    """How many of the jobs over all drives are slow, where each drive is busy at that moment with a probability."""
    chunk, gap_ns = 8 * KIB, 20_000_000
    array, draw = wl.open(drives(count), chunk_bytes=chunk), random.Random(count)  # noqa: S311
    slow = 0
    for at_ns in range(0, rounds * gap_ns, gap_ns):
        busy = [place for place in range(count) if draw.random() < share]
        array.submit(at_ns, [[("read", (page * count + place) * chunk, chunk) for page in range(64)] for place in busy])
        (wide,) = array.submit(at_ns + 1000, [("read", 0, count * chunk)])
        times = {job: done_ns for job, done_ns, _ in array.advance(at_ns + gap_ns - 1)}
        slow += times[wide] - at_ns > 400_000
    return slow / rounds


def test_the_tail_of_wide_jobs_is_that_of_independent_parts() -> None:
    """If a part is slow with p, a job over N drives is slow with 1 - (1 - p)^N."""
    share, rounds = 0.1, 300
    for count in (1, 4, 16):
        assert slow_share(count, share, rounds) == pytest.approx(1 - (1 - share) ** count, abs=0.08), count
    assert slow_share(4, 0.0, 5) == 0.0


def test_two_and_four_drives_read_two_and_four_times_as_much() -> None:
    """Random reads of one page at a fixed depth a drive, without a common link."""
    pages, chunk = 8000, 16 * KIB

    def reads_per_s(count: int) -> float:
        array = wl.open(drives(count), chunk_bytes=chunk)
        draw = random.Random(3)  # noqa: S311
        ops: list[Op] = [("read", draw.randrange(1500 * count) * chunk, 8 * KIB) for _ in range(pages * count)]
        array.submit(0, ops)
        done = array.advance()
        return len(done) / max(done_ns for _, done_ns, _ in done)

    one = reads_per_s(1)
    assert reads_per_s(2) / one == pytest.approx(2, rel=0.02)
    assert reads_per_s(4) / one == pytest.approx(4, rel=0.02)


def test_a_common_link_limits_reads_and_delays_writes() -> None:
    ops: list[Op] = [("read", at << 16, 64 * KIB) for at in range(64)]
    array = wl.open(drives(4), chunk_bytes=16 * KIB, link_mb_per_s=10)
    array.submit(0, ops)
    done = [done_ns for _, done_ns, _ in array.advance()]
    per_job_ns = 64 * KIB * 1_000_000_000 // 10_000_000
    assert done[-1] >= 64 * per_job_ns
    gaps = [later - sooner for sooner, later in pairwise(done)]
    assert all(abs(gap - per_job_ns) <= 1 for gap in gaps[8:])
    began = array.now_ns
    array.submit(began, [("write", 0, 64 * KIB)])
    ((_, done_ns, _),) = array.advance()
    assert done_ns >= began + per_job_ns


def test_the_link_carries_what_is_there_while_drives_read_the_rest() -> None:
    """A job of many reads takes the link's time and about one read more, not the drives' time and then the link's."""
    ops: list[Op] = [("read", at << 16, 64 * KIB) for at in range(64)]

    def time_ns(link_mb_per_s: float) -> int:
        array = wl.open(drives(2), chunk_bytes=64 * KIB, link_mb_per_s=link_mb_per_s)
        array.submit(0, [ops])
        ((_, done_ns, _),) = array.advance()
        return done_ns

    unlimited = time_ns(0)
    link_ns = 64 * 64 * KIB * 1_000_000_000 // 200_000_000
    assert unlimited > link_ns / 4, "the drives take a good part of the time"
    assert link_ns <= time_ns(200) < link_ns + unlimited / 4


def test_a_numpy_array_is_what_tuples_are() -> None:
    kind = np.dtype([("operation", "U5"), ("offset", "u8"), ("length", "u4"), ("job", "u4")])
    ops = [("write" if at % 3 else "read", at * 12 * KIB, 20 * KIB) for at in range(40)]
    rows = np.array([(*op, place // 4) for place, op in enumerate(ops)], dtype=kind)
    one, two = (wl.open(drives(3), chunk_bytes=8 * KIB, link_mb_per_s=500) for _ in range(2))
    assert one.submit(0, rows) == two.submit(0, [ops[at : at + 4] for at in range(0, 40, 4)]) == range(10)
    assert one.advance() == two.advance()
    with pytest.raises(RequestError, match="no list of jobs"):
        one.submit(one.now_ns, 7)  # type: ignore[arg-type]


def test_forks_of_an_array_differ_only_by_what_they_are_told() -> None:
    array = wl.open(drives(3), chunk_bytes=8 * KIB, link_mb_per_s=50)
    ops: list[Op] = [("write" if at % 2 else "read", at * 12 * KIB, 20 * KIB) for at in range(60)]
    array.submit(0, ops)
    done = array.advance(8_000_000)
    assert 0 < array.under_way < 60
    twin, other = array.fork(), array.fork()
    other.submit(other.now_ns, [("write", at * 8 * KIB, 8 * KIB) for at in range(300)])
    other.advance()
    while (event := array.next_event()) is not None:
        assert event >= array.now_ns
        done += array.advance(event)
    assert array.next_event() is None
    assert len(done) == 60
    rest = twin.advance()
    assert rest == done[-len(rest) :]
    assert twin.result().jobs == array.result().jobs


def test_answers_do_not_depend_on_the_size_of_a_step() -> None:
    def session(step_ns: int) -> list[tuple[int, int, str]]:
        array = wl.open(drives(3), chunk_bytes=8 * KIB, link_mb_per_s=200)
        done = []
        for at in range(0, 20_000_000, 1_000_000):
            array.submit(at, [[("write", at % 7919 * 512, 24 * KIB)], ("read", at % 5003 * 512, 12 * KIB)])
            for until in range(at + step_ns, at + 1_000_000, step_ns):
                done += array.advance(until)
        return done + array.advance()

    assert session(999_999) == session(33_333)


def test_results_and_states_of_all_drives(tmp_path: Path) -> None:
    shards = {"data": small(), "log": small()}
    array = wl.open(shards)
    array.submit(0, [("write", 0, 4096)] * 3, shard="data")
    array.submit(0, [("write", 4096, 4096)], shard="log")
    array.advance()
    result = array.result()
    assert result.jobs.count == 4
    assert {name: each.to_dict()["requests"]["write"] for name, each in result.drives.items()} == {"data": 3, "log": 1}
    array.mark()
    assert array.result().jobs == JobTimes(0, None, None, None, None, None)
    array.save(tmp_path)
    again = wl.open(shards, state=tmp_path)
    again.submit(0, [("read", 0, 4096)], shard="log")
    assert len(again.advance()) == 1


@pytest.mark.parametrize(
    ("open_it", "words"),
    [
        (lambda: wl.open([]), "at least one drive"),
        (lambda: wl.open(drives(2), chunk_bytes=1000), "multiple of 512"),
        (lambda: wl.open({"a": small()}, chunk_bytes=4096), "striped"),
        (lambda: wl.open(small(), chunk_bytes=4096), "an array"),  # type: ignore[call-overload]
        (lambda: wl.open(drives(2), link_mb_per_s=-1), "link_mb_per_s"),
        (lambda: wl.open(7), "no configuration"),  # type: ignore[call-overload]
    ],
)
def test_arrays_that_make_no_sense_are_refused(open_it: object, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_it()  # type: ignore[operator]
    assert words in str(caught.value)


def test_operations_that_make_no_sense_reach_no_drive() -> None:
    striped, shards = wl.open(drives(2), log=True), wl.open({"a": small(), "b": small()})
    for ops, words in (
        ([("read", 0, 4096), ("read", 1, 512)], "multiples of 512"),
        ([("read", 0, 4096, 1)], "flow 1 does not exist"),
        ([[]], "one operation or more"),
    ):
        with pytest.raises(RequestError) as caught:
            striped.submit(0, ops)  # type: ignore[arg-type]
        assert words in str(caught.value)
    assert all(drive.log() == [] for drive in striped.drives.values())
    with pytest.raises(RequestError, match="striped"):
        striped.submit(0, [("read", 0, 512)], shard="0")
    with pytest.raises(RequestError, match="name one of a, b"):
        shards.submit(0, [("read", 0, 512)])
    striped.advance(1000)
    with pytest.raises(RequestError, match="never goes back"):
        striped.submit(999, [("read", 0, 512)])
