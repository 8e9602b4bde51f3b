"""Mean response times on MQSim's own kind of input stay within 5 % of MQSim's.

`tests/data/mqsim_means.json` has what MQSim gave for the pairs of files that this test makes; the simulators' random
numbers differ, the requests are as many, and both start from an empty SSD. `tools/mqsim_side_by_side.py` compares
more, with MQSim at hand.
"""

import importlib.util
import json
import statistics
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import wordline as wl
from wordline.mqsim.runs import runs

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = json.loads((ROOT / "tests" / "data" / "mqsim_means.json").read_text(encoding="utf-8"))
TOLERANCE = 0.05


def _pairs() -> ModuleType:
    """`tools/mqsim_pairs.py`, which is no package."""
    spec = importlib.util.spec_from_file_location("mqsim_pairs", ROOT / "tools" / "mqsim_pairs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


PAIRS = _pairs()


def write_bursts(path: Path) -> None:
    """A trace in bursts: unaligned 3- to 8-KiB requests, 40 % writes, many to places that were touched before."""
    state = 20

    def draw(below: int) -> int:
        # Knuth's linear congruential generator: the same on every machine and in every version.
        nonlocal state
        state = (state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % (1 << 64)
        return (state >> 33) % below

    time_ns, lines = 0, []
    places = [draw(4_000_000) for _ in range(1_500)]
    for number in range(6_000):
        time_ns += draw(2_000_000) if number % 40 == 0 else draw(4_000)
        place = places[draw(len(places))] if draw(2) else draw(4_000_000)
        lines.append(f"{time_ns} 0 {place} {6 + draw(11)} {int(draw(10) >= 4)}\n")
    path.write_text("".join(lines), encoding="ascii")


def case_of(entry: dict[str, Any], folder: Path) -> Any:  # noqa: ANN401 - a Case of PAIRS
    """The pair that a number was measured on."""
    settings = dict(entry["case"])
    if settings.pop("bursts", False):
        settings["trace"] = folder / "bursts.trace"
        write_bursts(settings["trace"])
    return PAIRS.Case(entry["name"], "reference", **settings)


@pytest.mark.parametrize("entry", REFERENCE["cases"], ids=lambda entry: entry["name"])
def test_mean_response_is_mqsims(entry: dict[str, Any], tmp_path: Path) -> None:
    case = case_of(entry, tmp_path)
    means = {"all": [], "read": [], "write": []}
    for seed in PAIRS.SEEDS[: case.seeds]:
        run = runs(*PAIRS.write_pair(case, seed, tmp_path))[0]
        result = wl.run(run.config, run.flows)
        assert result.all.count == entry["requests"]
        for op, values in means.items():
            values.append(getattr(result, op).mean)
    for op, values in means.items():
        theirs = entry["mean_us"][op]
        if theirs is not None:
            assert statistics.fmean(values) == pytest.approx(theirs, rel=TOLERANCE), op


OPTIONS = {
    case.name: case
    for make in (PAIRS.cache_cases, PAIRS.mapping_cases, PAIRS.flow_cases, PAIRS.used_cases)
    for case in make()
}


@pytest.mark.parametrize("entry", REFERENCE["options"], ids=lambda entry: entry["name"])
def test_means_of_flows_are_mqsims_with_caches_and_priorities(entry: dict[str, Any], tmp_path: Path) -> None:
    case = OPTIONS[entry["name"]]
    assert case.group == "options"
    means = []
    for seed in PAIRS.SEEDS[: case.seeds]:
        run = runs(*PAIRS.write_pair(case, seed, tmp_path))[0]
        flows = wl.run(run.config, run.flows).document["response_us"]["flows"]
        means.append([flow["mean"] for flow in flows.values()])
    ours = [statistics.fmean(values) for values in zip(*means, strict=True)]
    assert ours == pytest.approx(entry["mean_us"], rel=TOLERANCE)


def test_the_reference_covers_what_is_claimed() -> None:
    cases = {entry["name"]: entry["case"] for entry in REFERENCE["cases"]}
    assert len(cases) >= 12
    assert {1, 16, 64} <= {case.get("queue_depth", 1) for case in cases.values()}
    assert {0, 70, 100} <= {case.get("read_percent", 0) for case in cases.values()}
    assert any(case.get("bursts") for case in cases.values())
    assert any(case.get("sectors", 8) == 512 for case in cases.values())
