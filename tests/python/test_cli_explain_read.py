"""`wordline explain read`: one page read, drawn."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from wordline.cli.app import build
from wordline.cli.explain_read import marked, summary
from wordline.output.read_drawing import drawing

RUNNER = CliRunner()
# Eq. 2 to 5 leave out what commands take on the bus.
COMMANDS = ("read_command", "read_command_plane", "retry_command", "set_feature_command", "reset_command")
SETTINGS = ["--set", "read.tpre_cut=0.4", "--set", "cells.chip=none", "--set", "reliability.retry_steps=2"]


def piece(lane: str, what: str, start: float, duration: float) -> dict[str, Any]:
    return {"lane": lane, "what": what, "start_us": start, "duration_us": duration}


# A page that decodes at the second sense while a third, needless one runs (PR2).
SLICES = [
    piece("die", "sense", 0.0, 80.0),
    piece("channel", "data out", 80.0, 16.0),
    piece("die", "sense", 80.0, 80.0),
    piece("ecc", "decode", 96.0, 20.0),
    piece("die", "sense", 160.0, 36.0),
    piece("channel", "data out", 160.0, 16.0),
    piece("ecc", "decode", 176.0, 20.0),
    piece("die", "reset", 196.0, 5.0),
]


def test_what_led_to_the_data_is_marked() -> None:
    useful = [(s["what"], s["start_us"]) for s in marked(SLICES) if s["useful"]]
    assert useful == [("sense", 80.0), ("data out", 160.0), ("decode", 176.0)]
    read = summary(SLICES)
    assert (read["latency_us"], read["die_free_us"]) == (196.0, 201.0)
    assert (read["senses"], read["transfers"], read["resets"], read["features_set"]) == (3, 2, 1, 0)


def test_a_drawing_has_a_row_a_lane_to_one_scale() -> None:
    read = {"label": "pr2", "slices": marked(SLICES), **summary(SLICES)}
    lines = drawing([read], width=112, unicode=False)
    die, channel, ecc = lines[1:4]
    assert [row.split()[0] for row in (die, channel, ecc)] == ["die", "channel", "ecc"]
    assert len(die) == len(channel) == len(ecc)
    assert (die.count("|"), die.count("R") > 0, channel.count("#") > 0) == (3, True, True)
    assert lines[0] == "pr2: 196 us, 3 senses, 2 transfers, 1 reset, die busy for 5 us more"
    assert all(line.isascii() for line in lines)


def run(*arguments: str) -> dict[str, Any]:
    result = RUNNER.invoke(build("explain"), ["explain", "read", *SETTINGS, *arguments, "--json"])
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


@pytest.mark.parametrize(("page", "sense_us"), [(0, 78.0), (1, 117.0), (3, 78.0)])
def test_latencies_are_those_of_the_equations(page: int, sense_us: float) -> None:
    """PR2/AR2, Eq. 2 to 5, and RiF's on-die retry, for two retry steps."""
    policies = "baseline,pr2,pnar2,rif"
    without = [word for name in COMMANDS for word in ("--set", f"channel.{name}_ns=0")]
    document = run("--set", f"read.retry={policies}", "--page", str(page), *without)
    short, rest = sense_us * (14.4 + 15) / 39, 16.0 + 20.0
    expected = {
        "baseline": 3 * (sense_us + rest),
        "pr2": sense_us + rest + 2 * sense_us + rest,
        "pnar2": sense_us + rest + 1 + 2 * short + rest,
        "rif": 2 * (sense_us + 2.5) + rest,
    }
    latencies = {read["label"]: read["latency_us"] for read in document["reads"]}
    assert latencies == pytest.approx(expected)


def test_a_figure_comes_with_its_data(tmp_path: Path) -> None:
    figure = tmp_path / "read.svg"
    run("--set", "read.retry=baseline,rif", "--plot", str(figure))
    assert figure.read_text().count("baseline") > 0
    with (tmp_path / "read.data.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["read"] for row in rows} == {"baseline", "rif"}
    assert {row["lane"] for row in rows} == {"die", "channel", "ecc"}


def test_an_impossible_policy_says_why() -> None:
    result = RUNNER.invoke(
        build("explain"), ["explain", "read", "mqsim", "--set", "read.retry=rif", "--set", "nand.on_die_check=false"]
    )
    assert result.exit_code != 0
    assert "nand.on_die_check = true" in str(result.exception)
