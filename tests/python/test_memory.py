"""What a run costs in memory follows its footprint, not the size of the drive."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import re
import wordline as wl
wl.run(wl.preset("datacenter-tlc"), wl.workload("fio/random-read", requests=50_000))
status = open("/proc/self/status", encoding="ascii").read()
print(re.search(r"^VmHWM:\\s+(\\d+) kB$", status, re.MULTILINE).group(1))
"""


def test_a_short_run_on_a_large_drive_takes_little() -> None:
    kib = int(subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True).stdout)
    assert kib < 1 << 20
