"""A load that is a share of what a drive serves at most: measured first, then sent, the same for all rows."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from api_helpers import ROOT
from cli_runner import wordline
from wordline.offered_load import measured

READS = "fio/random-read"
LENGTH = 2000


def test_a_share_is_that_of_the_closed_loop() -> None:
    closed = wl.run(wl.preset("mqsim", host_mode="closed"), READS, requests=LENGTH)
    offered = wl.offered_load("mqsim", READS, "50%", requests=LENGTH)
    assert offered.maximum_iops == closed["iops.all"]
    assert offered.queue_depth == closed.config["host.queue_depth"]
    half = wl.run("mqsim", READS, requests=LENGTH, load="50%")
    assert half.config["host.mode"] == "open"
    assert half["iops.all"] == pytest.approx(0.5 * offered.maximum_iops, rel=0.02)
    assert half["read.mean"] < closed["read.mean"]
    again = wl.run("mqsim", READS, requests=LENGTH, load=offered)
    assert again["read.mean"] == half["read.mean"]


@pytest.mark.parametrize("load", ["0", "5", "x", "-10%", "201%", True, 0.0])
def test_what_is_no_share_is_refused(load: str | float) -> None:
    with pytest.raises(wl.errors.WorkloadError, match=r"such as 50% or 0\.5"):
        wl.run("mqsim", READS, load=load)


@pytest.mark.parametrize(
    ("config", "workload", "why"),
    [
        (wl.preset("mqsim").set("workload.inter_arrival_us", 5.0), READS, "workload.inter_arrival_us is given, too"),
        (wl.preset("mqsim", host_mode="closed"), READS, "host.mode is given, too"),
        (wl.preset("mqsim"), wl.workload(READS, inter_arrival_us=4.0), "workload.inter_arrival_us is given, too"),
        (wl.preset("mqsim"), [wl.workload(READS), wl.workload("fio/random-write")], "several flows"),
        (wl.preset("mqsim"), wl.workload("fio/burst-phases"), "phases have times of their own"),
        (wl.preset("mqsim"), wl.trace("not-read.csv", format="native"), "host.time_scale presses"),
        (wl.preset("mqsim"), wl.Flow("a", wl.workload(READS), mode="paced"), "the flow a says"),
    ],
)
def test_requests_with_times_of_their_own_are_refused(config: wl.Config, workload: wl.WorkloadLike, why: str) -> None:
    with pytest.raises(wl.errors.WorkloadError, match=why):
        wl.run(config, workload, requests=100, load="50%")


def test_a_comparison_has_the_load_of_its_first_row_or_of_the_one_that_is_named() -> None:
    grid = {"ssd.channels": [1, 4]}
    rows = wl.compare("mqsim", READS, grid, requests=LENGTH, load="50%", jobs=1)
    rates = [row.document["iops"]["all"] for row in rows]
    assert rates[1] == pytest.approx(rates[0], rel=0.03)
    named = wl.compare("mqsim", READS, grid, requests=LENGTH, load="50%", load_of={"ssd.channels": 4}, jobs=1)
    wide = wl.offered_load(wl.preset("mqsim").set("ssd.channels", 4), READS, "50%", requests=LENGTH)
    assert getattr(named[0].point, "load", None) == wide
    assert named[1].document["iops"]["all"] == pytest.approx(0.5 * wide.maximum_iops, rel=0.03)


SMALL = wl.config(ROOT / "examples" / "small-ssd.toml")
"""A drive on which rest after aging wins 32 MB: about 26,000 requests of a mix are faster than later ones."""


@pytest.mark.verify
def test_the_maximum_of_an_aged_drive_leaves_out_what_rest_has_won() -> None:
    most = wl.offered_load(SMALL, "fio/random-mix", "50%", requests=6_000, steady=True)
    from_rest = wl.run(SMALL.set("host.mode", "closed"), "fio/random-mix", requests=6_000, steady=True)
    assert most.maximum_iops < 0.6 * from_rest["iops.all"]
    assert "requests after aging are faster" not in str(most)


def test_a_maximum_that_is_from_rest_says_how_long_the_loop_must_be() -> None:
    told = str(wl.offered_load(SMALL, "fio/random-mix", "50%", requests=1000, steady=True))
    assert "(±?) requests a second" in told
    assert re.search(r"in the long run the drive serves fewer, since the first \d\d,000 requests", told)
    assert re.search(r"-n \d{4} or more leaves them out", told)


def test_the_loop_runs_on_until_write_amplification_is_steady() -> None:
    lengths: list[int] = []

    def measure(config: wl.Config, flow: wl.Flow) -> wl.Result:
        """Serves 1,000 requests more for each look, with an interval of 0."""
        requests = flow.config(config)["workload.requests"]
        lengths.append(requests)
        result = wl.run(wl.preset("mqsim"), READS, requests=100)
        document: dict[str, Any] = dict(result.document)
        verdict = {"verdict": "steady" if requests >= steady_from else "too short", "reason": "one cycle of GC"}
        document["iops"] = {"all": 1000.0 * len(lengths)}
        document["requests"] = {"all": requests, "warmup": 0}
        document["uncertainty"]["values"]["iops"] = {
            "all": {"low": 1000.0 * len(lengths), "high": 1000.0 * len(lengths)}
        }
        document["precondition"] = {"steady": {"timed": None}}
        document["steady"] = {"write_amplification": verdict}
        return replace(result, document=document)

    steady_from = 400
    known = measured(wl.preset("mqsim"), wl.workload(READS, requests=100), 0.5, measure)
    assert (lengths, known.maximum_iops, known.doubt) == ([100, 200, 400], 3000.0, None)
    lengths.clear()
    steady_from = 10_000
    unknown = measured(wl.preset("mqsim"), wl.workload(READS, requests=100), 0.5, measure)
    assert lengths == [100, 200, 400, 800]
    assert "not steady (one cycle of GC): -n takes more" in str(unknown)


def test_several_loads_are_rows() -> None:
    answer = wordline("compare", "mqsim", "-w", READS, "-n", f"{LENGTH}", "--load", "25%,50%", "--json", "-j", "1")
    assert answer.code == 0
    points = json.loads(answer.out)["points"]
    assert [point["set"] for point in points] == [{"load": "25%"}, {"load": "50%"}]
    low, high = (point["result"]["iops"]["all"] for point in points)
    assert high == pytest.approx(2 * low, rel=0.02)
    (first, second) = re.findall(r"load: (\d+ %) of ([\d,]+)", answer.err)
    assert first[1] == second[1]


def test_a_run_says_its_load_and_is_repeated_with_it(tmp_path: Path) -> None:
    out = tmp_path / "run"
    answer = wordline("run", "mqsim", "-w", READS, "-n", f"{LENGTH}", "--load", "50%", "--out", out)
    assert answer.code == 0
    assert "load: 50 % of" in answer.err
    assert "no effect" not in answer.err
    assert wordline("rerun", out).code == 0


def test_a_depth_that_the_measurement_used_is_not_called_idle() -> None:
    answer = wordline("run", "mqsim", "-w", READS, "-n", f"{LENGTH}", "--load", "50%", "--set", "host.queue_depth=64")
    assert "with 64 outstanding" in answer.err
    assert "no effect" not in answer.err


def test_a_study_may_vary_the_load(tmp_path: Path) -> None:
    study = tmp_path / "loads.toml"
    axes = 'load = ["30%", 0.6]\nworkload = ["fio/random-read", "fio/random-mix"]\n'
    study.write_text(f'ssd = "mqsim"\nrequests = 1000\n[grid]\n{axes}')
    results = wl.sweep(study, jobs=1)
    rates = {(o.coordinates["workload"], o.coordinates["load"]): o.document["iops"]["all"] for o in results}
    for name in (READS, "fio/random-mix"):
        assert rates[name, "0.6"] == pytest.approx(2 * rates[name, "30%"], rel=0.1)
    answer = wordline("sweep", study, "--load", "50%", cwd=tmp_path)
    assert answer.code == 2
    assert "loads.toml:4: `load` is an axis here" in answer.err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("run", "mqsim", "-w", READS, "--load", "20%,40%"), "several loads for one run"),
        (("run", "mqsim", "-w", READS, "--load", "400%"), "such as 50%"),
        (("run", "--mqsim", "a.xml", "b.xml", "--load", "50%"), "brings its own times"),
        (("run", "mqsim", f"{ROOT}/examples/steady.fio", "--load", "50%"), "give each its rate with rate_iops="),
        (("compare", "mqsim", "-w", READS, "--load", "20%,0.2"), "a load comes twice"),
        (("compare", "mqsim", "--placement", "plain", "--load", "20%"), "--load does not go with --placement"),
        (("compare", "mqsim", "-w", READS, "--load", "50%"), "nothing to compare"),
    ],
)
def test_a_load_that_cannot_be_is_an_error_of_one_line(arguments: tuple[str, ...], why: str) -> None:
    answer = wordline(*arguments)
    assert answer.code == 2
    assert why in answer.err.splitlines()[0]
