"""Slowdowns and fairness of flows, and a drive's life in the units of data sheets."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from api_helpers import ROOT, small
from cli_runner import wordline
from wordline.stats.flows import fairness, slowdowns


def flows() -> list[wl.Flow]:
    return [
        wl.Flow("light", wl.workload("fio/random-read", requests=300), mode="closed", queue_depth=1),
        wl.Flow("heavy", wl.workload("fio/random-write", requests=2000), mode="closed", queue_depth=16),
    ]


def test_slowdowns_are_ratios_of_means() -> None:
    def document(mean: float) -> dict[str, Any]:
        return {"response_us": {"all": {"mean": mean}, "flows": {"a": {"mean": 300.0}, "b": {"mean": 200.0}}}}

    slow = slowdowns(document(0.0), {"a": document(100.0), "b": document(50.0)})
    assert slow == {"a": 3.0, "b": 4.0}
    assert fairness(slow) == 0.75
    with pytest.raises(ValueError, match="the flows are a, b, but there are runs alone of a"):
        slowdowns(document(0.0), {"a": document(100.0)})
    with pytest.raises(ValueError, match="flow b: alone"):
        slowdowns(document(0.0), {"a": document(1.0), "b": document(0.0)})


def test_a_light_flow_suffers_from_a_heavy_one() -> None:
    ssd = small()
    shared = wl.run(ssd, flows())
    alone = {flow.name: wl.run(ssd, flow) for flow in flows()}
    slow = shared.slowdowns(alone)
    assert slow["light"] > 1.5 > slow["heavy"] >= 0.9
    assert shared.fairness(alone) == pytest.approx(slow["heavy"] / slow["light"])


def test_each_alone_sends_the_requests_that_it_sends_beside_the_others() -> None:
    ssd = small()
    tenants = [wl.workload("fio/random-read", requests=200), wl.workload("fio/random-read", requests=200)]
    shared = wl.run(ssd, tenants)
    alone = wl.alone(ssd, tenants, jobs=1)
    assert list(alone) == list(shared.document["flows"])
    seeds = [form["workload"]["seed"] for form in shared.workload["flows"]]
    assert seeds[0] != seeds[1]
    assert [each.workload["flows"][0]["workload"]["seed"] for each in alone.values()] == seeds
    assert all(slow > 1.0 for slow in shared.slowdowns(alone).values())
    with pytest.raises(wl.errors.WorkloadError, match="one flow, which is alone already"):
        wl.alone(ssd, "fio/random-read", requests=100)


def test_the_command_line_tells_each_flow_alone(tmp_path: Path) -> None:
    out = tmp_path / "run"
    files = (ROOT / "examples" / "namespaces-drive.toml", ROOT / "examples" / "namespaces.toml")
    apart = wordline("run", *files, "-n", "2k", "--alone", "--out", out, "-j", "1")
    assert apart.code == 0
    assert re.search(r"^reader +\S+ +\S+ +x1\.00 ", apart.out, re.MULTILINE), "channels of its own"
    shared = wordline("run", *files, "-n", "2k", "--alone", "--json", "-j", "1", "-s", "fdp.reclaim_groups=1")
    told = json.loads(shared.out)
    reader = told["alone"]["flows"]["reader"]
    assert reader["mean"] == told["together"]["flows"]["reader"]["response_us"]["all"]["mean"]
    assert reader["mean_slowdown"] == reader["mean"] / reader["mean_alone"] > 1.5
    assert reader["p99_slowdown"] > 1.5
    assert 0.0 < told["alone"]["fairness"] < 1.0
    kept = json.loads((out / "alone.json").read_text(encoding="utf-8"))
    assert kept["flows"]["reader"]["mean_slowdown"] == pytest.approx(1.0)
    report = (out / "report.html").read_text(encoding="utf-8")
    part = report.partition('<section id="alone"')[2].partition("</section>")[0]
    assert part.count("<tr>") == 1 + len(kept["flows"])
    assert '<th scope="row">reader</th>' in part
    assert "<p>fairness 1.00: the smallest slowdown of a mean over the largest.</p>" in part
    assert wordline("rerun", out).code == 0


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("-w", "fio/random-read"), "one flow, which is alone already"),
        (("-w", "fio/random-read", "-w", "fio/random-write", "--seeds", "2"), "--alone does not go with --seeds"),
    ],
)
def test_what_cannot_be_alone_is_an_error_of_one_line(more: tuple[str, ...], why: str) -> None:
    answer = wordline("run", "mqsim", *more, "-n", "100", "--alone")
    assert answer.code == 2
    assert why in answer.err.splitlines()[0]


def test_life_is_what_the_flash_endures_over_write_amplification() -> None:
    ssd = small()
    result = wl.run(ssd, wl.workload("fio/random-write", requests=2000))
    amplification = result.write_amplification
    assert amplification is not None
    life = result.lifetime(pec=3000, years=5)
    flash_bytes = result.document["blocks"]["all"] * ssd["ssd.pages_per_block"] * ssd["ssd.page_bytes"]
    assert flash_bytes > ssd.host_bytes
    assert life.tbw_tb * 1e12 * amplification == pytest.approx(flash_bytes * 3000)
    assert life.dwpd * 5 * 365 * ssd.host_bytes == pytest.approx(life.tbw_tb * 1e12)
    assert life.wear_unevenness == 1.0
    uneven = result.lifetime(pec=3000, years=5, wear_unevenness=1.25)
    assert (uneven.tbw_tb, uneven.dwpd) == pytest.approx((life.tbw_tb / 1.25, life.dwpd / 1.25))
    with pytest.raises(ValueError, match="1 or more"):
        result.lifetime(pec=3000, wear_unevenness=0.9)
    with pytest.raises(ValueError, match="more than 0"):
        result.lifetime(pec=0)
    with pytest.raises(ValueError, match="wrote nothing"):
        wl.run(ssd, wl.workload("fio/random-read", requests=100)).lifetime(pec=3000)


def test_requests_that_a_power_cut_ends_are_counted_and_have_rows() -> None:
    ssd = small(host__device_queue_depth=8).set("power.cut_at_s", 0.01)
    result = wl.run(ssd, wl.workload("fio/random-read", requests=3_000, inter_arrival_us=1.0), log_requests=True)
    document = result.to_dict()
    requests, cut = document["requests"], document["power"]["cut"]
    assert cut["interrupted_requests"] == 8
    assert cut["waiting_requests"] > 100
    ended = requests["by_status"]["aborted_power_loss"]
    assert ended == cut["interrupted_requests"] + cut["waiting_requests"]
    assert requests["all"] == requests["by_status"]["success"] == 3_000 - ended
    rows = result.requests().to_pylist()
    late = [row for row in rows if row["status"] == "aborted_power_loss"]
    assert (len(rows), len(late)) == (3_000, ended)
    assert {row["completed_ns"] for row in late} == {10_000_000}


def test_the_time_without_power_counts_in_no_rate() -> None:
    ssd = wl.preset("mqsim")
    reads = wl.workload("fio/random-read", requests=20_000)
    whole = wl.run(ssd, reads).to_dict()
    result = wl.run(ssd.set("power.cut_at_s", 0.01), reads)
    cut = result.to_dict()
    assert result.interval("iops.read") is None
    assert cut["simulated_s"] > 3600
    for number in ("iops", "bandwidth_mb_s"):
        assert cut[number]["read"] == pytest.approx(whole[number]["read"], rel=0.1)
    assert cut["die_utilisation"]["mean"] == pytest.approx(whole["die_utilisation"]["mean"], rel=0.1)
    assert cut["channel_time"]["mean"]["idle"] == pytest.approx(whole["channel_time"]["mean"]["idle"], abs=0.05)
    assert sum(cut["channel_time"]["mean"].values()) == pytest.approx(1.0)
