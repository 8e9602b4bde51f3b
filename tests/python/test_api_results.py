"""The results of a run: consistent numbers, the same bytes each time, tables that other programs read."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path

import duckdb
import polars as pl
import pytest

import wordline as wl
from api_helpers import TRACES, reproducible, small, write_trace


@pytest.fixture(scope="module")
def mixed() -> wl.Result:
    """A closed loop of reads and writes on an SSD that was filled and overwritten."""
    config = small().set_all({"precondition.fill": 0.8, "precondition.overwrite": 1.0})
    work = wl.workload("fio/random-mix", requests=20_000)
    return wl.run(config, work, check=True, log_requests=True, timeline_us=(0, 2000))


def test_a_number_is_asked_for_by_its_short_name(mixed: wl.Result) -> None:
    document = mixed.document
    assert mixed["iops"] == document["iops"]["all"]
    assert mixed["wa"] == document["write_amplification"]
    assert mixed["read.p99.9"] == document["response_us"]["read"]["p999"]
    assert mixed["die_utilisation.mean"] == document["die_utilisation"]["mean"]
    assert mixed.interval("read.mean") == mixed.interval("response_us.read.mean")
    # Of 20,000 requests none lies beyond it.
    assert document["response_us"]["all"]["p999999"] is None
    assert mixed.all.p999999 is None
    assert mixed["all.p99.9999"] is None
    with pytest.raises(KeyError, match=r"read\.p99\.9"):
        mixed["read.p98"]


def test_any_percentile_is_that_of_the_bins(mixed: wl.Result) -> None:
    response = mixed.document["response_us"]
    assert mixed.percentile(99.9, "read") == response["read"]["p999"]
    assert mixed.percentile(50) == response["all"]["p50"]
    between = mixed.percentile(99.5, "write")
    assert between is not None
    assert response["write"]["p99"] <= between <= response["write"]["p999"]
    assert mixed.percentile(99.9999) is None
    for percent, op in ((101.0, "all"), (50.0, "both")):
        with pytest.raises(ValueError, match="="):
            mixed.percentile(percent, op)


def test_names_stand_for_a_preset_and_a_workload() -> None:
    named = wl.run("mqsim", "fio/random-read")
    assert reproducible(named) == reproducible(wl.run(wl.preset("mqsim"), wl.workload("fio/random-read")))
    with pytest.raises(wl.errors.UnknownPresetError):
        wl.run("mqsin", "fio/random-read")
    with pytest.raises(wl.errors.UnknownWorkloadError):
        wl.run("mqsim", "fio/random-raed")


def test_policies_are_those_of_a_slot_or_of_its_key() -> None:
    assert wl.policies("gc.policy") == wl.policies("gc") != []


def test_what_is_no_path_is_no_trace() -> None:
    for given in (3, [3], {1, 2}):
        with pytest.raises(wl.errors.TraceOptionError, match="is no path of a trace"):
            wl.trace(given)  # type: ignore[arg-type]
    table = pl.DataFrame({"time": [0.0], "offset": [4096]}).to_pandas()
    with pytest.raises(wl.errors.TraceOptionError, match="needs times"):
        wl.trace(table)


def test_the_document_adds_up(mixed: wl.Result) -> None:
    document = mixed.to_dict()
    requests = document["requests"]
    assert requests["read"] + requests["write"] == requests["all"] == 20_000
    assert document["iops"]["all"] == pytest.approx(document["iops"]["read"] + document["iops"]["write"])
    assert document["iops"]["all"] == pytest.approx(20_000 / document["simulated_s"], rel=0.01)
    assert document["bandwidth_mb_s"]["all"] == pytest.approx(document["iops"]["all"] * 4096 / 1e6)
    for channel in [document["channel_time"]["mean"], *document["channel_time"]["channels"]]:
        assert sum(channel.values()) == pytest.approx(1.0)
    dies = document["die_utilisation"]
    assert dies["read"] + dies["program"] + dies["erase"] == pytest.approx(dies["mean"])
    assert dies["min"] <= dies["mean"] <= dies["max"] <= 1.0
    parts = document["read_breakdown_us"]
    assert parts["queue"] + parts["array"] + parts["channel_wait"] + parts["transfer"] == pytest.approx(parts["total"])
    ftl = mixed.counters["ftl"]
    assert mixed.write_amplification_pages == pytest.approx((ftl["user_writes"] + ftl["moved"]) / ftl["user_writes"])
    assert mixed.write_amplification is not None
    assert mixed.write_amplification > 1.0
    assert document["gc"]["erases"] == ftl["erases"] > 0
    assert document["precondition"]["host_pages"] > 7000
    assert document["checked"] is True
    assert document["reads_checked"] > 0


def test_the_order_of_percentiles(mixed: wl.Result) -> None:
    for summary in (mixed.all, mixed.read, mixed.write):
        names = ("p50", "p90", "p95", "p99", "p999", "p9999", "p99999", "p999999")
        values = [value for name in names if (value := getattr(summary, name)) is not None]
        assert len(values) == sum(
            summary.count * share >= 1 for share in (0.5, 0.1, 0.05, 0.01, 1e-3, 1e-4, 1e-5, 1e-6)
        )
        assert [summary.min, *values, summary.max] == sorted([summary.min, *values, summary.max])
        assert 0 < summary.min < summary.mean < summary.max
    assert mixed.all.count == mixed.read.count + mixed.write.count


def test_the_log_agrees_with_the_summary(mixed: wl.Result) -> None:
    rows = mixed.requests().to_pandas()
    assert len(rows) == 20_000
    response_us = (rows.completed_ns - rows.arrival_ns) / 1000
    assert response_us.mean() == pytest.approx(mixed.mean_response_us)
    assert response_us[rows.op == "read"].max() == mixed.read.max
    assert response_us[rows.op == "write"].std(ddof=0) == pytest.approx(mixed.write.std)
    assert (rows.arrival_ns <= rows.submitted_ns).all()
    assert rows.completed_ns.is_monotonic_increasing


def test_bins_and_series_hold_every_request(mixed: wl.Result) -> None:
    bins = mixed.bins().to_pandas()
    assert bins.groupby("op", observed=True)["count"].sum().to_dict() == {
        "all": mixed.all.count,
        "read": mixed.read.count,
        "write": mixed.write.count,
    }
    series = mixed.series().to_pandas()
    assert (series.reads.sum(), series.writes.sum()) == (mixed.read.count, mixed.write.count)
    assert series.read_latency_sum_ns.sum() / 1000 / mixed.read.count == pytest.approx(mixed.read.mean)


def test_the_timeline_lies_in_its_window(mixed: wl.Result) -> None:
    slices = mixed.timeline().to_pandas()
    assert set(slices.track) >= {"array", "channel"}
    assert slices.start_ns.between(0, 2_000_000 - 1).all()
    assert (slices["index"] < 2).all()
    channel = slices[(slices.track == "channel") & (slices["index"] == 0)].sort_values("start_ns")
    ends = channel.start_ns + channel.duration_ns
    assert (channel.start_ns.iloc[1:].to_numpy() >= ends.iloc[:-1].to_numpy()).all()


def test_what_was_not_kept_says_how() -> None:
    result = wl.run(small(), wl.workload("fio/random-read", requests=10))
    with pytest.raises(ValueError, match="log_requests=True"):
        result.requests()
    with pytest.raises(ValueError, match="timeline_us"):
        result.timeline()


def test_pandas_polars_and_duckdb_read_it(mixed: wl.Result) -> None:
    assert mixed.to_pandas()["response_us.read.p99"].tolist() == [mixed.read.p99]
    frame = pl.from_arrow(mixed.to_arrow())
    assert isinstance(frame, pl.DataFrame)
    assert frame["iops.all"].to_list() == [mixed.iops]
    assert pl.DataFrame(mixed)["requests.all"].to_list() == [20_000]
    bins = mixed.bins()
    assert len(bins) > 0
    written = duckdb.sql("select sum(count) from bins where op = 'write'").fetchall()
    assert written == [(mixed.write.count,)]
    assert duckdb.sql('select "requests.all" from mixed').fetchall() == [(20_000,)]


def test_the_document_is_json_and_a_copy(mixed: wl.Result) -> None:
    document = mixed.to_dict()
    assert json.loads(json.dumps(document)) == document
    document["requests"]["all"] = 0
    assert mixed.to_dict()["requests"]["all"] == 20_000


def test_the_same_bytes_again(mixed: wl.Result) -> None:
    config = small().set_all({"precondition.fill": 0.8, "precondition.overwrite": 1.0})
    work = wl.workload("fio/random-mix", requests=20_000)
    again = wl.run(config, work, check=True)
    assert reproducible(again) == reproducible(mixed)
    assert again.bins().equals(mixed.bins())
    other = wl.run(config.set("seed", 2), work, check=True)
    assert reproducible(other) != reproducible(mixed)


def test_the_resolved_configuration_gives_the_same_result() -> None:
    work = wl.workload("ycsb/a", requests=2000)
    config = wl.preset("pnar2").set("workload.read_ratio", 0.5)
    result = wl.run(config, work)
    again = wl.run(wl.config(text=result.config.to_toml()))
    assert again.config_hash == result.config_hash == result.config.hash
    assert again.to_dict()["response_us"]["all"] == result.to_dict()["response_us"]["all"]


def test_look_alikes_say_that_they_are(tmp_path: Path) -> None:
    look_alike = wl.run(small(), wl.workload("msrc/hm_0", requests=100))
    assert look_alike.synthetic
    assert look_alike.workload["name"] == "msrc/hm_0"
    assert look_alike.workload["source"].startswith("synthetic: look-alike of the MSR Cambridge trace hm_0")
    assert "synthetic" in repr(look_alike)
    trace = wl.trace(write_trace(tmp_path / "hm_0.csv"))
    real = wl.run(small(), trace)
    assert not real.synthetic
    assert "synthetic" not in repr(real)
    assert wl.run(small(), [trace, wl.workload("msrc/hm_0", requests=9)]).synthetic


def test_flows_are_told_apart(tmp_path: Path) -> None:
    trace = wl.trace(write_trace(tmp_path / "a.csv"))
    reads = wl.workload("fio/random-read", requests=300)
    result = wl.run(small(), [trace, wl.Flow("reader", reads, queue_depth=2, weight=3), reads])
    assert {name: summary.count for name, summary in result.flows.items()} == {
        "a.csv": 200,
        "reader": 300,
        "fio/random-read": 300,
    }
    assert result.all.count == 800


def test_two_flows_of_one_workload_differ() -> None:
    reads = wl.workload("fio/random-read", requests=200)
    result = wl.run(small(), [reads, reads], log_requests=True)
    rows = result.requests().to_pandas()
    first, second = (set(rows[rows.flow == name].sector) for name in ("fio/random-read", "fio/random-read-2"))
    assert first != second


def test_open_and_closed_loops(tmp_path: Path) -> None:
    trace = wl.trace(write_trace(tmp_path / "a.csv"))
    last_arrival_s = 0.199
    assert wl.run(small(), trace).simulated_s > last_arrival_s
    assert wl.run(small(host_mode="closed"), trace).simulated_s < last_arrival_s
    assert wl.run(small(time_scale=2.0), trace).simulated_s > 2 * last_arrival_s
    slow = wl.run(small(time_scale=2.0), wl.Flow("a", trace, time_scale=3.0)).simulated_s
    assert slow == pytest.approx(6 * last_arrival_s, rel=0.05)
    assert wl.run(small(), wl.Flow("a", trace, mode="closed", queue_depth=1)).simulated_s < last_arrival_s
    timed = wl.workload("fio/random-read", requests=10, inter_arrival_us=1e6)
    assert wl.run(small(), timed).simulated_s > 8


def test_a_trace_may_go_round(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "a.csv")
    once, twice = (wl.run(small(), wl.trace(path, rounds=rounds)) for rounds in (1, 2))
    assert (once.all.count, twice.all.count) == (200, 400)
    assert twice.simulated_s == pytest.approx(2 * once.simulated_s, rel=0.05)


def test_updates_are_written_before_the_run() -> None:
    config = small().set("precondition.fill", 1.0)
    work = wl.workload("fio/random-read", requests=10, update_scattered_ratio=0.25, update_extent_bytes=65536)
    plain = wl.run(config, wl.workload("fio/random-read", requests=10)).document["precondition"]["host_pages"]
    updated = wl.run(config, work).document["precondition"]["host_pages"]
    assert updated - plain == pytest.approx(0.25 * plain, rel=0.2)


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[wl.Progress] = []
    config = wl.preset("mqsim").set("precondition.fill", 0.1)
    wl.run(config, wl.workload("fio/random-read", requests=1_500_000), progress=told.append)
    assert {each.stage for each in told} >= {"run"}
    fractions = [each.fraction for each in told if each.stage == "run"]
    assert fractions == sorted(fractions, key=lambda f: f or 0.0)
    assert all(f is not None and 0 <= f <= 1 for f in fractions)
    assert any((each.left_s or 0) > 0 for each in told)
    del tmp_path


def test_a_callback_that_raises_stops_the_run() -> None:
    class OwnError(Exception):
        pass

    def refuse(_: wl.Progress) -> None:
        raise OwnError

    with pytest.raises(OwnError):
        wl.run(wl.preset("mqsim"), wl.workload("fio/random-read", requests=10**12), progress=refuse)


def test_traces_without_an_ssd(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "a.csv")
    stat = wl.trace(path).stat()
    assert (stat["requests"], stat["reads"], stat["writes"]) == (200, 133, 67)
    assert wl.trace(path).convert(tmp_path / "b.native.zst").requests == 200
    assert {**wl.trace(tmp_path / "b.native.zst").stat(), "warnings": []} == {**stat, "warnings": []}
    assert wl.workload("msrc/hm_0", requests=500).write(tmp_path / "c.csv", small()).requests == 500
    assert wl.trace(tmp_path / "c.csv").stat()["requests"] == 500


def test_generated_and_written_are_the_same(tmp_path: Path) -> None:
    work = wl.workload("fio/zipf-mix", requests=3000)
    work.write(tmp_path / "w.csv", small())
    direct = wl.run(small(), work)
    replayed = wl.run(small(), wl.Flow("w", wl.trace(tmp_path / "w.csv"), mode="closed"))
    assert direct.all == replayed.all


@pytest.mark.skipif(not TRACES.is_dir(), reason=f"the real traces are not at {TRACES} (set WORDLINE_TRACES)")
def test_a_real_trace_runs_whole_and_checked() -> None:
    result = wl.run(wl.preset("mqsim"), wl.trace(TRACES / "cloudphysics.csv"), check=True)
    assert (result.read.count, result.write.count) == (46_974, 66_898)
    assert result.document["reads_checked"] > 0
    assert not result.synthetic


def test_what_took_no_time_has_no_rate() -> None:
    times = ("host.submit_ns", "host.complete_ns", "host.link_request_ns", "dram.latency_ns")
    ssd = small(**{"cache.mode": "write", "host.link_rate_mb_s": 0.0, **dict.fromkeys(times, 0)})
    result = wl.run(ssd, wl.workload("fio/random-write", requests=4))
    assert result.write.count == 4
    assert result.document["iops"] == {"all": None, "read": 0.0, "write": None}
    assert math.isnan(result.iops)


@pytest.mark.parametrize("name", ["p99", "waf", "tbw"])
def test_a_wrong_name_says_how_to_ask_for_a_number(name: str) -> None:
    result = wl.run(small(), "fio/random-mix", requests=50)
    with pytest.raises(AttributeError, match=rf'a result has no `{name}`; its numbers are result\["wa"\]'):
        getattr(result, name)
    assert pickle.loads(pickle.dumps(result)).iops == result.iops
    assert not hasattr(result, name)
