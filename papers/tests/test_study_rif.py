"""The study `rif`, with few requests: what does not need long runs, and what it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordline as wl
import wordline_papers as studies
from wordline.lab import curves, survey
from wordline_papers.figure import grouped
from wordline_papers.reproduction import Reproduction, write
from wordline_papers.rif import loops, predictor, views
from wordline_papers.rif.predictor import CYCLES


@pytest.fixture(scope="module")
def done(points_folder: Path) -> Reproduction:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loops, "QUICK_REQUESTS", 4_000)
        patch.setattr(predictor, "QUICK_PAGES", 20_000)
        patch.setattr(predictor, "QUICK_MIXED_PAGES", 500)
        return studies.reproduce(studies.find("rif"), quick=True, jobs=2, store=studies.Store(points_folder))


def test_claims_that_need_no_long_runs_hold(done: Reproduction) -> None:
    rows = {verdict.claim.id: verdict for verdict in done.verdicts}
    for name in (
        "module.latency", "timing.on_die", "randomizer", "channel.waste", "one_retry_not_enough"
    ):  # fmt: skip
        assert rows[f"rif.{name}"].holds, rows[f"rif.{name}"]
    assert rows["rif.bandwidth.swr"].synthetic
    assert rows["rif.randomizer"].synthetic is None


def test_read_heavy_workloads_order_the_ssds(done: Reproduction) -> None:
    by = {(row.workload, row.system, row.pec): row.mb_s for row in loops.loops(done.results)}
    for pec in CYCLES:
        rates = [by["ali_6", system, pec] for system in (loops.ZERO, "RiF", "SWR", "SENC")]
        # Short runs end with a few busy dies: between the first two that may be more than the difference.
        assert rates[0] > 0.95 * rates[1]
        assert rates[1] > 1.2 * rates[2] > 1.2 * rates[3]


def test_channels_are_the_bottleneck_and_their_time_adds_up(done: Reproduction) -> None:
    for row in loops.loops(done.results):
        assert sum(row.channel.values()) == pytest.approx(1.0, abs=1e-6)
        if row.workload == "ali_6" and row.system in (loops.ZERO, "SWR"):
            assert row.channel["idle"] < 0.3


def test_the_folder(done: Reproduction, tmp_path: Path) -> None:
    write(done, tmp_path)
    for name in ("bandwidth", "channel", "gain", "predictor", "real", "retries", "chunks"):
        for ending in ("svg", "png", "csv"):
            assert (tmp_path / "figures" / f"{name}.{ending}").stat().st_size > 100
    for name in ("grid", "lone", "predictor"):
        assert (tmp_path / "tables" / f"{name}.csv").stat().st_size > 10


def test_ages_are_spread_over_blocks() -> None:
    months = {"reliability.retention_months": 0.5}
    alike = survey.first_reads(wl.preset("rif").set_all(months), 20_000)
    spread = survey.first_reads(wl.preset("rif").set_all({**months, "reliability.retention_spread": 1.0}), 20_000)
    # After half a month hardly any fresh page fails; of ages up to a month, those beyond 17 days begin to.
    assert alike.failing_share < 0.1
    assert 0.2 < spread.failing_share < 0.6
    assert sum(share for _, share in spread.histogram) == pytest.approx(1.0)


def test_the_predictor_is_unsure_only_near_the_capability() -> None:
    capability = curves()["capability_per_kib"]
    sure = survey.predictions([(0.5 * capability, 1.0), (1.7 * capability, 1.0)])
    unsure = survey.predictions([(capability, 1.0)])
    assert sure.accuracy > 0.99
    assert unsure.accuracy < 0.8
    for found in (sure, unsure):
        shares = found.true_retry + found.false_retry + found.missed_retry + found.true_pass
        assert shares == pytest.approx(1.0)


def test_retries_and_predictions_by_workload(done: Reproduction) -> None:
    rows = views.retried(done.results)
    assert len(rows) == len(loops.WORKLOADS) * len(CYCLES)
    for name, its in grouped(rows, lambda row: row.workload).items():
        # Worn pages fail more often.
        assert its[0].failing_first < its[1].failing_first < its[2].failing_first, name
        assert all(row.checks > 0 and 0.95 < row.right <= 1.0 for row in its), name


def test_one_retry_costs_bandwidth(done: Reproduction) -> None:
    rows = views.real(done.results)
    assert {row.system for row in rows} == {loops.ZERO, loops.REAL}
    assert all(row.over_zero < 1.0 for row in rows if row.system == loops.REAL and row.pec == loops.WORST)


def test_chunks_have_about_a_quarter_of_their_pages_errors() -> None:
    few, many = (views.spread([(bits, 1.0)]) for bits in (20.0, 80.0))
    for found in (few, many):
        assert sum(found) == pytest.approx(1.0, abs=0.003), "hardly any chunk is beyond the ends"
        assert found == pytest.approx(found[::-1]), "as many above as below"
    # Four times the errors halve the deviation, sqrt(3 / errors).
    places = [views.LEAST + views.BIN * (place + 0.5) for place in range(len(few))]
    deviations = [sum(s * (x - 1.0) ** 2 for s, x in zip(its, places, strict=True)) ** 0.5 for its in (few, many)]
    assert deviations == pytest.approx([(3 / 320) ** 0.5, (3 / 1280) ** 0.5], rel=0.03)
