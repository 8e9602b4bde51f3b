"""The study `rif`, with few requests: what does not need long runs, and what it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordline as wl
from wordline import studies
from wordline.lab import curves, survey
from wordline.studies.reproduction import Reproduction, write
from wordline.studies.rif import loops, predictor
from wordline.studies.rif.predictor import CYCLES


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
            assert row.channel["idle"] < 0.25


def test_the_folder(done: Reproduction, tmp_path: Path) -> None:
    write(done, tmp_path)
    for name in ("bandwidth", "channel", "gain", "predictor"):
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
