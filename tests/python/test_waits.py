"""What reads wait for: closed forms on made-up operations, and the tail of a run."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import wordline as wl
from cli_runner import wordline
from wordline.stats.die_holds import Suspension, holds_of
from wordline.stats.waits import Holds, waits_of
from wordline.waits import ALL_US, dies_of, read_waits

MS = 1_000_000
# A read of one die each ms for 100 s.
ARRIVALS = np.arange(100_000) * float(MS)
ONE = np.ones(len(ARRIVALS))
Slice = tuple[str, int, str, int, int, str]


def holds(start_ms: list[float], length_ms: list[float], cause: str = "erase") -> Holds:
    """Stretches in which a read waits for the end."""
    start, length = (np.array(each, float) * MS for each in (start_ms, length_ms))
    return Holds(start, length, np.zeros(len(start)), np.array([cause] * len(start)))


def test_the_tail_is_the_sum_of_what_is_left_of_each_operation_times_the_rate_of_reads() -> None:
    # Two dies, so each gets a read in 2 ms; 50 erases of 4 ms.
    waits = waits_of(holds(list(range(1_000, 99_000, 1_960)), [4.0] * 50), ARRIVALS, ONE, 2)
    assert waits.beyond(0.0).value == pytest.approx(50 * 4 * 0.5 / 100_000, rel=1e-3)
    assert waits.beyond(3_000.0).value == pytest.approx(50 * 1 * 0.5 / 100_000, rel=1e-3)
    assert waits.mean_us() == pytest.approx(2_000.0)
    # 100 of 100,000 reads are met: half of them wait longer than 2 ms; a millionth is a tenth of a read.
    half, rare, none = waits.percentiles_us(0.9995, 0.999999, 0.9)
    assert half.value == pytest.approx(2_000.0, rel=0.01)
    assert rare.value == pytest.approx(4_000.0 - 0.1 / 25 * 1_000, rel=0.01)
    assert none.value == 0.0
    assert rare.low is not None
    assert rare.low <= rare.value
    assert half.method == "batches"


def test_a_read_that_stops_an_operation_waits_as_long_whenever_it_comes() -> None:
    stopped = Holds(np.array([50_000.0 * MS]), np.array([0.1 * MS]), np.array([3.0 * MS]), np.array(["erase"]))
    waits = waits_of(stopped, ARRIVALS, ONE, 1)
    assert waits.beyond(50.0).value == pytest.approx(3 / 100_000, rel=1e-3)
    assert waits.beyond(101.0).value == 0.0
    assert waits.mean_us() == pytest.approx(100.0)


def test_the_rate_is_that_of_the_time_of_the_operation() -> None:
    late = ARRIVALS / 10 + 90_000 * MS
    early, busy = (waits_of(holds([at], [4.0]), late, ONE, 1).beyond(0.0).value for at in (10_000, 95_000))
    assert early == 0.0, "no read came before"
    assert busy * len(late) == pytest.approx(40, rel=0.01)


def test_reads_that_wait_for_the_same_operation_are_served_one_by_one() -> None:
    alone, behind = (
        waits_of(holds([50_000], [4.0]), ARRIVALS, ONE, 1, service_ns=ns).beyond(2_000.0).value
        for ns in (0.0, 0.2 * MS)
    )
    assert behind == pytest.approx(alone / 0.8, rel=1e-2)


def test_causes_stand_by_themselves() -> None:
    both = Holds.joined(holds([50_000], [4.0]), holds([60_000], [0.4], "user-write"))
    waits = waits_of(both, ARRIVALS, ONE, 1)
    assert waits.of("user-write").beyond(500.0).value == 0.0
    assert waits.of("erase").beyond(500.0).value == waits.beyond(500.0).value
    assert waits.of("internal-read").percentiles_us(0.99)[0].value == 0.0


# An erase of two loops on die 3, of which a read has stopped the first once; then another erase, of one loop.
SLICES: list[Slice] = [
    ("channel", 1, "command", 0, 100, "erase"),
    ("array", 3, "erase pulse", 100, 3_500_000, "erase"),
    ("array", 3, "sense", 1_000_000, 40_000, "user-read"),
    ("array", 3, "erase pulse", 1_040_000, 3_500_000, "erase"),
    ("array", 3, "verify", 4_540_000, 100_000, "erase"),
    ("array", 3, "erase pulse", 4_640_000, 2_000_000, "erase"),
    ("array", 3, "verify", 6_640_000, 100_000, "erase"),
    ("channel", 1, "command", 9_999_900, 100, "erase"),
    ("array", 3, "erase pulse", 10_000_000, 3_500_000, "erase"),
    ("array", 3, "verify", 13_500_000, 100_000, "erase"),
    ("array", 2, "program", 0, 350_000, "internal-write"),
]


def timeline() -> dict[str, Any]:
    """The columns of these slices, in the order in which they began."""
    names = ("track", "index", "name", "start_ns", "duration_ns", "class")
    columns = zip(*sorted(SLICES, key=lambda each: each[3]), strict=True)
    return dict(zip(names, map(np.array, columns), strict=True))


@pytest.mark.parametrize(
    ("rule", "erases"),
    [
        # The whole erase; the read was served within it, by another rule.
        ("none", [(100, 6_740_000 - 100), (10_000_000, 3_600_000)]),
        ("loop", [(100, 999_900), (1_040_000, 3_600_000), (4_640_000, 2_100_000), (10_000_000, 3_600_000)]),
        # Loops that are the last hold the die; of the other its last 0.7 ms.
        ("restart", [(3_940_000, 700_000), (4_640_000, 2_100_000), (10_000_000, 3_600_000)]),
        ("suspend", [(3_940_000, 700_000), (6_040_000, 700_000), (12_900_000, 700_000)]),
    ],
)
def test_what_a_read_waits_for_follows_the_rule_of_suspension(rule: str, erases: list[tuple[int, int]]) -> None:
    found = holds_of(timeline(), Suspension(rule, 700_000.0, 100_000.0))
    waited = [
        (round(start), round(length))
        for start, length, span, cause in zip(found.start_ns, found.length_ns, found.span_ns, found.cause, strict=True)
        if cause == "erase" and span == 0 and length > 0
    ]
    assert sorted(waited) == erases
    assert [(round(length), kind) for length, kind in zip(found.length_ns, found.cause, strict=True)].count(
        (350_000, "internal-write")
    ) == 1
    stops = found.length_ns[found.span_ns > 0]
    assert set(stops) == ({100_000.0} if rule in ("restart", "suspend") else set())


KEYS = {
    "ssd.blocks_per_plane": 64, "ssd.pages_per_block": 132, "gc.hard_threshold": 0.04, "precondition.fill": 1.0,
    "precondition.overwrite": 0.5, "erase.scheme": "ispe", "reliability.pec": 500, "host.time_scale": 0.1,
    "erase.yield": "none",
}  # fmt: skip


def test_the_estimate_agrees_with_what_a_run_has_counted() -> None:
    config = wl.preset("aero").set_all(KEYS)
    result = wl.run(config, wl.workload("msrc/prxy_1", requests=40_000), log_requests=True, timeline_us=ALL_US)
    found = read_waits(result)
    assert dies_of(config) == 16
    by_die, by_chip = (wl.preset("mqsim").set_all({"schedule.unit": unit}) for unit in ("die", "chip"))
    assert dies_of(by_die) == 2 * dies_of(by_chip)
    counted, estimated = found.counted_us["p999"], found.response_us["p999"].value
    assert counted is not None
    assert estimated == pytest.approx(counted, rel=0.1)
    assert found.counted_us["p999999"] is None
    # The longest wait is a whole erase: a pulse of 3.5 ms and a verify, in some blocks two.
    last = found.response_us["p999999"].value - found.unhindered_us
    assert 3_500.0 < last <= 7_210.0


def test_what_has_no_estimate_is_an_error() -> None:
    config = wl.preset("aero").set_all({**KEYS, "host.mode": "closed", "host.queue_depth": 4})
    closed = wl.run(config, wl.workload("msrc/prxy_1", requests=100), log_requests=True, timeline_us=ALL_US)
    with pytest.raises(ValueError, match="closed"):
        read_waits(closed)
    writes = wl.run(
        wl.preset("aero"), wl.workload("fio/random-write", requests=50), log_requests=True, timeline_us=ALL_US
    )
    with pytest.raises(ValueError, match=r"no reads|closed"):
        read_waits(writes)


def test_on_the_command_line() -> None:
    sets = [part for key, value in KEYS.items() for part in ("--set", f"{key}={value}")]
    asked = ("explain", "waits", "aero", "--workload", "msrc/prxy_1", *sets, "--set", "workload.requests=3000")
    told = wordline(*asked, "--json")
    assert told.code == 0, told.err
    document = json.loads(told.out)
    assert document["causes"][0]["name"] == "erases"
    assert document["response_us"]["p999"]["low"] <= document["response_us"]["p999"]["value"]
    refused = wordline(*asked, "--set", "host.mode=closed")
    assert (refused.code, refused.out) == (2, "")
    assert "closed" in refused.err
