"""What results say of each of several flows, and of one that arrives faster than it is served."""

from __future__ import annotations

import re
from io import StringIO

import jsonschema
import pytest
from rich.console import Console

import wordline as wl
from api_helpers import small
from wordline.output.table import show
from wordline.record.schema import result_schema
from wordline.stats import interval_of


@pytest.fixture(scope="module")
def shared() -> wl.Result:
    """Reads all the time, and writes for a part of it."""
    return wl.run(
        small(),
        [
            wl.Flow("reader", wl.workload("fio/random-read", requests=6_000), mode="closed", queue_depth=2),
            wl.Flow("writer", wl.workload("fio/random-write", requests=400), mode="closed", queue_depth=4),
        ],
    )


def test_the_numbers_of_flows_add_up(shared: wl.Result) -> None:
    document = shared.to_dict()
    flows = document["flows"]
    assert list(flows) == ["reader", "writer"]
    for op in ("all", "read", "write"):
        assert sum(each["requests"][op] for each in flows.values()) == document["requests"][op]
    for name, each in flows.items():
        assert each["response_us"]["all"]["p99"] == document["response_us"]["flows"][name]["p99"]
        assert each["iops"]["all"] == pytest.approx(each["requests"]["all"] / each["time_s"])
        assert each["bandwidth_mb_s"]["all"] > 0
    assert jsonschema.Draft202012Validator(result_schema()).is_valid(document)


def test_rates_are_over_the_flow_s_own_time(shared: wl.Result) -> None:
    """The writer ends early: over the whole run its rate would be less."""
    document = shared.to_dict()
    writer = document["flows"]["writer"]
    assert writer["time_s"] < 0.8 * document["window"]["end_s"]
    assert writer["iops"]["write"] > 1.2 * document["iops"]["write"]


def short_flows(result: wl.Result) -> list[str]:
    """The warnings about flows that end before the others."""
    return [each for each in result.warnings if "of the run's time" in each]


def test_a_flow_that_ends_in_the_first_half_of_the_run_is_named(shared: wl.Result) -> None:
    flows = shared.document["flows"]
    percent = 100 * flows["writer"]["time_s"] / flows["reader"]["time_s"]
    assert percent < 50
    (line,) = short_flows(shared)
    assert line.startswith(f"writer ended after {percent:.2g} % of the run's time: ")


def test_flows_that_last_as_long_or_follow_each_other_are_not_said_to_end_early() -> None:
    reads, writes = (wl.workload(name, requests=10**6) for name in ("fio/random-read", "fio/random-write"))
    as_long = [wl.Flow("reader", reads, lasts_s=0.02), wl.Flow("writer", writes, queue_depth=1, lasts_s=0.02)]
    assert short_flows(wl.run(small(), as_long)) == []
    late = [as_long[0], wl.Flow("late", reads, lasts_s=0.02, ramp_s=0.015)]
    assert short_flows(wl.run(small(), late)) == []
    in_turn = [wl.Flow(f"group {each}", wl.workload("fio/random-read", requests=200), group=each) for each in range(3)]
    assert short_flows(wl.run(small(), in_turn)) == []


def test_charts_of_a_report_have_a_curve_for_each_flow(shared: wl.Result) -> None:
    from wordline.report.charts import charts
    from wordline.report.entry import Entry

    drawn = {chart["id"]: chart for chart in charts([Entry(shared), Entry(shared)])}
    names = list(shared.flows)
    for chart in (drawn["latency-flow"], drawn["time-flow-throughput"]):
        assert chart["parts"] == names
        assert [(each["run"], each["part"]) for each in chart["series"]] == [
            (n, name) for n in (0, 1) for name in names
        ]
        assert all(len(each["x"]) == len(each["y"]) > 1 for each in chart["series"])
    alone = wl.run(small(), wl.workload("fio/random-read", requests=100))
    assert not any(chart.get("parts") for chart in charts([Entry(alone)]))


