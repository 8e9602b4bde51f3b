"""The page of ten questions: at most three commands each, with answers that the commands give."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from api_helpers import ROOT
from cli_runner import wordline

PAGE = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]


def test_there_are_ten_and_each_takes_at_most_three_commands() -> None:
    assert len(SECTIONS) == 10
    for section in SECTIONS:
        assert len(re.findall(r"^(?:\$ )?wordline ", section, re.MULTILINE)) <= 3, section.splitlines()[0]


@pytest.mark.verify
def test_over_provisioning_lowers_write_amplification() -> None:
    grid = {"ssd.overprovisioning": [0.13, 0.3]}
    load = wl.workload("fio/random-mix", inter_arrival_us=10.0)
    results = wl.compare("datacenter-tlc", load, grid, requests="5k", scale="1/1000", steady=True, jobs=1)
    aged = [each.document["precondition"]["steady"]["write_amplification"] for each in results]
    assert aged[1] < aged[0] / 1.3


def answered(question: str, folder: Path, *more: str) -> Any:  # noqa: ANN401 - of the command
    """Runs the commands of a question as the page has them, and returns the JSON of the last one."""
    (section,) = (each for each in SECTIONS if question in each.splitlines()[0])
    commands = [shlex.split(line)[2:] for line in re.findall(r"^\$ wordline .*$", section, re.MULTILINE)]
    (folder / "examples").symlink_to(ROOT / "examples")
    for command in commands[:-1]:
        assert wordline(*command, cwd=folder).code == 0
    done = wordline(*commands[-1], *more, "--json", cwd=folder)
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.verify
def test_garbage_collection_by_fifo_writes_most_for_a_trace_that_writes_little(tmp_path: Path) -> None:
    wl.workload("msrc/hm_0", requests=2000).write(tmp_path / "mine.csv", wl.preset("mqsim"))
    trace = wl.trace(tmp_path / "mine.csv", wrap=True)
    ssd = wl.preset("datacenter-tlc", scale="1/1000").set("precondition.shape", "random")
    compared = wl.compare(ssd, trace, {"gc.policy": ["greedy", "fifo"]}, steady=True, jobs=1)
    aged = [each.document["precondition"]["steady"]["write_amplification"] for each in compared]
    assert aged[1] > 1.1 * aged[0]


@pytest.mark.verify
def test_tenants_slow_each_other_as_the_page_of_tenants_says(tmp_path: Path) -> None:
    flows = answered("four tenants", tmp_path)["alone"]["flows"]
    assert flows["search"]["p99_slowdown"] == pytest.approx(2.9, abs=0.1)
    assert flows["cache"]["p99_slowdown"] == pytest.approx(13, abs=0.5)


@pytest.mark.verify
def test_handles_gain_for_a_cache_what_the_page_says(tmp_path: Path) -> None:
    plain, kept_apart = (each for each in answered("FDP", tmp_path)["placements"] if each["handle"] == "all")
    assert plain["write_amplification"] == pytest.approx(3.3, abs=0.1)
    assert kept_apart["write_amplification"] == pytest.approx(1.02, abs=0.01)
    assert (plain["read_p99_us"], kept_apart["read_p99_us"]) == pytest.approx((242, 174), rel=0.03)


@pytest.mark.verify
def test_a_drive_lasts_as_long_as_the_page_says(tmp_path: Path) -> None:
    (row,) = answered("TBW", tmp_path)["rows"]
    assert row["tbw_tb"] == pytest.approx(2608, rel=0.02)
    assert row["dwpd"] == pytest.approx(0.37, abs=0.01)
    assert row["write_amplification_of"] == "run"


AGED = {"reliability.pec": 1000, "reliability.retention_months": 6, "nand.on_die_check": True}


def test_techniques_gain_in_the_order_of_the_page() -> None:
    ssd = wl.preset("datacenter-tlc").set_all(AGED)
    order = ["baseline", "pnar2", "pso", "pso+pnar2", "sentinel", "rif"]
    results = wl.compare(ssd, "ycsb/c", {"read.retry": order}, requests="2k", scale="1/256", jobs=1)
    means = [each.document["response_us"]["read"]["mean"] for each in results]
    assert means == sorted(means, reverse=True)


def test_retries_begin_where_the_page_says() -> None:
    def failing(pec: int, months: float, workload: str = "fio/random-read") -> float:
        ssd = wl.preset("datacenter-tlc", pec=pec, retention_months=months)
        return float(wl.run(ssd, workload, requests="2k", scale="1/256")["read_retry.first_failure_share"])

    assert [failing(0, months) for months in (0, 0.5, 1)] == pytest.approx([0, 0, 1], abs=0.01)
    assert failing(1000, 0) == 0
    assert failing(1000, 0.1) > 0.97
    assert failing(2000, 0) == pytest.approx(0.16, abs=0.03)
    assert failing(1000, 6, "ycsb/c") == pytest.approx(0.61, abs=0.05), "40 % of its reads go where it writes"


def test_an_slc_cache_is_as_large_as_the_page_says() -> None:
    result = wl.run("consumer-tlc", "fio/sequential-write", scale="1/512", requests="12k")
    (line,) = (each for each in result.warnings if "writes have two phases" in each)
    found = re.search(r"until (\d+) GB", line)
    assert found is not None
    assert int(found[1]) == pytest.approx(115, rel=0.1)


def test_an_slc_cache_is_back_after_the_pause_of_the_page() -> None:
    result = wl.run(wl.preset("consumer-tlc", scale="1/64"), wl.fio(ROOT / "examples" / "slc-pause.fio"))
    (line,) = (each for each in result.warnings if "writes have two phases" in each)
    found = re.search(r"fast again for (\d+\.\d) GB after a pause of this part of 3 s$", line)
    assert found is not None, line
    assert float(found[1]) == pytest.approx(79, abs=2)


def test_a_drive_is_found_by_a_part_of_its_name() -> None:
    found = {each["name"] for each in json.loads(wordline("presets", "980", "--json").out)}
    assert "consumer-tlc" in found
    assert "mqsim" not in found
    for text in ("980pro", "980 Pro", "SAMSUNG980"):
        names = [each["name"] for each in json.loads(wordline("presets", text, "--json").out)]
        assert "samsung-980-pro-1tb" in names, text
