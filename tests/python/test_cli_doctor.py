"""`wordline doctor` tells what is there, and finds a simulator that gives other results."""

import json
import os
from pathlib import Path

import pytest

from cli_runner import wordline
from wordline import machine, selftest
from wordline.aged_drives import take
from wordline.extras import Extra
from wordline.sweeps import Store, run_points
from wordline.sweeps.point import Point


def test_it_names_versions_the_machine_and_optional_tools() -> None:
    answer = wordline("doctor", "--quick", "--json")
    assert answer.code == 0
    found = {finding["name"]: finding for finding in json.loads(answer.out)["findings"]}
    assert {"wordline", "python", "cores", "memory", "matplotlib", "chromium", "fio"} <= set(found)
    assert int(found["cores"]["value"]) >= 1


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "EXTRAS", {"nothing": Extra("nothing", ("no-such-package",))})
    (missing,) = [finding for finding in machine.findings() if finding.name == "no-such-package"]
    assert not missing.is_ok
    assert "wordline[nothing]" in missing.hint


def test_the_self_test_gives_its_known_hash() -> None:
    answer = wordline("doctor")
    assert (answer.code, "passed in" in answer.out, selftest.EXPECTED in answer.out) == (0, True, True)


def test_other_results_fail_the_self_test(monkeypatch: pytest.MonkeyPatch) -> None:
    # Few requests on one SSD are enough to see that the hash follows the results.
    few = tuple((ssd, name, {**keys, "workload.requests": 1000}) for ssd, name, keys in selftest.RUNS[:1])
    monkeypatch.setattr(selftest, "RUNS", few)
    once = selftest.self_test()
    monkeypatch.setattr(selftest, "RUNS", tuple((ssd, name, {**keys, "seed": 2}) for ssd, name, keys in few))
    assert selftest.self_test() != once


def test_the_cache_is_listed_and_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WORDLINE_DRIVES_GB", "3")
    monkeypatch.setattr(take, "WORTH_S", 0.0)
    small = {"ssd.blocks_per_plane": 64, "ssd.pages_per_block": 16, "precondition.fill": 0.5, "workload.requests": 20}
    points = [Point("mqsim", {**small, "nand.erase_us": erase_us}, "fio/random-read") for erase_us in (3000.0, 5000.0)]
    run_points(points, jobs=1, store=Store(tmp_path / "cache"))
    (drive,) = (tmp_path / "cache" / "drives").glob("*.drive")
    damaged = drive.with_name("0-0.drive")
    damaged.write_bytes(b"nothing")
    theirs = tmp_path / "cache" / "ab" / "notes"
    theirs.parent.mkdir(exist_ok=True)
    theirs.write_text("mine")
    os.utime(damaged, (1, 1))

    found = json.loads(wordline("doctor", "--cache", "--json").out)
    assert found["folder"] == str(tmp_path / "cache")
    assert found["drives_limit_bytes"] == 3e9
    assert [each["drive"] for each in found["drives"]] == ["mqsim", "damaged"]
    assert found["drives"][0]["size_bytes"] == drive.stat().st_size
    assert found["drives"][0]["aged_at_s"] > 1e9
    assert (found["points"]["count"], found["points"]["size_bytes"] > 0) == (2, True)

    shown = wordline("doctor", "--cache")
    assert (shown.code, "mqsim" in shown.out, "2 finished points" in shown.out) == (0, True, True)
    assert "days ago" in shown.out
    assert "WORDLINE_DRIVES_GB" in shown.err

    assert "drives are removed" in wordline("doctor", "--cache", "--clear", "drives").err
    left = json.loads(wordline("doctor", "--cache", "--json").out)
    assert (left["drives"], left["points"]["count"]) == ([], 2)
    assert wordline("doctor", "--cache", "--clear", "all").code == 0
    assert json.loads(wordline("doctor", "--cache", "--json").out)["points"]["count"] == 0
    assert theirs.read_text() == "mine", "what is not Wordline's stays"


def test_clear_needs_the_cache_to_be_named() -> None:
    answer = wordline("doctor", "--clear", "all")
    assert answer.code == 2
    assert "doctor --cache --clear" in answer.err
