"""The study `pnar2`, with few requests: what holds whatever the load, and what it leaves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import wordline as wl
import wordline_papers as studies
from wordline.errors import WordlineError
from wordline.lab import survey
from wordline_papers.pnar2 import cache_read, loads, reads, responses, workloads
from wordline_papers.reproduction import Reproduction, write

# A twelfth of the pages of a short run, so that garbage collection begins as soon.
SMALL = replace(
    workloads.QUICK,
    requests=600,
    ssd={**workloads.QUICK.ssd, "ssd.pages_per_block": 48},
    capacity_bytes=workloads.QUICK.capacity_bytes // 12,
)
EXACT = ("pr2", "ar2", "ar2_alone", "tpre40", "step_saving", "reset")


@pytest.fixture(scope="module")
def done(points_folder: Path) -> Reproduction:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workloads, "QUICK", SMALL)
        patch.setattr(reads, "QUICK_PAGES", 60_000)
        return studies.reproduce(studies.find("pnar2"), quick=True, jobs=2, store=studies.Store(points_folder))


def test_exact_claims_hold(done: Reproduction) -> None:
    rows = {row.claim.id: row for row in done.verdicts}
    assert [name for name in EXACT if not rows[f"pnar2.timing.{name}"].holds] == []
    assert rows["pnar2.rpt.fallback"].measured == 0
    assert rows["pnar2.fig15.pso_steps"].holds
    assert rows["pnar2.timing.pr2"].synthetic is None
    assert rows["pnar2.fig14.pr2.avg"].synthetic


def test_the_faster_policy_is_faster_at_every_point(done: Reproduction) -> None:
    rows = responses.places(done.results)
    assert len(rows) == len(workloads.TABLE_2) * len(responses.QUICK_CONDITIONS)
    assert responses.violations(rows) == []


def test_a_longer_path_dilutes_every_gain(done: Reproduction) -> None:
    rows = {(row.rate, row.host_us, row.pec): row for row in loads.loads(done.results)}
    for pec in (0, 2000):
        short, long = (rows["own", host_us, pec] for host_us in (workloads.PATH_US, 400.0))
        assert short.gains["pnar2_reduction"] > long.gains["pnar2_reduction"]
        assert short.gains["pso_over_norr"] > long.gains["pso_over_norr"]


def test_a_gain_that_does_not_rise_in_a_worse_condition_is_seen() -> None:
    norr = responses.Norr(127.0, 10.0, 1.0, 1, 0.1)

    def verdict(*gains: float) -> bool | None:
        rows = [
            responses.Place("stg_0", *at, {"Baseline_us": 100.0, "PnAR2_us": 100.0 * (1.0 - gain)}, {}, norr)
            for at, gain in zip(responses.CONDITIONS, gains, strict=True)
        ]
        return responses.in_worse_conditions(rows).holds

    assert verdict(0.1, 0.2, 0.15, 0.25, 0.3, 0.4)
    assert not verdict(0.1, 0.2, 0.15, 0.25, 0.15, 0.4), "more cycles, and no more gain"
    assert not verdict(0.1, 0.2, 0.15, 0.25, 0.3, 0.3), "more months, and no more gain"


def test_the_ssd_is_in_steady_state(done: Reproduction) -> None:
    rows = responses.places(done.results)
    collecting = {row.workload for row in rows if row.norr.gc_blocks > 0}
    assert {"stg_0", "usr_1", "YCSB-C"} <= collecting


def test_one_time_is_constant_and_the_same_for_all(done: Reproduction) -> None:
    points = responses.grid.of(done.results)
    assert {o.coordinates["host.complete_ns"] for o in points} == {round(workloads.PATH_US * 1000)}
    # Writes end in DRAM: they cross the link and the DRAM and look their page up, and wait for no program.
    assert all(row.norr.write_us < workloads.T_PROG_US for row in responses.places(done.results))


@pytest.mark.parametrize(("name", "gap_us"), [("stg_0", 297_800.0), ("usr_1", 13_400.0), ("YCSB-A", 9_035.0)])
def test_each_workload_has_its_own_rate(name: str, gap_us: float) -> None:
    traced = next(traced for traced in workloads.TABLE_2 if traced.name == name)
    assert workloads.inter_arrival_us(traced) == gap_us
    twice = workloads.Setup(faster={"usr_1": 2.0})
    assert workloads.inter_arrival_us(traced, twice) == gap_us / (2.0 if name == "usr_1" else 1.0)


def test_the_folder(done: Reproduction, tmp_path: Path) -> None:
    write(done, tmp_path)
    for name in ("fig06", "fig14", "fig15", "load"):
        for ending in ("svg", "png", "csv"):
            assert (tmp_path / "figures" / f"{name}.{ending}").stat().st_size > 100
    for name in ("lone", "grid", "workloads", "order_violations"):
        assert (tmp_path / "tables" / f"{name}.csv").stat().st_size > 10


def test_a_register_lets_the_next_page_be_sensed_while_data_leave() -> None:
    rows = cache_read.steps(studies.run_points(cache_read.two_pages.points(quick=True), jobs=1))
    at = {(row.command, row.page, row.step): row for row in rows}
    assert len(rows) == len(at) == 12
    for command, waits_for in (("PAGE READ", "transfer"), ("CACHE READ", "sense")):
        assert at[command, "B", "sense"].start_us == at[command, "A", waits_for].end_us
    # Fig. 6: page B ends earlier by the transfer of page A.
    ends = [at[command, "B", "decode"].end_us for command in ("PAGE READ", "CACHE READ")]
    assert ends[0] - ends[1] == pytest.approx(16.0)


def test_the_load_keeps_dies_busy_as_it_says() -> None:
    for traced in workloads.TABLE_2[4:8]:
        load = 0.05
        size = replace(workloads.FULL, requests=20_000)
        settings = workloads.settings(traced, size, workloads.Setup(load, is_steady=False))
        config = wl.preset("pnar2").set_all({**settings, "read.retry": "ideal"})
        result = wl.run(config, wl.workload(traced.look_alike, requests=20_000))
        # Multi-plane commands and the buffer take some work away, reads before writes in part add some.
        assert result.die_utilisation["mean"] == pytest.approx(load, rel=0.25), traced.name


def test_a_survey_needs_a_chip() -> None:
    with pytest.raises(WordlineError, match="tlc-48l"):
        survey.first_reads(wl.preset("mqsim"), 100)
    with pytest.raises(WordlineError, match="no pages"):
        survey.predictions([])
