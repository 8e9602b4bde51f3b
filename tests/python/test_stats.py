"""Intervals, warm-up and verdicts against processes whose truth is known."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest

import wordline as wl
from api_helpers import small
from wordline import stats
from wordline.stats import beyond
from wordline.stats.columns import PERCENTILES
from wordline.stats.distributions import binomial_limits, student_quantile
from wordline.stats.interval import Interval
from wordline.stats.percentile import Histogram, percentile_interval
from wordline.stats.ratio import ratio_interval
from wordline.stats.steady import drift_of
from wordline.stats.warmup import batched, mser

BITS = ["0x1.2da0160902fb3p+3", "0x1.3c2f0b0a16787p+3"]
Process = Callable[[np.random.Generator, int], np.ndarray]


def independent(random: np.random.Generator, count: int) -> np.ndarray:
    """Normal values of mean 10."""
    return 10.0 + random.standard_normal(count)


def autoregressive(random: np.random.Generator, count: int) -> np.ndarray:
    """AR(1) of mean 10 and coefficient 0.9, stationary from its first value on."""
    steps = random.standard_normal(count)
    steps[0] /= math.sqrt(1 - 0.81)
    return 10.0 + np.array(list(accumulate(steps, lambda before, step: 0.9 * before + step)))


@pytest.mark.parametrize(("freedom", "quantile"), [(1, 12.706), (2, 4.303), (4, 2.776), (10, 2.228), (63, 1.998)])
def test_student_s_quantiles_are_those_of_the_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(0.975, freedom) == pytest.approx(quantile, abs=6e-4)


@pytest.mark.parametrize(("trials", "share"), [(20, 0.5), (1000, 0.01), (50, 0.001), (300, 0.9)])
def test_binomial_limits_are_exact(trials: int, share: float) -> None:
    mass = [math.comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(trials + 1)]
    below = list(accumulate(mass))
    low, high = binomial_limits(trials, share, 0.95)
    assert low == max((k for k in range(trials) if below[k] <= 0.025 + 1e-12), default=-1)
    assert high == next(k for k in range(trials + 1) if below[k] >= 0.975 - 1e-12)


def test_a_large_mean_takes_the_normal_distribution() -> None:
    low, high = binomial_limits(10_000, 0.5, 0.95)
    assert (low, high) == pytest.approx((4901, 5098), abs=2)


@pytest.mark.parametrize("process", [independent, autoregressive])
def test_the_interval_of_a_mean_covers_it_in_19_cases_of_20(process: Process) -> None:
    random, held = np.random.default_rng(1), 0
    for _ in range(600):
        sums = process(random, 64 * 100).reshape(64, 100).sum(axis=1)
        found = ratio_interval(list(sums), [100] * 64)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 10.0 <= found.high
    assert 0.92 <= held / 600 <= 0.985


@pytest.mark.parametrize(("process", "sigma"), [(independent, 1.0), (autoregressive, 1 / math.sqrt(0.19))])
@pytest.mark.parametrize(("share", "z"), [(0.5, 0.0), (0.99, 2.3263)])
def test_the_interval_of_a_percentile_covers_it(process: Process, sigma: float, share: float, z: float) -> None:
    random, held, truth = np.random.default_rng(2), 0, 10.0 + z * sigma
    for _ in range(300):
        values = process(random, 64 * 250)
        ordered = np.sort(values)
        value = ordered[math.ceil(share * len(values)) - 1]
        over = [int(each) for each in (values.reshape(64, 250) > value).sum(axis=1)]
        histogram = Histogram(list(ordered), [1] * len(values))
        found = percentile_interval(float(value), share, histogram, over, [250] * 64)
        assert found is not None
        held += (found.low or -math.inf) <= truth <= (found.high or math.inf)
    assert 0.92 <= held / 300 <= 1.0


def test_independent_samples_give_the_order_statistics_themselves() -> None:
    values = np.arange(1.0, 1001.0)
    # As even over the batches as it can be: no sign of dependence.
    over = [1 if place % 6 == 0 else 0 for place in range(60)]
    found = percentile_interval(990.0, 0.99, Histogram(list(values), [1] * 1000), over, [1000 // 60] * 60)
    low, high = binomial_limits(1000, 0.01, 0.95)
    assert found == Interval(990.0, 1000.0 - high, 1000.0 - low, "batches", 60)


def test_a_percentile_beyond_the_last_sample_has_no_upper_end() -> None:
    found = percentile_interval(200.0, 0.999, Histogram(list(range(1, 201)), [1] * 200), [0] * 20, [10] * 20)
    assert found is not None
    assert found.high is None
    assert found.relative_half_width == math.inf


def make_up(random: np.random.Generator, count: int) -> np.ndarray:
    """What one value has too much, the next has too little; the rest is small and independent."""
    put_off = random.standard_normal(count + 1)
    return 10.0 + put_off[1:] - put_off[:-1] + 0.4 * random.standard_normal(count)


def test_batches_that_make_up_for_each_other_have_a_narrow_interval() -> None:
    random, held, halves, distances = np.random.default_rng(4), 0, [], []
    for _ in range(400):
        values = make_up(random, 64)
        made = ratio_interval(list(values), [1] * 64)
        assert made is not None
        assert made.low is not None
        assert made.high is not None
        held += made.low <= 10.0 <= made.high
        halves.append((made.high - made.low) / 2)
        distances.append(abs(values.mean() - 10.0))
    assert 0.93 <= held / 400 <= 0.985
    # As it would be if the distances were known, or half as wide again.
    assert 1.0 <= np.mean(halves) / np.quantile(distances, 0.95) <= 1.5


def test_what_a_change_of_state_explains_is_no_chance() -> None:
    """A run that begins with a burst: it frees what the time before has put off."""
    random = np.random.default_rng(5)
    state = random.standard_normal(64)
    state[0] -= 30.0
    values = list(10.0 - 3.0 * state + 0.1 * random.standard_normal(64))
    plain, controlled = (ratio_interval(values, [1] * 64, state=each) for each in (None, list(state)))
    for each in (plain, controlled):
        assert each is not None
        assert each.low is not None
        assert each.high is not None
        assert each.low <= 10.0 <= each.high
        # The number itself is never outside.
        assert each.low <= each.value <= each.high
    assert controlled.high - controlled.low < (plain.high - plain.low) / 2  # type: ignore[union-attr, operator]


def test_a_state_that_stays_explains_nothing() -> None:
    values = list(make_up(np.random.default_rng(6), 64))
    assert ratio_interval(values, [1] * 64, state=[5.0] * 64) == ratio_interval(values, [1] * 64)


def test_intervals_have_the_same_bits_on_every_machine() -> None:
    """Python's `sum` of floats changed with 3.12, and its trigonometric functions are those of the platform."""
    values = [10.0 + (place * 37 % 64) / 7.0 for place in range(64)]
    mean = ratio_interval(values, [1.5] * 64, state=[float(place * 11 % 5) for place in range(64)])
    assert mean is not None
    assert [each.hex() for each in (mean.low, mean.high) if each is not None] == BITS
    allowed = {"sqrt", "fsum", "ceil", "floor", "inf", "isfinite", "nan"}
    for file in sorted(Path(stats.__file__).parent.glob("*.py")):
        used = set(re.findall(r"math\.(\w+)", file.read_text(encoding="utf-8")))
        assert used <= allowed, (
            f"{file.name}: {used - allowed} differ between machines; crates/wordline-run/src/statistics"
        )


