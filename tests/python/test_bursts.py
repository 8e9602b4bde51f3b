"""Bursts that make slow requests are named; long times are in ms or s; alike warnings come once."""

from __future__ import annotations

from array import array
from io import StringIO

import pytest
from rich.console import Console

import wordline as wl
from api_helpers import small
from wordline.cli import talk
from wordline.output.certainty import time_unit
from wordline.output.compare_table import show as show_points
from wordline.output.table import show
from wordline.stats.bursts import burst_of


def series(counts: list[int], mean_s: list[float]) -> dict[str, tuple[str, bytes, list[str]]]:
    def column(values: list[int]) -> tuple[str, bytes, list[str]]:
        return ("uint64", array("Q", values).tobytes(), [])

    nothing = [0] * len(counts)
    waits = [round(count * mean * 1e9) for count, mean in zip(counts, mean_s, strict=True)]
    starts = [place * 1_000_000_000 for place in range(len(counts))]
    return {
        "start_ns": column(starts),
        "reads": column(counts),
        "writes": column(nothing),
        "read_latency_sum_ns": column(waits),
        "write_latency_sum_ns": column(nothing),
    }


def test_a_burst_is_where_many_wait() -> None:
    counts, means = [10] * 40, [0.001] * 40
    counts[7], means[7] = 2000, 2.0
    burst = burst_of(series(counts, means))
    assert burst is not None
    assert (burst.start_s, burst.requests, burst.bursts) == (7.0, 2000, 1)
    assert burst.mean_s == pytest.approx(2.0)
    assert burst.share > 0.99


def test_evenly_late_requests_and_fast_bursts_are_none() -> None:
    assert burst_of(series([10] * 40, [2.0] * 40)) is None
    counts = [10] * 40
    counts[7] = 2000
    assert burst_of(series(counts, [0.001] * 40)) is None
    means = [0.001] * 40
    means[7] = 2.0
    assert burst_of(series([10] * 40, means)) is None


def test_a_run_says_its_burst() -> None:
    """A thousand writes at once in a quiet trace, on one slow die."""
    times = [k * 1.0 for k in range(60)]
    table = {
        "time_s": [*times, *([30.5] * 2000)],
        "operation": ["write"] * 2060,
        "offset": [4096 * (k % 500) for k in range(2060)],
        "size": [4096] * 2060,
    }
    result = wl.run(small().set_all({"cache.mode": "off"}), wl.trace(table))
    (warning,) = (each for each in result.warnings if "a burst makes the slow requests" in each)
    assert warning.startswith("a burst makes the slow requests: from 31 s on ")
    console = Console(width=160, record=True, file=StringIO())
    show(result.document, console)
    assert "\nmax ms" in console.export_text()


def test_units_follow_the_longest_time() -> None:
    assert time_unit([5.0, None, 99_999.0]) == ("us", 1.0)
    assert time_unit([100_000.0]) == ("ms", 1e-3)
    assert time_unit([1e7, 3.0]) == ("s", 1e-6)
    document = wl.run(small(), "fio/random-read", requests=200).to_dict()
    slow = {
        **document,
        "response_us": {**document["response_us"], "all": {**document["response_us"]["all"], "mean": 2e7}},
    }
    console = Console(width=160, record=True, file=StringIO())
    show_points([({"a": 1}, document), ({"a": 2}, slow)], console)
    text = console.export_text()
    assert "mean s" in text
    assert "20.0" in text


def test_alike_warnings_come_once(capsys: pytest.CaptureFixture[str]) -> None:
    talk.warn_each(["WA is 3.1", "WA is 4.2", "WA is 4.2", "other"])
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].endswith("warning 1 of 2: WA is 3.1 (and so in 1 more row, with other numbers: --json has all)")
    assert lines[1].endswith("warning 2 of 2: other"), "a long one does not hide those after it"


def test_warnings_that_are_the_same_in_short_come_once(capsys: pytest.CaptureFixture[str]) -> None:
    ssd = wl.preset("datacenter-tlc", scale="1/256")
    compared = wl.compare(ssd, "fio/random-read", {"cache.mode": ["write", "off"]}, requests=100, jobs=1)
    texts = [each for point in compared for each in point.result.warnings if each.startswith("ssd.scale")]
    assert len(set(texts)) == 2, "one of them tells of the cache"
    talk.warn_each(texts)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wordline: warning: ssd.scale = 1/256: ")
