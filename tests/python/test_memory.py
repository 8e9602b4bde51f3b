"""What a run costs in memory follows its footprint, not the size of the drive."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

import wordline as wl
from wordline import memory

SCRIPT = """
import re
import wordline as wl
wl.run(wl.preset("datacenter-{cells}").assign(*{settings}), wl.workload("fio/random-{op}", requests={requests}))
status = open("/proc/self/status", encoding="ascii").read()
print(re.search(r"^VmHWM:\\s+(\\d+) kB$", status, re.MULTILINE).group(1))
"""

# 7.5 * 10^9 mapping units on 1024 dies: their numbers do not fit 32 bits.
OF_122_TB = [
    "ssd.channels=16",
    "ssd.chips_per_channel=8",
    "ssd.dies_per_chip=8",
    "ssd.capacity=122.88TB",
    "ftl.unit_bytes=16384",
    "ftl.entry_bytes=5",
]


def peak_kib(cells: str, settings: list[str], op: str, requests: int) -> int:
    """Returns the most memory that a process has had which simulated so many requests."""
    script = SCRIPT.format(cells=cells, settings=settings, op=op, requests=requests)
    return int(subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout)


def test_a_short_run_on_a_large_drive_takes_little() -> None:
    assert peak_kib("tlc", [], "read", 50_000) < 1 << 20


@pytest.mark.parametrize("op", ["read", "write"])
def test_a_short_run_on_122_tb_takes_less_than_2_gb(op: str) -> None:
    assert peak_kib("qlc", OF_122_TB, op, 5_000) * 1024 < 2_000_000_000


@pytest.mark.parametrize(("what", "fill"), [("the tables of this SSD take", 0.0), ("filling this SSD takes", 1.0)])
def test_a_drive_that_does_not_fit_into_memory_is_refused_at_once(
    what: str, fill: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = wl.preset("datacenter-qlc").assign(*OF_122_TB, f"precondition.fill={fill}")
    if fill == 0.0:
        monkeypatch.setattr(resource, "getrlimit", lambda _: (30 << 30, resource.RLIM_INFINITY))
    else:
        monkeypatch.setattr(memory, "memory_bytes", lambda: 30 << 30)
    with pytest.raises(
        wl.errors.OutOfRangeError, match=rf"{what} 77\.9 GiB of memory.* (30|29)\.\d GiB; .*--scale 1/4"
    ):
        wl.run(drive, wl.workload("fio/random-read", requests=10))
