"""The runs of `make tuned`, which no other test makes: each has a configuration and a workload that exist."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import wordline

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def test_the_runs_of_the_profile_can_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))
    train = import_module("train")
    for preset, workload, requests, settings in train.RUNS:
        # A configuration that cannot begin is refused when it is made.
        assert train.configured(preset, requests, settings)["workload.requests"] == requests
        assert wordline.workload(workload).name == workload
