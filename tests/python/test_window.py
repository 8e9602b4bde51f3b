"""What is measured: the window from the end of the warm-up to the last completion, in bytes, at equilibrium or not."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

import wordline as wl
from wordline.record.versions import current
from wordline.stats.balance import imbalance_of
from wordline.stats.columns import Batches
from wordline.stats.interval import Interval
from wordline.stats.pool import pooled_ratio
from wordline.stats.steady import steady_of_run
from wordline.tables import Columns

SMALL: dict[str, Any] = {
    "ssd.channels": 2,
    "ssd.chips_per_channel": 1,
    "ssd.dies_per_chip": 1,
    "ssd.planes_per_die": 2,
    "ssd.blocks_per_plane": 128,
    "ssd.pages_per_block": 64,
    "ssd.overprovisioning": 0.2,
    "gc.preemptible": True,
    "gc.threshold": 0.1,
    "precondition.fill": 1.0,
    "precondition.overwrite": 2.0,
    "workload.read_ratio": 0.5,
    "workload.read_block_bytes": 8192,
    "workload.write_block_bytes": 8192,
    "host.queue_depth": 8,
}


def run(requests: int, **keys: Any) -> wl.Result:  # noqa: ANN401 - values of keys
    settings = {**SMALL, **{key.replace("__", "."): value for key, value in keys.items()}}
    return wl.run(wl.preset("mqsim").set_all(settings), wl.workload(None, requests=requests))


@pytest.fixture(scope="module")
def warmed() -> wl.Result:
    return run(12_000, host__warmup_requests=4_000)


def test_the_window_and_what_lies_outside_are_the_whole_run(warmed: wl.Result) -> None:
    document = warmed.to_dict()
    window, outside = document["window"], document["outside"]
    assert window["start_s"] == pytest.approx(outside["warmup"]["time_s"])
    assert window["end_s"] + outside["remainder"]["time_s"] == pytest.approx(document["simulated_s"])
    assert outside["warmup"]["counters"]["ftl"]["moved"] > 0
    # The host has written nothing after its last request, and GC still moves pages.
    assert outside["remainder"]["written_bytes"]["host"] == 0
    assert outside["remainder"]["counters"]["ftl"]["moved"] > 0
    assert sum(document["channel_time"]["mean"].values()) == pytest.approx(1.0)
    assert document["die_utilisation"]["max"] <= 1.0


def test_one_count_for_one_thing(warmed: wl.Result) -> None:
    document = warmed.to_dict()
    ftl, controller = document["counters"]["ftl"], document["counters"]["controller"]
    assert document["erase_us"]["count"] == document["gc"]["erases"] == ftl["erases"] == controller["erases"]
    assert document["gc"]["moved_pages"] == ftl["moved"]


def test_the_whole_run_without_a_warm_up_would_say_something_else(warmed: wl.Result) -> None:
    """Half of the requests as a warm-up: senses of that half are not counted."""
    whole = run(12_000).to_dict()
    share = warmed.document["counters"]["controller"]["senses"] / whole["counters"]["controller"]["senses"]
    assert 0.6 < share < 0.75


def test_intervals_have_the_amplification_of_the_window(warmed: wl.Result) -> None:
    columns = warmed.arrays("intervals")
    media, host = (int(columns[f"{who}_written_bytes"].sum()) for who in ("media", "host"))
    assert warmed.write_amplification == pytest.approx(media / host)
    assert (host, media) == (warmed.written_bytes["host"], warmed.written_bytes["media"])


def test_amplification_is_in_bytes() -> None:
    """A write of a quarter of a page programs a whole one."""
    quarter = run(4_000, workload__write_block_bytes=2048, workload__read_ratio=0.0, host__queue_depth=1)
    assert quarter.write_amplification_pages is not None
    assert quarter.write_amplification == pytest.approx(4 * quarter.write_amplification_pages, rel=0.02)
    written = quarter.written_bytes
    assert sum(written["by_cause"].values()) == written["media"]
    assert written["by_cause"]["gc"] > 0
    life = quarter.lifetime(pec=3000)
    flash_bytes = quarter.document["blocks"]["all"] * 64 * 8192
    assert life.tbw_tb * 1e12 == pytest.approx(flash_bytes * 3000 / quarter.write_amplification)
    fresh = run(500, precondition__fill=0.0, precondition__overwrite=0.0, workload__write_block_bytes=2048)
    assert fresh.write_amplification == pytest.approx(4.0, rel=0.05)


def test_a_result_of_version_2_has_its_amplification_in_pages() -> None:
    old = {
        "schema_version": 2,
        "write_amplification": 2.5,
        "simulated_s": 3.0,
        "uncertainty": {"values": {"write_amplification": {"low": 2.0, "high": 3.0}}},
    }
    new = current(old)
    assert (new["write_amplification"], new["write_amplification_pages"]) == (None, 2.5)
    assert new["uncertainty"]["values"]["write_amplification_pages"] == {"low": 2.0, "high": 3.0}
    assert new["window"] == {"start_s": 0.0, "end_s": 3.0}


def test_a_drive_that_lives_on_its_free_blocks_is_not_steady() -> None:
    """It is even, and far from where it will be: nothing of it is known."""
    keys = {"precondition__collected_to": "threshold", "gc__threshold": 0.15}
    result = run(4_000, **keys)
    steady = result.document["steady"]
    assert steady["response_us"]["verdict"] != "steady"
    assert steady["response_us"]["is_balanced"] is False
    assert "free" in steady["write_amplification"]["reason"]
    for path in ("response_us.all.mean", "response_us.all.p99", "iops.all", "write_amplification"):
        found = result.interval(path)
        assert found is None or (found.low, found.high) == (None, None), path


def test_preconditioning_goes_down_to_where_gc_works() -> None:
    long = run(240_000, host__warmup_requests=60_000)
    for requests in (8_000, 16_000):
        short = run(requests)
        assert short.iops == pytest.approx(long.iops, rel=0.2), requests
        assert short.write_amplification == pytest.approx(long.write_amplification, rel=0.2), requests
    # From GC's threshold on the drive lives on its free blocks for a while.
    assert run(8_000, precondition__collected_to="threshold").iops > 1.3 * long.iops
    assert {each["verdict"] for each in long.document["steady"].values()} == {"steady"}
    assert imbalance_of(long.document, Batches.of_run(long.document, long.columns)) is None


def test_filled_once_is_not_steady() -> None:
    """Every page is written, and GC has not begun."""
    result = run(2_000, precondition__overwrite=0.0)
    assert "garbage collection begins below" in result.document["steady"]["response_us"]["reason"]


def test_an_interval_as_wide_as_its_number_is_none() -> None:
    assert Interval(5.0, -1.0, 11.0, "batches", 8).known().to_dict() == {"low": None, "high": None}
    assert Interval(5.0, 1.0, 9.0, "batches", 8).known().to_dict() == {"low": 1.0, "high": 9.0}
    assert Interval(0.0, 0.0, 0.0, "batches", 8).known().to_dict() == {"low": 0.0, "high": 0.0}


def test_seeds_are_pooled() -> None:
    """The percentile of all requests together, and rates over the time of all."""
    config = wl.preset("mqsim").set_all({**SMALL, "workload.read_ratio": 1.0})
    load = wl.workload(None, requests=400)
    seeds = range(1, 11)
    result = wl.replicate(config, load, seeds=seeds, jobs=1)
    alone = [wl.run(config.set_all({"seed": seed}), load) for seed in seeds]
    upper_ns, counts = (result.arrays("bins")[name] for name in ("upper_ns", "count"))
    of_all = [
        (int(u), int(n)) for u, n, op in zip(upper_ns, counts, result.arrays("bins")["op"], strict=True) if op == "all"
    ]
    beyond = sum(n for u, n in of_all if u / 1000.0 > result.all.p99)
    assert beyond <= 0.01 * 4000 < beyond + dict(of_all)[round(result.all.p99 * 1000)]
    assert result.iops == pytest.approx(4000 / sum(400 / each.iops for each in alone))
    interval = result.interval("response_us.all.p99")
    assert interval is not None
    assert interval.method == "seeds"
    assert interval.low is not None
    assert interval.low <= result.all.p99


def test_a_pooled_ratio_is_that_of_the_sums() -> None:
    found = pooled_ratio([1.0, 3.0], [1.0, 2.0])
    assert found.value == pytest.approx(4 / 3)
    assert found.low is not None
    assert found.low < 4 / 3
    assert pooled_ratio([1.0], [2.0]).low is None


def test_noise_that_grows_quiet_is_no_warm_up() -> None:
    """MSER finds its minimum in the second half; there is no trend, so the run is steady and not too short."""
    count, host = 64, 4_000_000
    noise = [(-1) ** place * (0.3 if place < 40 else 0.01) for place in range(count)]
    numbers = {
        "start_ns": [place * 10_000_000 for place in range(count)],
        "reads": [0] * count,
        "writes": [1_000] * count,
        "read_latency_sum_ns": [0] * count,
        "write_latency_sum_ns": [5_000_000] * count,
        "host_written_bytes": [host] * count,
        "media_written_bytes": [round(host * (4.0 + each)) for each in noise],
        "erases": [100] * count,
        "free_blocks": [50] * count,
    }
    columns: Columns = {name: ("uint64", array("Q", values).tobytes(), []) for name, values in numbers.items()}
    document = {
        "window": {"start_s": 0.0, "end_s": 0.64},
        "write_amplification": 4.0,
        "written_bytes": {"erased": 6_400 * 160_000},
        "gc": {"erases": 6_400},
        "blocks": {"planes": 4, "gc_begins_below": 60},
        "precondition": {"erases": 1, "host_pages": 1},
    }
    verdicts = steady_of_run(document, {"intervals": columns, "series": columns})
    assert {each["verdict"] for each in verdicts.values()} == {"steady"}
    # The same with half as many erases lives on its free blocks.
    halved = {**columns, "erases": ("uint64", array("Q", [50] * count).tobytes(), [])}
    few = {**document, "gc": {"erases": 3_200}, "written_bytes": {"erased": 3_200 * 160_000}}
    verdicts = steady_of_run(few, {"intervals": halved, "series": columns})
    assert not any(each["verdict"] == "steady" for each in verdicts.values())
