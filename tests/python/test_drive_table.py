"""Tables of a drive: the reader gives what was measured, interpolation is near it, forms of others have errors."""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.cli import main
from wordline.drive_table import Cell, cells, form_of
from wordline.drive_table.measure import _counted, _warmup, between, measure
from wordline.drive_table.reader import Table
from wordline.errors import ConfigError

DRIVE = {
    "ssd.channels": 2,
    "ssd.chips_per_channel": 2,
    "ssd.dies_per_chip": 1,
    "ssd.blocks_per_plane": 96,
    "ssd.pages_per_block": 96,
}
AXES = {"depths": (1, 4, 16), "sizes": (4096, 65_536), "read_shares": (1.0, 0.0)}


READ_US, WRITE_US, LARGEST_MB_S = 80.0, 20.0, 2000.0


def rate(depth: float, size: float, share: float) -> float:
    """Bandwidth of a drive whose reads and writes take times of their own, whatever their size, up to a bandwidth."""
    return min(depth * size / (share * READ_US + (1 - share) * WRITE_US), LARGEST_MB_S)


def made_up(path: Path) -> Path:
    """A table of that drive, whose tail is a product of powers."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        names = ["bandwidth_mb_s", "read_mean_us", "read_p99_us", "write_mean_us"]
        writer.writerow(["state", "depth", "size_bytes", "read_share", *names])
        for depth in (1, 4, 64):
            for size in (4096, 65_536):
                for share in (0.0, 0.5, 1.0):
                    bandwidth = rate(depth, size, share)
                    # Writes wait where the drive has enough to do.
                    write_us = (depth * size / bandwidth - share * READ_US) / (1 - share) if share < 1 else ""
                    tail = depth**0.5 * size**0.25
                    reads = ["", ""] if share == 0 else [depth * size / bandwidth if share == 1 else READ_US, tail]
                    writer.writerow(["steady", depth, size, share, bandwidth, *reads, write_us])
    return path


@pytest.mark.parametrize(("depth", "size", "share"), [(1, 4096, 0.0), (4, 65_536, 0.5), (64, 4096, 1.0)])
def test_the_reader_is_exact_at_the_cells(tmp_path: Path, depth: int, size: int, share: float) -> None:
    table = Table(made_up(tmp_path / "t.csv"))
    where = {"depth": depth, "size_bytes": size, "read_share": share}
    assert table.at("bandwidth_mb_s", **where) == pytest.approx(rate(depth, size, share))
    if share < 1:
        expected = (depth * size / rate(depth, size, share) - share * READ_US) / (1 - share)
        assert table.at("write_mean_us", **where) == pytest.approx(expected)


@pytest.mark.parametrize(("depth", "size"), [(2, 4096), (40, 4096), (10, 4096), (3, 65_536)])
def test_the_reader_knows_that_a_drive_is_saturated(tmp_path: Path, depth: int, size: int) -> None:
    """Writes grow with depth until the drive has enough to do: so does interpolation, also in the mean time."""
    table = Table(made_up(tmp_path / "t.csv"))
    expected = rate(depth, size, 0.0)
    assert table.at("bandwidth_mb_s", depth=depth, size_bytes=size, read_share=0) == pytest.approx(expected)
    mean_us = table.at("write_mean_us", depth=depth, size_bytes=size, read_share=0)
    assert mean_us == pytest.approx(depth * size / expected)


def test_times_of_reads_and_writes_add_up(tmp_path: Path) -> None:
    table = Table(made_up(tmp_path / "t.csv"))
    for share in (0.2, 0.75):
        expected = rate(1, 4096, share)
        assert table.at("bandwidth_mb_s", depth=1, size_bytes=4096, read_share=share) == pytest.approx(expected)
        assert table.at("read_mean_us", depth=1, size_bytes=4096, read_share=share) == pytest.approx(READ_US)
        assert table.at("write_mean_us", depth=1, size_bytes=4096, read_share=share) == pytest.approx(WRITE_US)


def test_writes_take_the_time_of_the_buffer_until_the_flash_is_full(tmp_path: Path) -> None:
    """The flash takes 40 MB/s of writes: more than there are at depth 2, less than at depth 3."""
    cells_of = {"1": (63.0, 80.0, 20.0), "4": (160.0, 90.0, 140.0), "64": (160.0, 90.0, 6284.0)}
    rows = [
        f"steady,{depth},{size},0.75,{bandwidth},{read},{write}\n"
        for depth, (bandwidth, read, write) in cells_of.items()
        for size in (4096, 8192)
    ]
    head = "state,depth,size_bytes,read_share,bandwidth_mb_s,read_mean_us,write_mean_us\n"
    (tmp_path / "t.csv").write_text(head + "".join(rows), encoding="ascii")
    table = Table(tmp_path / "t.csv")
    at = {depth: table.at("write_mean_us", depth=depth, size_bytes=4096, read_share=0.75) for depth in (2, 3, 16)}
    assert at[2] == pytest.approx(20.0)
    assert at[16] == pytest.approx((16 * 4096 / 160 - 0.75 * 90) / 0.25)
    read_us = table.at("read_mean_us", depth=3, size_bytes=4096, read_share=0.75)
    assert at[3] == pytest.approx((3 * 4096 / 160 - 0.75 * read_us) / 0.25)


@pytest.mark.parametrize(("depth", "size"), [(1, 4096), (2, 16_384), (40, 9000)])
def test_tails_are_lines_on_logarithmic_scales(tmp_path: Path, depth: int, size: int) -> None:
    table = Table(made_up(tmp_path / "t.csv"))
    tail = table.at("read_p99_us", depth=depth, size_bytes=size, read_share=0.75)
    assert tail == pytest.approx(depth**0.5 * size**0.25)


def test_the_reader_takes_the_ends_beyond_them_and_knows_what_is_missing(tmp_path: Path) -> None:
    table = Table(made_up(tmp_path / "t.csv"))
    far = table.at("bandwidth_mb_s", depth=1000, size_bytes=1 << 30, read_share=2.0)
    assert far == pytest.approx(rate(64, 65_536, 1.0))
    assert math.isnan(table.at("read_mean_us", depth=4, size_bytes=4096, read_share=0.0))
    # Where one end has no reads, the other one counts.
    near = table.at("read_mean_us", depth=4, size_bytes=4096, read_share=0.25)
    assert near == pytest.approx(table.at("read_mean_us", depth=4, size_bytes=4096, read_share=0.5))
    with pytest.raises(ValueError, match="no row with state fresh"):
        Table(tmp_path / "t.csv", state="fresh")


def test_a_small_drive_is_measured_and_interpolated() -> None:
    config = wl.preset("datacenter-tlc").set_all(DRIVE)
    made = wl.table(config, **AXES, states=("fresh",), requests=1500, check_points=2)
    assert len(made.rows) == 12
    assert len(made.points) == 2
    by_cell = {(row["depth"], row["size_bytes"], row["read_share"]): row for row in made.rows}
    assert by_cell[16, 4096, 1.0]["bandwidth_mb_s"] > 3 * by_cell[1, 4096, 1.0]["bandwidth_mb_s"]
    assert by_cell[1, 4096, 0.0]["read_mean_us"] is None
    assert by_cell[1, 4096, 1.0]["write_p99_us"] is None
    # A closed loop: depth over the mean time is the rate.
    row = by_cell[4, 65_536, 1.0]
    assert row["bandwidth_mb_s"] == pytest.approx(4 * 65_536 / row["read_mean_us"], rel=0.02)
    errors = {each.name: each for each in made.errors}
    assert errors["bandwidth_mb_s"].points == 2
    assert 0 < errors["bandwidth_mb_s"].mean < 0.5
    # At the points themselves, the reader has what was measured; see the errors of the saved table below.
    keys = form_of("aisimulate", made.rows, "fresh")
    assert keys.keys["read_bandwidth_gbps"] == pytest.approx(
        max(r["bandwidth_mb_s"] for r in made.rows if r["read_share"] == 1) / 1000
    )
    blis = form_of("blis", made.rows, "fresh")
    assert 0 < blis.keys["single_transfer_fraction"] <= 1
    assert blis.error_max >= blis.error_mean > 0
    assert blis.cells == 12


def test_cells_of_one_equilibrium_share_a_drive_and_stay_there() -> None:
    """Depths share the drive of the first. With the same addresses again, GC would have next to nothing to move."""
    config = wl.preset("datacenter-tlc").set_all(DRIVE | {"ssd.blocks_per_plane": 48, "precondition.timed_max": 0.1})
    alone, shared = cells((8,), (65_536,), (0.0,), ("steady",)), cells((4, 8), (65_536,), (0.0,), ("steady",))
    one, other = measure(config, alone)[0], measure(config, shared)[1]
    for number in ("write_amplification", "bandwidth_mb_s"):
        assert one[number] == pytest.approx(other[number], rel=0.2)
    assert other["write_amplification"] > 2


def test_a_steady_cell_counts_until_a_part_of_the_drive_is_written() -> None:
    config = wl.preset("datacenter-tlc").set_all(DRIVE)
    steady, fresh = (Cell(state, 8, 4096, 0.75) for state in ("steady", "fresh"))
    assert _counted(config, steady, None) * 4096 / 4 >= config.host_bytes / 32
    assert _counted(config, steady, 500) == _counted(config, fresh, 500) == 500
    assert _counted(config, fresh, None) == min(20_000, config.host_bytes // 8 // 4096)
    first, second = (_warmup(config, steady, follows=follows) * 4096 / 4 for follows in (False, True))
    assert first >= config.host_bytes / 2 > second >= config.host_bytes / 64
    assert _warmup(config, replace(steady, read_share=1.0), follows=False) == 0


def test_points_lie_between_the_cells() -> None:
    table = cells((1, 4, 16), (4096, 65_536), (1.0, 0.0), ("fresh", "steady"))
    points = between(table, 2)
    assert [point.state for point in points] == ["fresh", "fresh", "steady", "steady"]
    assert points[:2] == [Cell("fresh", 2, 16_384, 0.5), Cell("fresh", 8, 16_384, 0.5)]
    assert not set(points) & set(table)


def test_the_command_saves_a_table_that_its_reader_reads(tmp_path: Path) -> None:
    ssd, out = tmp_path / "ssd.toml", tmp_path / "out"
    ssd.write_text('preset = "datacenter-tlc"\n[ssd]\n' + "".join(f"{k[4:]} = {v}\n" for k, v in DRIVE.items()))
    arguments = ("--depths", "1,8", "--sizes", "4k,64KiB", "--reads", "100,0", "--state", "fresh", "--requests", "500")
    answer = wordline("table", ssd, *arguments, "--points", "1", "--for", "blis", "--out", out)
    assert answer.code == 0, answer.err
    assert answer.out.startswith("# kv_offload_devices of BLIS")
    assert (out / "blis.yaml").read_text() == answer.out
    assert {path.name for path in out.iterdir()} >= {"table.csv", "table.json", "table.parquet", "read_table.py"}
    document = json.loads((out / "table.json").read_text())
    row = document["rows"][0]
    script = (
        "from read_table import Table\n"
        f"print(Table('table.csv', 'fresh').at('bandwidth_mb_s', depth={row['depth']}, "
        f"size_bytes={row['size_bytes']}, read_share={row['read_share']}))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=out, capture_output=True, text=True, check=True)
    assert float(done.stdout) == pytest.approx(row["bandwidth_mb_s"])
    assert [each["name"] for each in document["errors"]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--depths", "1,x"], "--depths 1,x: no list of whole numbers"),
        (["--depths", "0"], "depths: 0 is not from 1 to 4096"),
        (["--depths", "1,1"], "depths: give one value or more, each once"),
        (["--sizes", "3"], "sizes: 3 bytes is no multiple of 512"),
        (["--sizes", "big"], "--sizes big: give a size"),
        (["--reads", "120"], "reads: 120 is not from 0 to 100 percent"),
        (["--state", "worn"], "states: worn is unknown; take fresh, steady"),
        (["--for", "mqsim"], "--for mqsim: unknown"),
        (["--for", "blis", "--reads", "50"], "the table needs reads alone and writes alone"),
    ],
)
def test_what_makes_no_sense_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "datacenter-tlc", *arguments]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.out == ""


def test_a_form_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ConfigError, match="take blis, aisimulate"):
        form_of("other", [], "steady")
