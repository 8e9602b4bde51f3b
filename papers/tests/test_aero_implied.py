"""AERO: the closed form that says how many erases the paper's own tails imply."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import wordline_papers as studies
from wordline_papers import Results, run_points
from wordline_papers.aero import implied
from wordline_papers.aero.latencies import ERASES


@pytest.fixture(scope="module")
def rows(points_folder: Path) -> list[implied.Implied]:
    results: Results = run_points(ERASES.points(quick=True), jobs=1, store=studies.Store(points_folder))
    return implied.implied(results)


def test_an_erase_is_cut_into_the_loops_of_the_authors_simulator() -> None:
    assert implied.loops_ms("ispe", 7.2) == pytest.approx([3.6, 3.6])
    assert implied.loops_ms("aero", 2.2) == pytest.approx([1.1, 1.1])
    assert implied.loops_ms("aero", 6.2) == pytest.approx([1.1, 2.6, 2.5])


def test_the_closed_form_is_what_drawn_reads_meet() -> None:
    loops = [3.6, 2.6]
    waits = []
    for at_ms in np.random.default_rng(1).uniform(0.0, sum(loops), 200_000):
        left_ms = loops[0] - at_ms if at_ms < loops[0] else sum(loops) - at_ms
        waits.append(left_ms if at_ms >= loops[0] or left_ms < implied.LEAST_LEFT_MS else 0.0)
    for wait_ms in (0.25, 0.5, 1.5):
        share = implied._waiting_ms(loops)[int(wait_ms / 0.0005)] / sum(loops)
        assert sum(wait > wait_ms for wait in waits) / len(waits) == pytest.approx(share, abs=0.004)


def test_the_papers_tails_imply_many_times_the_erases_of_its_tables(rows: list[implied.Implied]) -> None:
    held = {factor: sum(row.holds for row in rows if row.factor == factor) for factor in implied.FACTORS}
    assert held[1.0] <= 2
    assert max(held, key=held.__getitem__) >= 10.0
    (sentence,) = implied.findings(rows)
    assert "No text states such a factor" in sentence