def test_too_few_batches_have_no_interval() -> None:
    assert ratio_interval([1.0] * 7, [1] * 7) is None
    assert ratio_interval([0.0] * 20, [0] * 20) is None


def test_a_percentile_of_a_few_clusters_is_not_known() -> None:
    """Twenty values lie beyond it, but in three busy periods: other runs would have one, or eight."""
    counts = [0] * 61 + [9, 6, 5]
    bulk = Histogram([1.0, 2.0, 3.0], [19_000, 980, 20])
    clustered = percentile_interval(2.0, 0.999, bulk, counts, [312] * 32 + [313] * 32)
    assert clustered is not None
    assert (clustered.low, clustered.high) == (None, None)
    spread = [1, 0, 0] * 20 + [0] * 4
    known = percentile_interval(2.0, 0.999, bulk, spread, [312] * 32 + [313] * 32)
    assert known is not None
    assert known.low == 2.0


@pytest.mark.parametrize(
    ("requests", "name", "samples"),
    [(50_000, "p9999", 5), (2000, "p999999", 0), (1_000_000, "p9999", 100), (10_000, "p99", 100)],
)
def test_samples_beyond_a_percentile(requests: int, name: str, samples: int) -> None:
    assert beyond(requests, name) == samples


def test_mser_finds_the_end_of_a_warm_up() -> None:
    random = np.random.default_rng(3)
    values = [*(5.0 + random.standard_normal(100)), *random.standard_normal(400)]
    found = mser(values)
    assert found.is_found
    assert 95 <= found.batches <= 115
    steady = [mser(list(random.standard_normal(500))).batches for _ in range(50)]
    assert np.median(steady) < 25


