"""What a preset was fitted to: a run that makes other requests warns, and lists say which preset is for what."""

from __future__ import annotations

import json
import re

import pytest

import wordline as wl
from cli_runner import ROOT, wordline
from wordline.fitted import basis_of, fitted_ops, warnings_of_fit

READS_ALONE = "samsung-980-pro-1tb"
NEW = "intel-d3-s4610-480gb-new"
BOTH = "samsung-pm883-480gb"


def said_of(ssd: wl.Config | str, workload: str) -> list[str]:
    result = wl.run(ssd, workload, requests=300, scale="1/128")
    return [each for each in result.warnings if "was fitted to" in each]


def test_writes_on_a_preset_of_reads_warn_with_what_it_lacks() -> None:
    (line,) = said_of(READS_ALONE, "fio/random-mix")
    assert line.startswith(f"{READS_ALONE} was fitted to reads alone: IOPS and times of writes")
    assert "its SLC cache and all of its writes" in line


def test_a_file_on_top_of_the_preset_warns_too() -> None:
    own = wl.config(text=f'preset = "{READS_ALONE}"\n[ssd]\noverprovisioning = 0.1\n')
    assert len(said_of(own, "fio/random-write")) == 1


def test_the_comment_of_a_users_file_is_no_word_of_a_preset() -> None:
    own = wl.config(text="# My drive, fitted to reads of a file.\n[ssd]\noverprovisioning = 0.1\n")
    assert said_of(own, "fio/random-write") == []


@pytest.mark.parametrize(
    ("ssd", "workload"),
    [(READS_ALONE, "fio/random-read"), (BOTH, "fio/random-mix"), ("consumer-tlc", "fio/random-mix")],
)
def test_no_warning_where_the_load_is_what_was_fitted_or_nothing_was(ssd: str, workload: str) -> None:
    assert said_of(ssd, workload) == []


def test_a_preset_whose_times_nobody_measured_says_so_of_both() -> None:
    (line,) = said_of("samsung-pm9d3a-7680gb", "fio/random-mix")
    assert "neither reads nor writes: IOPS and times of reads and writes" in line


def errors_of(ssd: str, workload: str) -> list[str]:
    result = wl.run(ssd, workload, requests=300, scale="1/128")
    return [each for each in result.warnings if each.startswith(f"{ssd}: ")]


def test_a_run_says_large_errors_of_the_fit_in_what_it_makes() -> None:
    (line,) = errors_of(BOTH, "fio/random-mix")
    assert line == (
        f"{BOTH}: errors that nine of ten points of its fit stay within: writes p99 38 %, p99.9 52 % "
        "(docs/validation/real-drives.md)"
    )
    assert errors_of(BOTH, "fio/random-read") == [], "reads are within 15 %"
    assert "reads p99 33 %, p99.9 41 %" in errors_of(READS_ALONE, "fio/random-read")[0]
    assert errors_of("consumer-tlc", "fio/random-mix") == []


def test_reads_beside_writes_have_errors_of_their_own() -> None:
    ssd = "wd-sn540-960gb"
    assert errors_of(ssd, "fio/random-read") == []
    (line,) = errors_of(ssd, "fio/random-mix")
    assert "reads p99.9 45 %; writes p50 30 %, p99 82 %, p99.9 93 %" in line


def test_garbage_collection_that_is_not_the_drives_is_said_where_it_works() -> None:
    def said(jobs: int) -> list[str]:
        return warnings_of_fit(wl.preset(BOTH), {"requests": {"read": 9, "write": 0}, "gc": {"jobs": jobs}})

    assert said(0) == []
    assert said(3) == [f"{BOTH}: its garbage collection is not the drive's (docs/validation/real-drives.md)"]


@pytest.mark.parametrize("preset", wl.presets(), ids=lambda each: each.name)
def test_the_errors_in_a_head_are_of_what_it_was_fitted_to(preset: wl.PresetInfo) -> None:
    fitted = fitted_ops(preset.text)
    errors = re.findall(r"^# Error of the fit, (?:\d+ )?(read|write)s", preset.text, re.MULTILINE)
    assert set(errors) <= set(fitted or ())
    assert (fitted is not None) == ("# Error of the fit" in preset.text)
    if "writes" in preset.lacks and "tails of writes" not in preset.lacks and "single writes" not in preset.lacks:
        assert fitted == ("read",)


def test_the_list_says_which_presets_are_of_data_sheets_alone() -> None:
    answer = wordline("presets", "pm9a3", "--json")
    (row,) = json.loads(answer.out)
    assert row["basis"].startswith("made of data sheets and publications, not fitted to latencies")
    assert f"datacenter-tlc: {row['basis']}\n" in wordline("presets", "pm9a3").err
    based = {each.name: basis_of(each) for each in wl.presets()}
    assert all((ROOT / text.rpartition("(")[2].rstrip(")")).is_file() for text in based.values() if text)
    assert {name for name, text in based.items() if text} == {"datacenter-tlc", "consumer-tlc", "consumer-qlc"}


def test_the_list_says_which_preset_is_for_what() -> None:
    use = "fitted to reads alone; for writes or mixes: consumer-tlc"
    assert f"{READS_ALONE}: {use}\n" in wordline("presets", "980").err
    assert all(f"\n{name}: fitted to reads" in f"\n{wordline('presets').err}" for name in (READS_ALONE, NEW))
    rows = {each["name"]: each["use"] for each in json.loads(wordline("presets", "--json").out)}
    assert rows[READS_ALONE] == use
    assert rows[NEW].endswith("; for writes or mixes: intel-d3-s4610-480gb")
    assert rows["consumer-tlc"] == ""
