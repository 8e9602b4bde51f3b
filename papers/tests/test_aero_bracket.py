"""AERO's bracket: its columns are those that were fixed, and its claims follow from the estimates."""

from __future__ import annotations

import pytest

from wordline_papers import Computation, Measured, find
from wordline_papers.aero import bracket
from wordline_papers.aero.bracket import COLUMNS, READING, USUAL, Column, Estimate
from wordline_papers.aero.published import PECS, SCHEMES
from wordline_papers.aero.system import QUICK, pairs
from wordline_papers.reading_runs import figures_of, points_of


def test_there_are_twelve_columns_and_the_studys_is_one_of_them() -> None:
    assert len({column.name for column in COLUMNS}) == 3 * 2 * 2
    assert USUAL in COLUMNS
    assert READING.usual.name == USUAL.name
    assert [figure.name for figure in figures_of(find("aero"), READING)] == ["fig14"]


def test_a_column_sets_what_it_says_and_no_busy_time_is_faster_than_the_disks() -> None:
    wild = Column("25 times", "as the workload writes", "no flag")
    point = bracket.point_of("prxy", "aero", 500, wild, quick=True)
    assert point.settings["precondition.shape"] == "workload"
    assert point.settings["erase.shallow_flag"] == "none"
    assert point.settings["workload.busy_factor"] == 3.6
    calm = bracket.point_of("ali.E", "ispe", 500, Column("none", "half at random", "no flag"), quick=True)
    assert calm.settings["workload.busy_factor"] == 1.0
    assert "erase.shallow_flag" not in calm.settings, "ISPE has none"


def test_a_column_has_every_scheme_and_age_under_every_workload() -> None:
    points = points_of(find("aero"), READING, READING.alternatives[0], quick=True)
    assert all(isinstance(point, Computation) for point in points)
    places = {tuple(point.coordinates[name] for name in ("workload", "scheme", "pec")) for point in points}
    assert places == {(name, *pair) for name in QUICK.workloads for pair in pairs()}


def test_what_has_no_flag_runs_once_for_both_columns() -> None:
    with_flag, without = (
        list(bracket.part_of(Column("none", "half at random", flag)).points(True)) for flag in ("flag", "no flag")
    )
    alike = {each.coordinates["scheme"] for each in with_flag if each in without}
    apart = {each.coordinates["scheme"] for each in with_flag if each not in without}
    assert apart == {"aero", "aero-cons"}
    assert alike == set(SCHEMES) - apart


def estimates(last_us: dict[str, float]) -> list[Estimate]:
    """Two workloads whose last percentiles are these, by scheme, at every age; the others twice as short."""
    return [
        Estimate(name, scheme, pec, {"p9999": last_us[scheme] / 2, "p999999": last_us[scheme]}, {}, {}, 1.5, 400.0, 1)
        for name in ("usr", "ali.E")
        for scheme, pec in pairs()
    ]


def test_claims_are_savings_over_the_baseline_and_note_how_often_dies_erase() -> None:
    us = dict(zip(SCHEMES, (4000.0, 4000.0, 5000.0, 3000.0, 2000.0), strict=True))
    found = bracket.claims(estimates(us))
    values = {name: given.value for name, given in found.items() if isinstance(given, Measured)}
    assert values["aero.fig14.p999999.0.5k"] == pytest.approx(0.5)
    assert values["aero.fig14.cons.p9999.avg"] == pytest.approx(0.25)
    assert values["aero.fig14.over_cons.p999999.2.5k"] == pytest.approx(1 - 2 / 3)
    assert values["aero.fig14.dpes.p9999.2.5k"] == pytest.approx(0.25)
    given = found["aero.fig14.p999999.0.5k"]
    assert isinstance(given, Measured)
    assert "usr 1.5, ali.E 1.5" in given.note
    assert PECS[1] == bracket.WRITES_PEC


def test_an_estimate_has_its_interval_and_its_erases() -> None:
    found = bracket.estimate("ali.E", "ispe", 500, "25 times", "half at random", "flag", quick=True)
    assert found["erases_100s"] > 0
    for name, value in found["percentiles_us"].items():
        assert found["low_us"][name] <= value <= found["high_us"][name]
    assert found == bracket.estimate("ali.E", "ispe", 500, "25 times", "half at random", "flag", quick=True)
