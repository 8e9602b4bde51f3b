"""`wordline explain erase`: an erase under each scheme, in characters, as JSON and as a figure."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from cli_runner import wordline
from wordline.output.erase_drawing import drawing, rows

WORN = ("--set", "reliability.pec=2000")


def explained(*arguments: str) -> list[dict[str, Any]]:
    answer = wordline("explain", "erase", *arguments, "--json")
    assert (answer.code, answer.err) == (0, "")
    documents: list[dict[str, Any]] = json.loads(answer.out)
    return documents


def test_total_time_is_pulses_and_verifies() -> None:
    documents = explained(*WORN, "--set", "nand.set_feature_us=0")
    assert [document["scheme"] for document in documents] == ["ispe", "i-ispe", "dpes", "aero-cons", "aero"]
    for document in documents:
        # AERO, Eq. 1.
        parts = sum(step["pulse_ms"] + step["verify_ms"] for step in document["steps"])
        assert document["latency_ms"] == pytest.approx(parts)
        assert rows([document])[-1]["end_ms"] == pytest.approx(parts)


def test_schemes_do_what_they_are_named_for() -> None:
    ispe, i_ispe, dpes, cons, aero = explained(*WORN, "--set", "nand.set_feature_us=0")
    loops = ispe["loops_under_ispe"]
    assert [step["loop"] for step in ispe["steps"]] == list(range(1, loops + 1))
    assert {step["pulse_ms"] for step in ispe["steps"]} == {3.5}
    assert [step["fail_bits"] for step in ispe["steps"]] == sorted(
        (s["fail_bits"] for s in ispe["steps"]), reverse=True
    )
    assert ispe["steps"][-1]["fail_bits"] <= ispe["fail_bits_pass"]
    # i-ISPE begins with a late loop's voltage, DPES has less voltage, AERO shorter pulses and errors that ECC bears.
    assert i_ispe["steps"][0]["loop"] > 1
    assert dpes["steps"][0]["voltage_v"] == pytest.approx(0.91 * ispe["steps"][0]["voltage_v"])
    assert ispe["latency_ms"] >= cons["latency_ms"] > aero["latency_ms"]
    assert aero["residual_bits"] > cons["residual_bits"] == 0.0
    assert i_ispe["stress"] > ispe["stress"] > aero["stress"]


def test_harder_blocks_and_own_wear() -> None:
    soft, hard = (explained(*WORN, "--set", "erase.scheme=ispe", "--hardness", rank)[0] for rank in ("0.1", "0.95"))
    assert hard["needed_ms"] > soft["needed_ms"]
    same, own = (
        explained(*WORN, "--set", "erase.scheme=aero", "--set", f"reliability.worn_by={by}")[0]
        for by in ("ispe", "scheme")
    )
    assert own["stress_pec"] < same["stress_pec"]


def test_the_drawing_has_a_mark_for_each_verify() -> None:
    documents = explained(*WORN, "--set", "erase.scheme=ispe,aero")
    for unicode, mark in ((True, "│"), (False, "|")):
        lines = drawing(documents, unicode=unicode)
        for line, document in zip(lines, documents, strict=False):
            assert line.startswith(document["scheme"])
            assert line.count(mark) == len(document["steps"])
    shown = wordline("explain", "erase", *WORN, "--set", "erase.scheme=ispe,aero")
    assert shown.code == 0
    assert "fail bits" in shown.out


def test_the_figure_and_its_data(tmp_path: Path) -> None:
    answer = wordline("explain", "erase", *WORN, "--plot", tmp_path / "erase.svg")
    assert answer.code == 0, answer.err
    assert (tmp_path / "erase.svg").stat().st_size > 1000
    with (tmp_path / "erase.data.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert len(table) == sum(len(document["steps"]) for document in explained(*WORN))


def test_mistakes() -> None:
    for settings, said in (
        (["erase.scheme=fixed"], "aero-cons"),
        (["erase.scheme=isp"], "i-ispe"),
        (["erase.scheme=ispe", "cells.chip=none"], "cells.chip"),
    ):
        answer = wordline("explain", "erase", *(part for each in settings for part in ("--set", each)))
        assert answer.code == 2
        assert said in answer.err
        assert "Traceback" not in answer.err
