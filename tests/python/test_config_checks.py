"""The values of a key are declared once, and checked before anything is built."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from api_helpers import ROOT, small
from cli_runner import wordline
from wordline import errors
from wordline.config import parameters
from wordline.config_schema import schema


def test_every_key_says_what_it_takes() -> None:
    config = wl.config()
    assert set(parameters()) == set(config)
    for key, row in parameters().items():
        assert row["help"], key
        assert row["values"], key
        assert row["default"] == config[key], key
        assert config.documentation(key) == row["comment"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gc.d=0", "`gc.d` = 0 is out of range; it takes 1..1024 blocks"),
        ("nand.erase_us=nan", "`nand.erase_us` = nan is out of range"),
        ("workload.hot_fraction=nan", "it takes above 0 to below 1"),
        ("gc.policy=greedyy", "did you mean `greedy`?"),
        ("ssd.channels=true", "`ssd.channels` = true is not a whole number"),
        ("ssd.page_bytes=5000", "4096 | 8192"),
        ("workload.phases=[{requests=0, inter_arrival_us=1, read_ratio=1}]", "`workload.phases`"),
        ("ssd.channels=4\nssd.chips_per_channel=2", "is not a whole number"),
    ],
)
def test_a_wrong_value_is_named_with_what_the_key_takes(text: str, said: str) -> None:
    with pytest.raises(errors.ConfigError) as caught:
        wl.config().assign(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.key == text.partition("=")[0]


def test_a_key_that_is_switched_off_is_a_warning_of_the_run(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('preset = "pnar2"\n[gc]\nd = 4\n[workload]\nrequests = 100\n')
    config = wl.config(path)
    assert config.warnings == [f'{path}:3: `gc.d` has no effect: it needs gc.policy = d-choices, which is "greedy"']
    assert config.warnings[0] in wl.run(config).warnings
    assert config.set("gc.policy", "d-choices").warnings == []
    assert len(wl.config().assign("erase.shallow_us=500").warnings) == 1
    # Presets and the axes of a grid set keys for all that follow.
    assert wl.preset("pnar2").set("gc.d", 4).warnings == []
    assert [info.name for info in wl.presets() if wl.preset(info.name).warnings] == []


def test_a_shallow_erasure_that_no_chip_makes_is_refused_whatever_the_scheme() -> None:
    drive = wl.config(ROOT / "examples" / "small-ssd.toml")
    assert drive["erase.scheme"] == "fixed"
    for wrong_us in (0.0, 250.0, 3500.0):
        with pytest.raises(errors.WordlineError, match=r"erase\.shallow_us"):
            wl.run(drive.set("erase.shallow_us", wrong_us), requests=10)


def test_an_endless_file_is_no_configuration() -> None:
    answer = wordline("run", "/dev/zero")
    assert answer.code == 2
    assert "is a device or a pipe" in answer.err


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: wl.preset(3), errors.UnknownPresetError),  # type: ignore[arg-type]
        (lambda: wl.trace(None), errors.TraceOptionError),  # type: ignore[arg-type]
        (lambda: wl.trace([None]), errors.TraceOptionError),  # type: ignore[list-item]
        (lambda: wl.compare(small(), None, {"host.queue_depth": 4}), errors.ConfigError),  # type: ignore[dict-item]
        (lambda: wl.config().set("gc.d\ngc.x", 3), errors.UnknownKeyError),
        (lambda: wl.config().set(3, 4), errors.UnknownKeyError),  # type: ignore[arg-type]
        (lambda: wl.config({"gc.d": 3}), errors.ConfigError),  # type: ignore[arg-type]
        (lambda: wl.config(text=3), errors.ConfigError),  # type: ignore[arg-type]
        (lambda: wl.workload(3), errors.UnknownWorkloadError),  # type: ignore[arg-type]
        (lambda: wl.fio(3), errors.WorkloadError),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_type_is_a_mistake_with_a_message(call: Callable[[], object], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        call()


def test_a_run_that_only_warms_up_says_so() -> None:
    result = wl.run(small(workload__requests=100, host__warmup_requests=100))
    assert any("nothing was measured" in warning for warning in result.warnings)


def test_latencies_beyond_the_histogram_are_counted_and_said() -> None:
    slow = wl.config().assign("host.link_rate_mb_s=0.01", "host.queue_depth=1")
    result = wl.run(slow.assign("workload.requests=3", "workload.read_block_bytes=1_073_741_824"))
    assert result.document["requests"]["beyond_histogram"] == 3
    assert any("3 response times are longer than the 100000 s" in warning for warning in result.warnings)


def test_times_beyond_what_a_run_can_tell_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    path.write_text("0,0,R,0,4096\n1,0,R,0,4096\n")
    trace = wl.trace(path, csv_columns="time-col=1,op-col=3,offset-col=4,size-col=5,time-unit=s")
    late = wl.config().set_all({"host.mode": "open", "host.time_scale": 1e9})
    assert wl.run(late, trace).simulated_s >= 1e9
    path.write_text("0,0,R,0,4096\n10,0,R,0,4096\n")
    with pytest.raises(errors.RequestError, match="arrives at"):
        wl.run(late, trace)


def _takes(domain: Any, value: object) -> bool:  # noqa: ANN401 - JSON
    """A judge of its own: the few rules of JSON Schema that the schema of the configuration uses."""
    if "anyOf" in domain:
        return any(_takes(each, value) for each in domain["anyOf"])
    if "enum" in domain:
        return value in domain["enum"]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match domain["type"]:
        case "boolean":
            return isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "array":
            return isinstance(value, list) and domain["minItems"] <= len(value) <= domain["maxItems"]
        case "integer" | "number":
            low = domain.get("minimum", -math.inf) if is_number else 0
            return is_number and low <= value <= domain.get("maximum", math.inf)  # type: ignore[operator]
        case _:
            return False


def test_the_schema_has_every_key_and_takes_every_default_and_preset() -> None:
    answer = wordline("schema", "config")
    document = json.loads(answer.out)
    assert document == schema()
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    configs = [wl.config(), *(wl.preset(info.name) for info in wl.presets())]
    for key, row in parameters().items():
        section, _, name = key.rpartition(".")
        properties = document["properties"]
        domain = (properties[section]["properties"] if section else properties)[name]
        assert domain["description"] == row["help"]
        assert all(_takes(domain, config[key]) for config in configs), key


def test_the_base_files_are_the_declarations() -> None:
    config = wl.config(text="\n".join((ROOT / "presets" / "base" / name).read_text() for name in ("ssd.toml",)))
    assert config == wl.config()
