"""Configurations: presets, files, settings, and the source of each value."""

from __future__ import annotations

import copy
import hashlib
import pickle
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordline as wl
from api_helpers import ROOT, small


def test_every_preset_of_the_source_tree_is_carried() -> None:
    files = {path.stem for path in (ROOT / "presets" / "ssd").glob("*.toml")}
    assert {info.name for info in wl.presets()} == files
    for info in wl.presets():
        config = wl.preset(info.name)
        assert config.host_bytes > 0
        assert info.summary.endswith(".")


def test_every_workload_of_the_source_tree_is_carried() -> None:
    folder = ROOT / "presets" / "workloads"
    files = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.toml")}
    assert {info.name for info in wl.workloads()} == files
    config = wl.preset("mqsim")
    for info in wl.workloads():
        resolved = wl.workload(info.name).config(config)
        table = tomllib.loads(info.text)["workload"]
        assert {key: resolved[f"workload.{key}"] for key in table} == table
        assert resolved["workload.name"] == table.get("name", info.name)


def test_keywords_mean_keys() -> None:
    config = wl.preset("pnar2", read_retry="baseline", pec=2000, retention_months=6, ssd__channels=16)
    assert config["read.retry"] == "baseline"
    assert config["reliability.pec"] == 2000
    assert config["reliability.retention_months"] == 6.0
    assert config["ssd.channels"] == 16


def test_a_configuration_does_not_change() -> None:
    config = small()
    other = config.set("ssd.channels", 4)
    assert (config["ssd.channels"], other["ssd.channels"]) == (2, 4)
    assert config != other
    assert config == small()
    assert hash(config) == hash(small())
    assert pickle.loads(pickle.dumps(other)) == other
    assert copy.deepcopy(other) == other


def test_who_set_what() -> None:
    config = wl.preset("pnar2", pec=2000)
    origin = config.origin("ssd.page_bytes")
    assert origin.layer == "preset pnar2"
    assert (
        wl.presets()[[info.name for info in wl.presets()].index("pnar2")]
        .text.splitlines()[(origin.line or 0) - 1]
        .startswith("page_bytes = 16384")
    )
    assert "section 7.1" in origin.comment
    assert config.origin("reliability.pec").line is None
    assert "2000" in config.origin("reliability.pec").layer
    assert config.origin("gc.d").layer.startswith("presets/base")
    assert "us" in config.documentation("nand.erase_us")


def test_the_file_names_its_preset(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('# mine\npreset = "aero" # with a comment\n\n[ssd]\nchannels = 4\n')
    config = wl.config(path)
    assert config["ssd.channels"] == 4
    assert config["ssd.page_bytes"] == wl.preset("aero")["ssd.page_bytes"]
    assert config.origin("ssd.channels").line == 5


def test_toml_gives_the_configuration_again() -> None:
    config = wl.preset("rif", pec=1000).set(
        "workload.phases", [{"requests": 5, "inter_arrival_us": 1, "read_ratio": 1}]
    )
    again = wl.config(text=config.to_toml())
    assert again == config
    assert again.hash == config.hash == hashlib.sha256(config.to_toml().encode()).hexdigest()
    assert config.to_dict() == tomllib.loads(config.to_toml())


def test_equal_values_have_one_hash() -> None:
    by_int = wl.preset("pnar2", retention_months=6)
    by_float = wl.config(text='preset = "pnar2"\n[reliability]\nretention_months = 6.0\n')
    by_text = wl.preset("pnar2").assign("reliability.retention_months=6")
    by_numpy = wl.preset("pnar2").set("retention_months", np.float64(6))
    assert by_int.hash == by_float.hash == by_text.hash == by_numpy.hash


def test_dotted_keys_are_all_there() -> None:
    config = small()
    assert "ssd.channels" in config
    assert "ssd.chanels" not in config
    assert set(config) == set(config.keys()) >= {"seed", "workload.requests", "erase.yield"}
    for key in config:
        assert config[key] is not None


@given(st.text(max_size=40))
def test_any_text_is_a_name(name: str) -> None:
    assert small().set("workload.name", name)["workload.name"] == name


@given(st.integers(0, 2**63 - 1), st.floats(0, 100_000, allow_nan=False))
def test_numbers_arrive_as_they_are(seed: int, months: float) -> None:
    config = small().set("seed", seed)
    assert config["seed"] == seed
    if months <= 1000:
        assert (
            config.set("workload.hot_access_fraction", months / 1000)["workload.hot_access_fraction"] == months / 1000
        )


def test_policies_are_those_of_the_core() -> None:
    listed = wl.policies()
    assert {"greedy", "d-choices"} <= {info.name for info in wl.policies("gc")}
    assert {info.slot for info in listed} >= {"read_retry", "erase", "program", "coding", "gc", "schedule", "flush"}
    (sampling,) = (info for info in listed if info.name == "d-choices")
    assert sampling.parameters == ("gc.d",)
    base = wl.config()
    for info in listed:
        assert info.help, info
        assert base[info.key] is not None


def test_sizes_and_counts_may_have_suffixes_everywhere() -> None:
    digits = wl.preset("mqsim", page_bytes=16384, workload__requests=1_000_000, footprint_bytes=2_000_000_000)
    for written in (
        wl.preset("mqsim", page_bytes="16k", workload__requests="1M", footprint_bytes="2GB"),
        wl.preset("mqsim").assign("ssd.page_bytes=16KiB", "workload.requests=1e6", "workload.footprint_bytes=2GB"),
        wl.config(
            text='preset = "mqsim"\n[ssd]\npage_bytes = "16k"\n[workload]\nrequests = 1e6\nfootprint_bytes = "2GB"\n'
        ),
    ):
        assert written == digits
    assert wl.workload("fio/random-read", requests="10k").config(wl.preset("mqsim"))["workload.requests"] == 10_000
    with pytest.raises(wl.errors.WrongValueError, match="such as 10k or 1M"):
        wl.preset("mqsim", workload__requests="1MB")


@pytest.mark.parametrize(
    ("key", "text", "value"), [("ssd.overprovisioning", "13%", 0.13), ("zones.reset_holds", "50 %", 0.5)]
)
def test_a_share_may_be_written_in_percent(key: str, text: str, value: float) -> None:
    assert wl.preset("mqsim").set(key, text)[key] == value
    with pytest.raises(wl.errors.ConfigError, match=re.escape(f'`{key}` = "x%" is not a number')):
        wl.preset("mqsim").set(key, "x%")


def test_percent_of_what_is_no_share_is_refused() -> None:
    with pytest.raises(wl.errors.ConfigError, match="is not a number"):
        wl.preset("mqsim").set("workload.inter_arrival_us", "60%")
