"""The steady-state test: the window's rule, the cells, and a whole short test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli_runner import wordline
from wordline.pts import TESTS, cells, steady_window
from wordline.pts.measure import rounds_of

SMALL = ("-s", "ssd.blocks_per_plane=64", "-s", "ssd.overprovisioning=0.28", "-s", "ssd.channels=1")


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
    answer = wordline(
        "pts", "datacenter-tlc", *SMALL, "--quick", "--requests", "2000", "--test", "latency", "--out", out, "--json"
    )
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
    assert sorted(path.name for path in out.iterdir()) == ["latency.pdf", "latency.png", "latency.svg", "pts.json"]


def test_an_unknown_test_is_refused() -> None:
    answer = wordline("pts", "pnar2", "--test", "speed")
    assert answer.code == 2
    assert "no such test" in answer.err
