"""The steady-state test: the window's rule, the cells, and a whole short test."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.pts import TESTS, Measured, cells, measure, steady_window
from wordline.pts.measure import rounds_of
from wordline.pts.rounds import goes_on

SMALL = ("--scale", "1/1000")


@pytest.mark.parametrize(
    ("rounds", "first"),
    [
        ([100.0] * 5, 0),
        ([500.0, 300.0, 100.0, 101.0, 99.0, 100.0, 100.0], 2),
        ([100.0, 102.5, 105.0, 107.5, 109.9], 0),
        # A slope of more than 10 %, although the range is less than 20 %.
        ([100.0, 103.0, 106.0, 109.0, 112.0], None),
        # A range of more than 20 %, although there is no slope.
        ([100.0, 130.0, 100.0, 130.0, 100.0], None),
        ([100.0] * 4, None),
        ([0.0] * 6, None),
    ],
)
def test_five_rounds_are_steady_or_not(rounds: list[float], first: int | None) -> None:
    found = steady_window(rounds)
    assert (None if found is None else found.first) == first


def test_a_round_within_which_the_run_ends_is_left_out() -> None:
    assert rounds_of([100, 90, 3], [0.5, 0.5, 0.4]) == [200.0, 180.0]
    # GC goes on after the last request.
    assert rounds_of([100, 90, 3], [0.5, 0.5, 9.0]) == [200.0, 180.0]
    assert rounds_of([100], [0.5]) == [200.0]


def test_the_cells_are_those_of_the_specification() -> None:
    assert [len(cells(test)) for test in TESTS] == [56, 4, 9, 1]
    assert all(cell.settings["host.queue_depth"] == 1 for cell in cells("latency"))
    assert cells("write-saturation")[0].settings["precondition.fill"] == 0.0


def test_a_short_test_is_measured_drawn_and_saved(tmp_path: Path) -> None:
    out = tmp_path / "pts"
    args = (*SMALL, "--no-steady", "--quick", "--requests", "2000", "--until-limit", "1", "--test", "latency")
    answer = wordline("pts", "datacenter-tlc", *args, "--out", out, "--json")
    assert answer.code == 0, answer.err
    document = json.loads((out / "pts.json").read_text())
    assert document == json.loads(answer.out)
    assert [each["cell"] for each in document["cells"]] == ["100/0 4 KiB", "65/35 4 KiB", "0/100 4 KiB"]
    reads = document["cells"][0]
    assert reads["steady"]["range"] <= 0.2
    window = reads["rounds_iops"][reads["steady"]["first_round"] - 1 :][:5]
    assert reads["steady"]["iops"] == pytest.approx(sum(window) / 5)
    mean_us = reads["steady"]["mean_us"]
    # A closed loop with one request at a time: its rate is one over its response time.
    assert mean_us == pytest.approx(1e6 / reads["steady"]["iops"], rel=0.02)
    assert reads["steady"]["bandwidth_mb_s"] == pytest.approx(reads["steady"]["iops"] * 4096 / 1e6)
    names = {path.name for path in out.iterdir()}
    assert {"latency.png", "pts.csv", "rounds.csv", "points.json", "points", "run.toml", "report.html"} <= names
    rows = list(csv.DictReader((out / "pts.csv").read_text(encoding="utf-8").splitlines()))
    assert float(rows[0]["steady.iops"]) == pytest.approx(reads["steady"]["iops"])
    assert len((out / "rounds.csv").read_text().splitlines()) == 1 + sum(
        len(each["rounds_iops"]) for each in document["cells"]
    )
    loaded = wl.load(out)
    assert isinstance(loaded, wl.Results)
    mixed = loaded.one(test="latency", cell="65/35 4 KiB").result
    assert mixed is not None
    assert mixed.all.count == document["cells"][1]["requests"]
    again = wordline("rerun", out, "--jobs", "1")
    assert again.code == 0, again.err


def test_a_part_is_tested_until_its_numbers_are_known() -> None:
    args = ("--quick", "--requests", "1000", "--test", "latency", "--scale", "1/1000", "--json")
    answer = wordline("pts", "datacenter-tlc", *args, "--no-steady", "--until", "mean ±50%", "--until-limit", "2")
    assert answer.code == 0, answer.err
    document = json.loads(answer.out)
    assert document["scale"] == 1 / 1000
    assert all(each["goals"][0]["path"] == "response_us.all.mean" for each in document["cells"])
    assert all(each["requests"] in (1000, 2000) for each in document["cells"])
    assert wordline("pts", "datacenter-tlc", *args, "--until", "speed ±2%").code == 2


def test_a_drive_whose_collection_has_just_begun_is_not_steady() -> None:
    """Five of its rounds are even, at a write amplification of 50 that no longer run has."""
    mixed = _mixed(wl.preset("datacenter-tlc").set_all({"ssd.scale": "1/1000"}), steady=False, requests=5_000)
    assert mixed.result.write_amplification is not None
    assert mixed.result.write_amplification > 20
    assert steady_window(mixed.rounds) is not None
    assert mixed.window is None


def test_a_load_at_its_equilibrium_is_measured_there() -> None:
    """The write amplification of the window is that of a run of many times its length."""
    ssd = wl.preset("mqsim").set_all({"ssd.blocks_per_plane": 64, "ssd.pages_per_block": 64, "ssd.channels": 1})
    ssd = ssd.set_all({"ssd.chips_per_channel": 1, "ssd.overprovisioning": 0.2, "gc.preemptible": True})
    mixed = _mixed(ssd, steady=True, requests=10_000, limit=8)
    assert mixed.steady is not None
    long = wl.run(ssd.set_all(mixed.cell.settings), wl.workload(None, requests=100_000))
    assert mixed.steady.write_amplification == pytest.approx(long.write_amplification, rel=0.1)


def _mixed(ssd: wl.Config, *, steady: bool, requests: int, limit: int = 1) -> Measured:
    made = measure(ssd, "latency", quick=True, steady=steady, requests=requests, limit=limit)
    return next(each for each in made if each.cell.name == "65/35 4 KiB")


def test_even_rounds_must_go_on() -> None:
    assert goes_on([100.0] * 10, 0)
    assert not goes_on([100.0] * 9, 0)
    assert not goes_on([100.0] * 5 + [90.0] * 5, 0)
    assert goes_on([150.0, *[100.0] * 10], 1)


def test_loads_that_write_begin_at_their_equilibrium() -> None:
    overwrites = {each.name: each.settings["precondition.overwrite"] for each in cells("iops", quick=True)}
    assert overwrites["65/35 4 KiB"] == overwrites["0/100 64 KiB"] == "steady"
    assert overwrites["100/0 4 KiB"] == 1.0
    assert cells("write-saturation")[0].settings["precondition.overwrite"] == 0.0


def test_an_unknown_test_is_refused() -> None:
    answer = wordline("pts", "pnar2", "--test", "speed")
    assert answer.code == 2
    assert "no such test" in answer.err
