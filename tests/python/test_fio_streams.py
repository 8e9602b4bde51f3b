"""Loads of one, two and three streams, in fio and here: each job writes the same places."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import wordline as wl
from fio_programs import assert_alike, needs_fio, requests

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DRIVE = """
[ssd]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 96
pages_per_block = 64
page_bytes = 4096
overprovisioning = 0.25
[fdp]
isolation = "initially"
handles = 3
"""
ONE = """
[global]
ioengine=io_uring_cmd
cmd_type=nvme
filename=/dev/ng0n1
[worker]
rw=randwrite
bs=128K
offset=0%
iodepth=128
time_based=1
runtime=12000
"""
JOBS = {
    "one": ONE,
    "two": (EXAMPLES / "two-streams.fio").read_text(encoding="utf-8"),
    "three": (EXAMPLES / "three-streams.fio").read_text(encoding="utf-8"),
}
RANDOM = ("worker", "buckets", "jumper", "fill-buckets")


def jobs(name: str, logs: str, io_size: int) -> str:
    """A file of jobs that end by their bytes, each with a log."""
    text = re.sub(r"time_based(=1)?\nruntime=\d+", f"io_size={io_size}", JOBS[name])
    assert text != JOBS[name]
    return re.sub(r"^\[(?!global)(.*)\]$", rf"[\1]\nwrite_iolog=\1.{logs}", text, flags=re.MULTILINE)


def fios(text: str, folder: Path, drive_bytes: int) -> None:
    """Runs the jobs in fio: a file for the drive, an engine for files, and no handles, which older versions lack."""
    with (folder / "data").open("wb") as file:
        file.truncate(drive_bytes)
    text = re.sub(r"^(dataplacement|plids|cmd_type)=.*\n", "", text, flags=re.MULTILINE)
    text = text.replace("io_uring_cmd", "libaio").replace("/dev/ng0n1", "data")
    (folder / "fios.fio").write_text(text)
    done = subprocess.run(["fio", "fios.fio"], cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@needs_fio
@pytest.mark.parametrize("name", JOBS)
def test_streams_write_in_fio_what_they_write_here(name: str, tmp_path: Path) -> None:
    (tmp_path / "drive.toml").write_text(DRIVE)
    config = wl.config(tmp_path / "drive.toml")
    # More than a pass over the drive.
    io_size = 3 * config.host_bytes // 2
    (tmp_path / "ours.fio").write_text(jobs(name, "ours", io_size))
    wl.run(config, wl.fio(tmp_path / "ours.fio"))
    fios(jobs(name, "theirs", io_size), tmp_path, config.host_bytes)
    logs = sorted(tmp_path.glob("*.ours"))
    assert len(logs) == JOBS[name].count("[") - 1
    for log in logs:
        mine, theirs = (requests(each) for each in (log, log.with_suffix(".theirs")))
        if log.stem in RANDOM:
            assert_alike(mine, theirs, "distribution")
        else:
            # fio lets the direction of a request that waits go first, so neighbours may change places in its log.
            assert sorted(mine) == sorted(theirs)
