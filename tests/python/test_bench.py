"""`make bench`: what it makes of the numbers of two versions, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """`tools/bench.py`, which is no package."""
    monkeypatch.syspath_prepend(str(TOOLS))
    return import_module("bench")


def version(name: str, rates: list[float], us_per_request: float) -> SimpleNamespace:
    """A version whose loops have these rates, one after the other, and whose processes start in half a second."""
    left = iter(rates)

    def run(_preset: str, _workload: str, _settings: object, requests: int) -> SimpleNamespace:
        return SimpleNamespace(cpu_s=0.5 + requests * us_per_request * 1e-6)

    return SimpleNamespace(
        name=name, loop=lambda part: None if part == "fill" else {"page_operations_per_s": next(left)}, run=run
    )


def test_the_best_of_the_repetitions_is_compared(bench: ModuleType) -> None:
    both = [version("now", [4.0, 6.0], 1.0), version("8d38dd2", [3.0, 1.0], 1.5)]
    found = bench.loops("random_read", both, 2)
    assert found["now"] == {"page_operations_per_s": 6.0}
    assert found["times_as_fast"] == 2.0


def test_a_part_that_the_older_version_lacks_has_no_ratio(bench: ModuleType) -> None:
    both = [version("now", [], 1.0), version("8d38dd2", [], 1.5)]
    assert bench.loops("fill", both, 1) == {"now": None, "8d38dd2": None, "times_as_fast": None}


def test_start_up_is_in_no_time_of_a_request(bench: ModuleType) -> None:
    both = [version("now", [], 1.0), version("8d38dd2", [], 1.5)]
    found = bench.runs("gc_heavy_writes", both, 2)
    assert found["now"]["us_per_request"] == pytest.approx(1.0)
    assert found["times_as_fast"] == pytest.approx(1.5)
    assert bench.runs("gc_heavy_writes", both[:1], 2) == {"us_per_request": pytest.approx(1.0)}


def test_a_part_that_is_not_there_is_refused_before_anything_is_built() -> None:
    command = [sys.executable, str(TOOLS / "bench.py"), "--only", "nothing"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("no part nothing: there are bare_loop, random_read")
