"""`wordline doctor` tells what is there, and finds a simulator that gives other results."""

import json

import pytest

from cli_runner import wordline
from wordline import machine, selftest
from wordline.extras import Extra


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
