"""For each option with which a command writes, a short command; a test says that none is missing."""

from __future__ import annotations

from pathlib import Path

import api_helpers
from mqsim_files import flow_xml, scenario_xml, ssd_xml
from test_imports import FEMU
from wordline.kv_cache.chat import write_chat

FEW = ("--set", "workload.requests=20")
RANDOM = ("--workload", "fio/random-read", *FEW)
GRID = ("compare", "ssd.toml", *RANDOM, "--set", "host.queue_depth=1,2", "--jobs", "1")
AGAINST = ("compare", "ssd.toml", "--against", "points.csv", "-n", "100", "--jobs", "1")
SWEEP = ("sweep", "study.toml", "--jobs", "1")
FIT = ("fit", "points.csv", "--base", "mqsim", "--free", "job_us", "--requests", "500", "--jobs", "1", "--no-intervals")
PTS = (
    "pts",
    "ssd.toml",
    *FEW,
    "--no-steady",
    "--quick",
    "--requests",
    "1000",
    "--until-limit",
    "1",
    "--test",
    "latency",
)
REPRODUCE = ("reproduce", "validation", "--quick", "--jobs", "1")

TARGET = "TARGET"
"""In the words of a command: what is written."""

WRITERS: dict[tuple[str, str], tuple[str, ...]] = {
    ("run", "--out"): ("run", "ssd.toml", *RANDOM, "--out", TARGET),
    ("run", "--report"): ("run", "ssd.toml", *RANDOM, "--report", TARGET),
    ("run", "--fio-json"): ("run", "ssd.toml", "job.fio", "--fio-json", TARGET),
    ("run", "--save-state"): ("run", "ssd.toml", *RANDOM, "--save-state", TARGET),
    ("compare", "--out"): (*GRID, "--out", TARGET),
    ("compare", "--report"): (*GRID, "--report", TARGET),
    ("compare", "--cache"): (*GRID, "--cache", TARGET),
    ("compare", "--plot"): (*AGAINST, "--plot", f"{TARGET}.svg"),
    ("fit", "--out"): (*FIT, "--out", TARGET),
    ("fit", "--cache"): (*FIT, "--cache", TARGET),
    ("fit", "--plot"): (*FIT, "--plot", f"{TARGET}.svg"),
    ("sweep", "--out"): (*SWEEP, "--out", TARGET),
    ("sweep", "--report"): (*SWEEP, "--report", TARGET, "--out", "swept"),
    ("sweep", "--cache"): (*SWEEP, "--cache", TARGET, "--out", "swept"),
    ("pts", "--out"): (*PTS, "--out", TARGET),
    ("pts", "--report"): (*PTS, "--report", TARGET),
    ("kv", "--out"): (
        "kv", "ssd.toml", "chat.jsonl", "--bytes-only", "--model", "4KiB", "--dram", "8MB", "--drive-writes", "0.1",
        "--out", TARGET,
    ),
    ("table", "--out"): (
        "table", "ssd.toml", "--depths", "1", "--sizes", "4KiB", "--reads", "100", "--state", "fresh",
        "--requests", "100", "--points", "0", "--out", TARGET,
    ),
    ("import", "--out"): ("import", "femu.sh", "--out", TARGET),
    ("ldpc", "--out"): ("ldpc", "--quick", "--cores", "1", "--out", TARGET),
    ("characterize", "--out"): ("characterize", "--only", "m-err", "--blocks", "1", "--out", TARGET),
    ("examples", ""): ("examples", TARGET),
    ("explain coding", "--plot"): ("explain", "coding", "--plot", f"{TARGET}.svg"),
    ("explain read", "--plot"): ("explain", "read", "--plot", f"{TARGET}.svg"),
    ("explain erase", "--plot"): ("explain", "erase", "--plot", f"{TARGET}.svg"),
    ("explain waits", "--plot"): ("explain", "waits", "ssd.toml", *RANDOM, "--plot", f"{TARGET}.svg"),
    ("trace stat", "--plot"): ("trace", "stat", "t.csv", "--plot", f"{TARGET}.svg"),
    ("trace convert", ""): ("trace", "convert", "t.csv", TARGET, "--force"),
    ("trace gen", ""): ("trace", "gen", "fio/random-read", TARGET, *FEW, "--force"),
    ("reproduce", "--out"): (*REPRODUCE, "--out", TARGET),
    ("reproduce", "--cache"): (*REPRODUCE, "--cache", TARGET, "--out", "papers"),
}  # fmt: skip
"""The words of a command, by its name and the option that writes; an argument has no name."""

SLOW = {"fit", "ldpc", "pts", "reproduce"}
"""Commands of seconds."""


def fill(place: Path) -> None:
    """Puts what these commands read into a folder."""
    (place / "ssd.toml").write_text(api_helpers.SMALL_SSD)
    (place / "study.toml").write_text(STUDY)
    (place / "job.fio").write_text(FIO)
    (place / "femu.sh").write_text(FEMU.format(transfer=0, mode=1))
    (place / "ssd.xml").write_text(ssd_xml())
    (place / "work.xml").write_text(scenario_xml(flow_xml()))
    (place / "points.csv").write_text(POINTS)
    write_chat(place / "chat.jsonl", 20)
    api_helpers.write_trace(place / "t.csv", 20)


STUDY = 'ssd = "ssd.toml"\ntrace = "t.csv"\n[grid]\nhost.queue_depth = [1, 8]\n'
FIO = "[job]\nrw=read\nbs=4k\nsize=64k\n"
POINTS = (
    "workload,bs,iodepth,numjobs,iops,lat_mean_us,clat_p50_us,clat_p95_us\n"
    "randread,4k,1,1,11000,89,87,96\nrandread,4k,4,1,43000,91,89,98\n"
)
