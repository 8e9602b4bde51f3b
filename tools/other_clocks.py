"""Runs tests of Python with a clock that goes ten times faster, then with one that goes ten times slower.

No test may depend on how fast a machine is. With the fast clock all work takes ten times as long, and a sleep
lasts a tenth: the machine is slow. With the slow clock it is fast. It needs libfaketime (Debian: libfaketime).
libfaketime does not reach what waits for threads and futures, so `test_under_way.py` with two jobs fails with the
fast clock.

    .venv/bin/python tools/other_clocks.py                   # tests that look at a clock, a process or a signal
    .venv/bin/python tools/other_clocks.py tests/python      # all
"""
# ruff: noqa: INP001, S603

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = ("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1", "/usr/lib64/faketime/libfaketimeMT.so.1")
SPEEDS = ("10", "0.1")
WORDS = ("time.sleep", "monotonic", "perf_counter", "send_signal", "killpg", "Popen", "progress")


def with_clocks() -> list[str]:
    """Files of tests that have to do with a clock, a process or a signal."""
    files = sorted((ROOT / "tests" / "python").glob("test_*.py"))
    return [str(path) for path in files if any(word in path.read_text(encoding="utf-8") for word in WORDS)]


def main() -> int:
    """Runs them; returns 1 if a test fails."""
    parser = argparse.ArgumentParser(description="Runs tests with a clock ten times faster, and ten times slower.")
    parser.add_argument("tests", nargs="*", help="files [those that look at a clock]; options go to pytest")
    parser.add_argument("--library", default=next((each for each in LIBRARIES if Path(each).exists()), ""))
    arguments, of_pytest = parser.parse_known_args()
    if not arguments.library:
        sys.exit("there is no libfaketime: install it, or name the file with --library")
    tests = arguments.tests or with_clocks()
    failed = False
    for speed in SPEEDS:
        print(f"the clock goes at {speed} times its speed", flush=True)
        environment = {**os.environ, "LD_PRELOAD": arguments.library, "FAKETIME": f"+0 x{speed}"}
        command = [sys.executable, "-m", "pytest", "-n0", "-q", "--timeout", "0", *tests, *of_pytest]
        failed |= subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
