"""Writes that are fast until so much is written, and figures over what is written."""

from __future__ import annotations

import pytest

import wordline as wl
from api_helpers import small
from test_bursts import series
from wordline.output.plot.run import bands, throughput
from wordline.stats.phases import phases_of, warnings_of_phases


def writes(mb: list[int]) -> dict[str, tuple[str, bytes, list[str]]]:
    """Samples of a second, each with so many MB, in which a write is always outstanding."""
    column = series([each * 1_000_000 for each in mb], [0.0] * len(mb))["reads"]
    waits = series([1] * len(mb), [1.0 if each else 0.0 for each in mb])["read_latency_sum_ns"]
    return {**series([1] * len(mb), [0.0] * len(mb)), "write_bytes": column, "write_latency_sum_ns": waits}


def test_a_drop_is_told_with_what_was_written() -> None:
    phases = phases_of(writes([400] * 20 + [100] * 30))
    assert phases is not None
    assert (phases.fast_mb_s, phases.slow_mb_s) == pytest.approx((400.0, 100.0))
    assert phases.written_bytes == 20 * 400_000_000
    assert phases.back_after_s is None
    (line,) = warnings_of_phases({"series": writes([400] * 20 + [100] * 30)}, 0.25)
    assert "400 MB/s until 32 GB of the whole drive are written, then 100 MB/s" in line


def test_a_rate_that_falls_once_more_is_a_third_phase() -> None:
    columns = writes([4000] * 20 + [1300] * 30 + [600] * 10 + [700] * 10)
    phases = phases_of(columns)
    assert phases is not None
    assert (phases.fast_mb_s, phases.slow_mb_s, phases.third_mb_s) == pytest.approx((4000, 1300, 650), rel=0.02)
    assert (phases.written_bytes, phases.third_after_bytes) == (80_000 * 10**6, 119_000 * 10**6)
    (line,) = warnings_of_phases({"series": columns}, 1 / 64)
    assert line.startswith(
        "writes have three phases, of which rates over the run are a mean: 4,000 MB/s until 5,120 GB"
    )
    assert "of the whole drive are written, then 1,300 MB/s until 7,616 GB, then 65" in line
    assert line.endswith(" MB/s in the mean")


def test_a_write_cache_that_fills_first_is_no_phase() -> None:
    phases = phases_of(writes([6800] * 2 + [3900, 4000] * 25 + [1200] * 60))
    assert phases is not None
    assert (phases.fast_mb_s, phases.slow_mb_s) == pytest.approx((3950.0, 1200.0), rel=0.01)
    assert phases.written_bytes == (2 * 6800 + 25 * 7900) * 1_000_000


def test_writes_that_are_fast_again_are_told_with_the_time() -> None:
    phases = phases_of(writes([400] * 20 + [100] * 30 + [400] * 20))
    assert phases is not None
    assert phases.back_after_s == 30.0


def test_a_pause_of_the_host_does_not_count() -> None:
    rates = [4000] * 10 + [1310] * 15 + [700] + [0] * 30 + [2000] + [4000] * 10 + [1310] * 15
    phases = phases_of(writes(rates))
    assert phases is not None
    assert phases.slow_mb_s == pytest.approx(1310.0)
    assert phases.pause_s == pytest.approx(32 - 700 / 1310 - 0.5)
    assert phases.back_bytes == (2000 + 10 * 4000) * 1_000_000
    (line,) = warnings_of_phases({"series": writes(rates)}, 1 / 64)
    assert line.endswith("then 1,310 MB/s, and fast again for 2,688 GB after a pause of this part of 31 s")


def test_a_pause_that_won_little_is_told_with_the_little_that_was_fast() -> None:
    rates = [4000] * 10 + [1310] * 15 + [0] * 3 + [4000] * 3 + [1310] * 30
    (line,) = warnings_of_phases({"series": writes(rates)}, 1)
    assert line.endswith("and fast again for 12 GB after a pause of 3 s")
    still_slow = [4000] * 10 + [1310] * 15 + [0] * 3 + [1310] * 30
    (line,) = warnings_of_phases({"series": writes(still_slow)}, 1)
    assert line.endswith("then 1,310 MB/s")


def test_a_gap_in_which_writes_wait_counts() -> None:
    rates = [400] * 20 + [90, 90, 0] * 10 + [90] * 10
    latency_s = [1.0] * 20 + [3.0, 1.0, 0.0] * 10 + [3.0] + [1.0] * 9
    waits = series([1] * len(rates), latency_s)["read_latency_sum_ns"]
    phases = phases_of({**writes(rates), "write_latency_sum_ns": waits})
    assert phases is not None
    assert 60.0 < phases.slow_mb_s < 75.0


def test_cycles_of_a_few_samples_are_fast_again() -> None:
    cycle = [2070, *[160] * 14, 2400, 4000, 2580]
    phases = phases_of(writes([4070, 4000, *cycle, *[160] * 14]))
    assert phases is not None
    assert (phases.fast_mb_s, phases.slow_mb_s) == pytest.approx((4035.0, 160.0))
    assert phases.written_bytes == pytest.approx(8070e6 + 1990e6, rel=0.01)
    assert phases.back_after_s == pytest.approx(14.9, abs=0.1)


def test_steady_writes_have_one_phase() -> None:
    assert phases_of(writes([400, 380] * 30)) is None
    assert phases_of(writes([0] * 60)) is None
    assert phases_of(writes([400] * 10)) is None


def test_the_rate_of_a_host_that_seldom_writes_has_no_phases() -> None:
    columns = writes([400] * 20 + [100] * 30)
    seldom = series([1] * 50, [0.1] * 50)["read_latency_sum_ns"]
    assert phases_of(columns) is not None
    assert phases_of({**columns, "write_latency_sum_ns": seldom}) is None


def test_an_slc_cache_has_two_phases() -> None:
    result = wl.run("consumer-tlc", "fio/sequential-write", scale="1/512", requests="12k")
    (line,) = (each for each in result.warnings if "writes have two phases" in each)
    assert " GB of the whole drive are written" in line


def test_figures_go_over_what_is_written() -> None:
    result = wl.run(small(), "fio/random-write", requests=4000)
    written_gb = result.written_bytes["host"] / 1e9
    axes = result.plot.throughput(over="written")
    assert axes.get_xlabel() == "Written by the host (GB)"
    assert 0.5 * written_gb < axes.lines[0].get_xdata()[-1] <= 1.01 * written_gb
    line = result.plot.over_time("write_amplification", over="written").lines[0]
    assert list(line.get_xdata()) == sorted(line.get_xdata())
    with pytest.raises(ValueError, match="time or written"):
        result.plot.throughput(over="bytes")  # type: ignore[arg-type]


def test_samples_are_joined_but_not_across_a_step() -> None:
    rates = [400.0 + k % 2 for k in range(500)] + [100.0] * 500
    parts = bands([float(k) for k in range(1001)], [*rates, rates[-1]])
    assert len(parts) < 150
    assert all(each.high - each.low <= 1.0 for each in parts)
    assert any(each.start_s == 500.0 for each in parts)
    assert (parts[0].low, parts[0].high) == (400.0, 401.0)


def test_a_last_sample_of_a_moment_is_left_out() -> None:
    columns = {"start_ns": [0, 10**9, 2 * 10**9], "read_bytes": [10**6, 10**6, 10**3]}
    assert throughput(columns, "read", 2.01) == ([0.0, 1.0, 2.0], [1.0, 1.0, 1.0])
    assert len(throughput(columns, "read", 3.0)[0]) == 4