def test_a_flow_that_reads_and_writes_has_a_row_for_each() -> None:
    from wordline.output.certainty import rows_of_flows

    flows = [wl.Flow("mix", wl.workload("fio/random-mix", requests=200)), wl.Flow("r", wl.workload("fio/random-read"))]
    rows = rows_of_flows(wl.run(small(), [flow.limited(200) for flow in flows]).document)
    assert [name for name, _, _ in rows] == ["mix", "mix, reads", "mix, writes", "r"]
    assert [op for _, op, _ in rows] == ["all", "read", "write", "all"]


def test_flows_have_intervals_and_curves(shared: wl.Result) -> None:
    interval = interval_of(shared.document, "flows.reader.response_us.read.mean")
    assert interval is not None
    reader = shared.document["flows"]["reader"]["response_us"]["read"]
    if interval.low is not None and interval.high is not None:
        assert interval.low <= reader["mean"] <= interval.high
    bins, intervals = shared.arrays("flow_bins"), shared.arrays("flow_intervals")
    reads = sum(
        n for f, op, n in zip(bins["flow"], bins["op"], bins["count"], strict=True) if (f, op) == ("reader", "read")
    )
    assert reads == 6_000
    assert sum(n for f, n in zip(intervals["flow"], intervals["reads"], strict=True) if f == "reader") == 6_000
    assert sum(n for f, n in zip(intervals["flow"], intervals["writes"], strict=True) if f == "writer") == 400
    assert "flow_bins" not in wl.run(small(), wl.workload("fio/random-read", requests=100)).columns


def test_one_flow_after_the_other_has_its_own_rate() -> None:
    """Two equal flows of two groups: each takes half of the time, and has the rate of the whole run."""
    load = wl.workload("fio/random-read", requests=2_000)
    flows = [wl.Flow(name, load, mode="closed", queue_depth=4, group=group) for group, name in enumerate("ab")]
    document = wl.run(small(), flows).to_dict()
    for each in document["flows"].values():
        assert each["iops"]["all"] == pytest.approx(document["iops"]["all"], rel=0.1)
        assert each["time_s"] == pytest.approx(document["window"]["end_s"] / 2, rel=0.1)


def test_requests_that_come_too_fast_are_told_of() -> None:
    """An open loop at twice what the SSD serves: by how much it is behind, and no mean with an interval."""
    closed = wl.run(small(), wl.workload("fio/random-read", requests=3_000))
    gap_us = 1e6 / closed.iops / 2
    fast = wl.workload("fio/random-read", requests=3_000, inter_arrival_us=gap_us)
    result = wl.run(small(), wl.Flow("fast", fast, mode="open"))
    (warning,) = (each for each in result.warnings if "more than the SSD serves" in each)
    assert "flow `fast`" in warning
    assert re.search(r"load is (9[0-9]|10[0-9]) % more than the SSD serves: what arrived in \S+ m?s took", warning)
    interval = result.interval("response_us.all.mean")
    assert interval is None or (interval.low, interval.high) == (None, None)
    slow = wl.workload("fio/random-read", requests=3_000, inter_arrival_us=8 * gap_us)
    assert not any(
        "than the SSD serves" in each for each in wl.run(small(), wl.Flow("slow", slow, mode="open")).warnings
    )


def test_the_printed_table_has_a_row_for_each_flow(shared: wl.Result) -> None:
    console = Console(width=160, record=True, file=StringIO())
    show(shared.document, console)
    lines = console.export_text().splitlines()
    reader, writer = (next(line.split() for line in lines if line.startswith(name)) for name in ("reader", "writer"))
    assert (reader[1], writer[1]) == ("6,000", "400")
    alone = Console(width=160, record=True, file=StringIO())
    show(wl.run(small(), wl.workload("fio/random-read", requests=100)).document, alone)
    assert not any(line.startswith("flow") for line in alone.export_text().splitlines())
