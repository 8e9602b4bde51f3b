"""Tests of `ssd.scale`, `ssd.capacity` and drives that begin at the equilibrium of their workload."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from api_helpers import small
from cli_runner import wordline
from wordline import _core
from wordline.cli.talk import in_short

# A plane has blocks enough to be scaled.
DRIVE: dict[str, Any] = {"ssd.blocks_per_plane": 256, "ssd.pages_per_block": 64, "ssd.overprovisioning": 0.15}
STEADY: dict[str, Any] = {
    "precondition.fill": 1.0,
    "precondition.overwrite": "steady",
    "precondition.shape": "workload",
}


def drive(**settings: object) -> wl.Config:
    return small().set_all({**DRIVE, **{key.replace("__", "."): value for key, value in settings.items()}})


def assigned(*settings: str) -> list[str]:
    return [each for setting in settings for each in ("--set", setting)]


def test_a_scaled_drive_is_written_as_the_whole_and_simulated_as_a_part() -> None:
    whole, part = drive(), drive(ssd__scale="1/2")
    assert part == drive(ssd__scale=0.5)
    assert part["ssd.pages_per_block"] == 64
    assert (part.simulated("ssd.pages_per_block"), part.simulated("ssd.blocks_per_plane")) == (32, 256)
    assert part.host_bytes == whole.host_bytes // 2
    assert (whole.model, len(part.model)) == ([], 1)
    assert "blocks of 32 pages instead of 64" in part.model[0]
    assert "Not scaled" in part.model[0]
    # Its text gives the same part again, not a part of it.
    again = wl.config(text=part.to_toml())
    assert again == part
    assert again.host_bytes == part.host_bytes
    with pytest.raises(wl.errors.UnknownKeyError):
        part.simulated("ssd.block_per_plane")


def test_a_shape_that_was_given_stays_with_a_steady_drive() -> None:
    from wordline.drive import as_wanted

    assert as_wanted(drive(), steady=True)["precondition.shape"] == "workload"
    given = drive(precondition__shape="random")
    assert as_wanted(given, steady=True)["precondition.shape"] == "random"


def test_a_file_that_says_where_overwrites_go_is_followed_by_steady(tmp_path: Path) -> None:
    from wordline.cli.options import Drive
    from wordline.cli.source import configuration

    (tmp_path / "random.toml").write_text('preset = "mqsim"\n[precondition]\nshape = "random"\n')
    settings = Drive(steady=True).settings()
    assert configuration(str(tmp_path / "random.toml"), settings)["precondition.shape"] == "random"
    assert configuration("mqsim", settings)["precondition.shape"] == "workload"
    asked = configuration(str(tmp_path / "random.toml"), [*settings, "precondition.shape=workload"])
    assert asked["precondition.shape"] == "workload", "--set comes after the file"


def test_what_changes_the_answer_is_warned_of_before_what_every_such_run_says() -> None:
    part = drive(ssd__scale="1/2", host__warmup_requests=2000)
    lines = wl.run(part, wl.workload("fio/random-write", requests=2000)).warnings
    assert "so nothing was measured" in lines[0]
    assert lines[-1] == part.model[0]


def test_a_result_says_what_was_scaled_and_lives_as_long_as_the_whole() -> None:
    load = wl.workload("fio/random-write", requests=2000)
    part = wl.run(drive(ssd__scale="1/2"), load)
    whole = wl.run(drive(), load)
    assert part.warnings[-1] == part.config.model[0]
    lives = [result.lifetime(pec=3000, years=5) for result in (part, whole)]
    assert lives[0].tbw_tb * lives[0].write_amplification == pytest.approx(
        lives[1].tbw_tb * lives[1].write_amplification, rel=1e-3
    )


def test_a_capacity_takes_the_place_of_blocks() -> None:
    config = wl.preset("datacenter-tlc", ssd__capacity="3.84TB")
    assert config.simulated("ssd.blocks_per_plane") == 1366
    assert config["ssd.capacity"] == 3_840_000_000_000
    assert config.model[0].startswith("ssd.capacity = 3.84 TB: 1366 blocks a plane")
    both = wl.preset("datacenter-tlc").assign("ssd.capacity=3.84TB", "ssd.blocks_per_plane=100")
    assert any("ssd.blocks_per_plane" in warning for warning in both.warnings)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("ssd.scale=1/1000", "fewer than 64"),
        ("ssd.scale=2/1", "fraction such as"),
        ("ssd.scale=0", "out of range"),
        ("ssd.capacity=3.84XB", "size"),
        ("gc.threshold=250", "250 free blocks"),
        ("gc.threshold=1.5", "out of range"),
    ],
)
def test_what_makes_no_drive_is_refused_in_one_line(setting: str, message: str) -> None:
    with pytest.raises(wl.errors.ConfigError, match=message) as error:
        drive(precondition__fill=1.0).assign(setting)
    assert "\n" not in str(error.value)


def test_a_steady_drive_says_how_it_was_tested() -> None:
    load = wl.workload("fio/random-write", requests=2000)
    result = wl.run(drive(**STEADY), load)
    steady = result.document["precondition"]["steady"]
    assert steady["is_flat"]
    assert steady["spread"] <= 0.03
    assert abs(steady["change"]) <= 0.01
    # 4 KiB are written of pages of 8 or 16 KiB: bytes count, not pages.
    written = result.document["precondition"]
    pages = (written["host_pages"] + written["moved_pages"]) / written["host_pages"]
    assert steady["write_amplification"] > 1.5 * pages
    # The run goes on as the drive was left.
    assert result.write_amplification == pytest.approx(steady["write_amplification"], rel=0.1)


def test_a_workload_that_writes_nothing_leaves_a_filled_drive() -> None:
    result = wl.run(drive(**STEADY), wl.workload("fio/random-read", requests=500))
    steady = result.document["precondition"]["steady"]
    assert (steady["is_flat"], steady["drive_writes"], steady["write_amplification"]) == (True, 0.0, None)


def test_points_of_a_grid_share_a_steady_drive() -> None:
    drives = _core.Drives()
    load = wl.workload("fio/random-write", requests=500)
    results = [wl.run(drive(**STEADY, host__queue_depth=depth), load, drives=drives) for depth in (1, 8)]
    alone = wl.run(drive(**STEADY, host__queue_depth=8), load)
    assert drives.hits == 1
    found = [result.document["precondition"]["steady"] for result in (*results, alone)]
    assert found[1] == found[2]
    # What takes no time is shared; what takes time depends on the queue, and is not.
    without_time = [each["timed"]["untimed_write_amplification"] for each in found]
    assert without_time[0] == without_time[1]
    assert found[0]["timed"] != found[1]["timed"]
    assert results[1].document["response_us"] == alone.document["response_us"]


def test_commands_take_both_options(tmp_path: Path) -> None:
    ssd = tmp_path / "drive.toml"
    ssd.write_text(drive().to_toml(), encoding="utf-8")
    options = ["--scale", "1/2", "--steady"]
    load = ["--workload", "fio/random-write", *assigned("workload.requests=300")]
    table = wordline("run", ssd, *load, *options)
    assert table.code == 0, table.err
    assert "aged" in table.out
    assert "at equilibrium after" in table.out
    assert "ssd.scale = 1/2" in table.err
    compared = wordline("compare", ssd, *load, *options, *assigned("host.queue_depth=1,4"), "--json")
    assert compared.code == 0, compared.err
    for point in json.loads(compared.out)["points"]:
        assert point["result"]["precondition"]["steady"]["is_flat"]
    study = tmp_path / "study.toml"
    study.write_text(f'ssd = "{ssd}"\nworkload = "fio/random-write"\n[grid]\n"host.queue_depth" = [1, 4]\n')
    swept = wordline("sweep", study, *options, *assigned("workload.requests=300"), "--out", tmp_path / "out", "--json")
    assert swept.code == 0, swept.err
    assert "ssd.scale = 1/2" in swept.out + swept.err
    refused = wordline("run", ssd, *load, "--scale", "1/1000")
    assert refused.code == 2


def test_the_command_line_says_the_size_in_one_line_and_json_all_that_is_smaller() -> None:
    for scale, few in (("1/256", "; fewer than 256 blocks a plane raise write amplification"), ("1/64", "")):
        (text,) = wl.preset("datacenter-tlc").set("ssd.scale", scale).model
        short = in_short(text)
        assert re.fullmatch(
            rf"ssd\.scale = {scale}: \S+ GB for the host, filled and worn \d+ times as soon{few} "
            r"\(docs/validation/scale\.md and --json have more\)",
            short,
        ), short
        assert "Not scaled: dies" in text
    assert in_short(f"{text} (and so in 1 more row)").endswith("have more) (and so in 1 more row)")
    assert in_short("another: warning") == "another: warning"
