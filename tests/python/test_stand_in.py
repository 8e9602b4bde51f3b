"""A chip that stands in for the SSD's own acts; a fresh drive is as without it; all results say so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from cli_runner import wordline

DRIVES = {"datacenter-tlc": "tlc-48l", "datacenter-qlc": "qlc"}
SHORT = ("--workload", "fio/random-read", "--set", "workload.requests=2000")
WORN = {"reliability.pec": 1000, "reliability.retention_months": 12.0}


def line(chip: str) -> str:
    return f"{chip} stands in for the SSD's own chip"


def measured(config: wl.Config, workload: str) -> dict[str, Any]:
    document = wl.run(config, wl.workload(workload, requests=3000)).to_dict()
    # The policies differ, and so does what they count of their own.
    del document["counters"]["policy"]
    return {name: document[name] for name in ("response_us", "counters", "die_utilisation", "simulated_s")}


@pytest.mark.parametrize("name", DRIVES)
@pytest.mark.parametrize("workload", ["fio/random-read", "fio/random-mix"])
def test_a_fresh_drive_is_as_without_a_chip(name: str, workload: str) -> None:
    without = {"cells.chip": "none", "read.retry": "ideal"}
    assert measured(wl.preset(name), workload) == measured(wl.preset(name).set_all(without), workload)


@pytest.mark.parametrize("name", DRIVES)
def test_wear_and_retention_act(name: str) -> None:
    reads = wl.workload("fio/random-read", requests=3000)
    fresh, worn = (wl.run(wl.preset(name).set_all(keys), reads) for keys in ({}, WORN))
    assert fresh.document["read_retry"]["mean_steps"] == 0
    assert worn.document["read_retry"]["mean_steps"] > 2
    assert worn.read.mean > 2 * fresh.read.mean
    assert not any("had no effect" in warning for warning in worn.warnings)


def test_results_say_so(tmp_path: Path) -> None:
    for name, chip in DRIVES.items():
        printed = wordline("run", name, *SHORT, "--out", tmp_path / name)
        assert line(chip) in printed.out
        assert json.loads((tmp_path / name / "result.json").read_text())["stand_in"] == chip
        report = (tmp_path / name / "report.html").read_text(encoding="utf-8")
        assert f"{chip} stands in for the SSD&#x27;s own chip" in report
    compared = wordline("compare", "datacenter-tlc", *SHORT, "--set", "host.queue_depth=1,8")
    assert compared.out.count(line("tlc-48l")) == 1
    seeds = wl.replicate(wl.preset("datacenter-tlc"), wl.workload("fio/random-read", requests=200), seeds=2, jobs=1)
    assert seeds.stand_in == "tlc-48l"
    assert line("tlc-48l") in seeds._repr_html_().replace("&#x27;", "'")


def test_a_chip_of_the_user_does_not_stand_in() -> None:
    for settings in (("--set", "cells.chip=tlc-2d"), ("--set", "cells.chip=none")):
        assert "stands in" not in wordline("run", "datacenter-tlc", *SHORT, *settings).out
    assert "stands in" not in wordline("run", "aero", *SHORT).out


def test_the_list_of_presets_has_what_they_lack() -> None:
    listed = {each["name"]: each for each in json.loads(wordline("presets", "--json").out)}
    assert "tlc-48l" in listed["datacenter-tlc"]["lacks"]
    assert all(each["lacks"].endswith(".") for each in listed.values())
