"""The schema of a result holds every field, and what a run gives fits it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import wordline as wl
from cli_runner import wordline
from wordline.document import Document
from wordline.record.schema import numbers, result_schema
from wordline.stats.columns import PERCENTILES
from wordline.workload import FioJob

ROOT = Path(__file__).resolve().parents[2]


def results() -> dict[str, wl.Result]:
    short = wl.workload("fio/random-mix", requests=1200)
    fast = wl.preset("ofwar").set_all({"ssd.blocks_per_plane": 64})
    flows = [wl.Flow("a", short), wl.Flow("b", short)]
    return {
        "plain": wl.run(wl.preset("pnar2"), short),
        "two flows, checked": wl.run(wl.preset("pnar2"), flows, check=True, timeline_us=(0, 100)),
        "seeds": wl.replicate(wl.preset("datacenter-tlc"), short, seeds=2, jobs=1),
        "until": wl.run_until(wl.preset("pnar2"), short, goals=["iops ±50%"], limit=1),
        "fast programs": wl.run(fast, short),
    }


@pytest.fixture(scope="module")
def made() -> dict[str, wl.Result]:
    return results()


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(result_schema())


def test_results_fit_the_schema(made: dict[str, wl.Result]) -> None:
    validator = jsonschema.Draft202012Validator(result_schema())
    for name, result in made.items():
        document = json.loads(json.dumps(result.to_dict()))
        assert [f"{name}: {error.json_path}: {error.message[:200]}" for error in validator.iter_errors(document)] == []


def test_what_is_no_result_does_not_fit(made: dict[str, wl.Result]) -> None:
    validator = jsonschema.Draft202012Validator(result_schema())
    document: Any = made["plain"].to_dict()
    for change in ({"new_field": 1}, {"iops": {"all": 1}}, {"schema_version": 1}, {"seed": "one"}):
        assert not validator.is_valid({**document, **change}), change


def test_every_number_of_a_result_has_a_unit_and_a_meaning() -> None:
    assert [each.path for each in numbers() if not each.unit or not each.text] == []
    paths = {each.path: each for each in numbers()}
    assert paths["counters.ftl.read_reclaim_jobs"].unit == "count"
    assert paths["outside.warmup.written_bytes.by_cause.gc"].unit == "bytes"
    assert (paths["flows.*.iops.read"].unit, paths["erase_us.p99"].unit) == ("1/s", "us")
    assert [paths[name].is_measured for name in ("iops.all", "wall_s", "seed")] == [True, False, False]


def test_of_several_seeds_counts_may_be_fractions() -> None:
    assert result_schema()["$defs"]["FtlCounters"]["properties"]["erases"]["type"] == "number"
    assert result_schema()["$defs"]["Checkpoint"]["properties"]["seeds"]["type"] == "integer"


def test_python_knows_the_fields_of_the_form() -> None:
    form = result_schema()
    assert Document.__required_keys__ == set(form["required"])
    assert {*Document.__annotations__} == {*form["properties"]}
    assert {each.name for each in fields(wl.LatencySummary)} == {*form["$defs"]["LatencySummary"]["properties"]}
    assert {"mean", "std", "min", "max", *PERCENTILES} == {*form["$defs"]["Spread"]["properties"]}


def test_a_flow_has_one_form() -> None:
    form = result_schema()["$defs"]["Flow"]
    settings = {each.name for each in fields(wl.Flow)} - {"name", "workload"}
    assert settings == set(form["required"]) - {"flow", "name", "source", "synthetic"}
    config = wl.preset("pnar2")
    job = FioJob("job", "x.fio", '{"random": true}', 3)
    for workload in (wl.trace("t.csv", limit=5, device=3), wl.workload("ycsb/a", requests=9), job):
        flow = wl.Flow("a", workload, "paced", queue_depth=3, rest=(10, 1000), sectors=2**40, lasts_s=0.1)
        made = flow.form(flow.config(config))
        assert wl.Flow.of(json.loads(json.dumps(made))) == flow
        assert set(made) <= set(form["properties"])


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"priority": "first"}, "unknown variant `first`, expected one of `urgent`, `high`, `medium`, `low`"),
        ({"mode": "shut"}, "unknown variant `shut`"),
        ({"weight": 0}, "weight takes 1 or more"),
        ({"queue_depth": 70_000}, "queue_depth takes 1 to 65535"),
        ({"first_sector": -1}, "invalid value: integer `-1`"),
        ({"time_scale": 0.0}, "time_scale takes a number above 0"),
    ],
)
def test_a_wrong_setting_of_a_flow_names_the_flow(settings: dict[str, Any], why: str) -> None:
    flow = wl.Flow("front", wl.workload("ycsb/a", requests=9), **settings)
    with pytest.raises(wl.errors.WorkloadError, match=re.escape(f"flow `front`: {why}")):
        wl.run(wl.preset("pnar2"), flow)


def test_the_command_prints_it() -> None:
    answer = wordline("schema", "result")
    assert answer.code == 0, answer.err
    assert json.loads(answer.out) == result_schema()


def test_what_is_made_of_the_form_is_fresh() -> None:
    script = ROOT / "tools" / "gen_result_form.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