def test_mser_says_when_a_run_is_too_short() -> None:
    assert not mser([float(place) for place in range(100)]).is_found
    assert not mser([1.0]).is_found


def test_batches_hold_five_requests() -> None:
    made = batched([10.0, 30.0, 5.0, 100.0, 8.0], [1, 5, 1, 10, 1])
    assert made == [(40.0 / 6, 6), (113.0 / 12, 12)]


def test_a_run_has_intervals_that_other_seeds_fall_into() -> None:
    config = wl.preset("pnar2", pec=1000, retention_months=3)
    workload = wl.workload("fio/random-read", requests=20_000)
    first = wl.run(config, workload)
    interval = first.interval("response_us.read.mean")
    assert interval is not None
    assert interval.low is not None
    assert interval.high is not None
    assert 0 < interval.relative_half_width < 0.1
    assert first.interval("die_utilisation.mean") is None
    assert set(first.document["uncertainty"]["values"]["response_us"]["read"]) <= {"mean", *PERCENTILES}


def test_a_new_drive_under_writes_is_said_to_be_one() -> None:
    fresh = wl.run(wl.preset("pnar2"), wl.workload("fio/random-write", requests=2000))
    assert fresh.document["steady"]["write_amplification"]["verdict"] == "too short"
    assert any("the drive is factory-fresh and" in each for each in fresh.warnings)
    reads = wl.run(wl.preset("pnar2"), wl.workload("fio/random-read", requests=2000))
    assert reads.document["steady"]["write_amplification"] is None
    assert not any("factory-fresh" in each for each in reads.warnings)


def test_a_full_drive_without_garbage_collection_is_as_fast_as_a_new_one_and_says_so(tmp_path: Path) -> None:
    full, load = small().set("precondition.fill", 0.9), wl.workload("fio/random-write", requests=100)
    told = [each for each in wl.run(full, load).warnings if "garbage collection has not begun" in each]
    assert [each.startswith("the drive holds data, but") for each in told] == [True]
    # A drive that earlier runs have used is neither.
    state = tmp_path / "used.drive"
    used = wl.run(full, wl.workload("fio/random-write", requests=30_000), save_state=state)
    assert used.document["gc"]["erases"]
    after = wl.run(full, wl.workload("fio/random-write", requests=100, seed=7), load_state=state)
    assert not any("garbage collection has not begun" in each for each in after.warnings)


def test_a_drift_is_told_in_the_numbers_own_unit() -> None:
    decay = [1000.0 * math.exp(-place / 8.0) for place in range(64)]
    told = drift_of(decay, " us")
    assert told["verdict"] == "drifting"
    first, last = (sum(part) / 16 for part in (decay[:16], decay[-16:]))
    words = f"it goes from {first:.0f} us in the first quarter of the run to {last:.3g} us in the last"
    assert told["reason"] == words
    assert "%" not in told["reason"], "the line through a curve changes by more than its mean"


def test_a_drift_that_chance_hides_is_not_known() -> None:
    random = np.random.default_rng(5)
    wild = [drift_of(list(random.exponential(1.0, 12) ** 3)) for _ in range(200)]
    hidden = [each for each in wild if each["verdict"] == "too short"]
    assert len(hidden) > 100
    assert all(each["drift"] is None or abs(each["drift"]) < 1.0 for each in hidden)
    assert sum(each["drift"] is None for each in hidden) > len(hidden) / 2
    assert all(("not known" in each["reason"]) == (each["drift"] is None) for each in hidden)
    calm = drift_of([10.0, 11.0, 9.0, 12.0, 8.0, 11.0, 10.0, 13.0, 9.0, 12.0, 11.0, 13.0])
    assert calm["verdict"] == "too short"
    assert calm["reason"].startswith("a change of +")
    assert "±" in calm["reason"]


def test_one_burst_in_the_middle_is_no_level_run() -> None:
    told = drift_of([1.0] * 12 + [5.8, 33.2, 30.7, 5.8] + [1.0] * 12)
    assert (told["verdict"], told["drift"]) == ("too short", None)
    assert "varies so much" in told["reason"]


def test_equal_batches_have_no_width() -> None:
    counts = [3, 7, 11, 5, 9, 13, 2, 8, 6, 4]
    interval = ratio_interval([88.9 * count for count in counts], counts)
    assert interval is not None
    assert interval.low == interval.high == interval.value
