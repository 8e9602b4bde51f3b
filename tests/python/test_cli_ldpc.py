"""`wordline ldpc`: tables that come out the same on any number of cores."""

import json
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.lab.ecc import curves

TABLES = (
    "ldpc-4k.csv",
    "ldpc-4k-soft-2.csv",
    "ldpc-4k-soft-3.csv",
    "rif-predictor.csv",
    "curves.csv",
    "curves-soft-2.csv",
    "curves-soft-3.csv",
)


@pytest.mark.verify
def test_the_number_of_cores_changes_no_byte(tmp_path: Path) -> None:
    for cores in ("1", "3"):
        done = wordline("ldpc", "--quick", "--cores", cores, "--out", str(tmp_path / cores), "--json")
        assert done.code == 0, done.err
        found = json.loads(done.out)
        assert found["miscorrected"] == 0
        assert 60 < found["capability_per_kib"] < 85
        assert set(found["soft"]) == {"2", "3"}
        assert all(soft["capability_per_kib"] > 120 for soft in found["soft"].values())
    for name in TABLES:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "3" / name).read_bytes()


def test_the_built_in_curves_rise() -> None:
    found = curves()
    columns = found["curves"]
    assert {len(column) for column in columns.values()} == {128}
    for name in ("frame_error_rate", "mean_iterations", "syndrome_weight_mean", "predictor_says_retry"):
        # But for the last digits, where a probability has reached 1.
        assert columns[name] == pytest.approx(sorted(columns[name]), rel=1e-9), name
    assert abs(found["capability_per_kib"] - 72) < 4


def test_soft_decisions_correct_more_with_each_sense() -> None:
    hard, two, three = (curves(soft_senses=senses) for senses in (0, 2, 3))
    assert hard["capability_per_kib"] < two["capability_per_kib"] < three["capability_per_kib"]
    for found in (two, three):
        failing = found["curves"]["frame_error_rate"]
        assert failing == pytest.approx(sorted(failing), rel=1e-9)
        assert found["miscorrected"] == 0


def test_a_number_of_soft_senses_without_a_table_is_refused() -> None:
    with pytest.raises(wl.errors.EccTableError, match="take 2 or 3"):
        curves(soft_senses=4)


def test_a_table_that_is_none_is_refused() -> None:
    with pytest.raises(wl.errors.EccTableError, match="line 1: not the header"):
        curves("errors,chunks\n1,2\n")
