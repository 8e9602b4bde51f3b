"""Ctrl-C stops a run at once and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli_runner import wait_until

PRELUDE = """
import sys, time, wordline as wl
def ready(*_):
    print("ready", flush=True)
def go(action):
    try:
        action()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(130)
endless = wl.workload("fio/random-mix", requests=10**12)
ssd = wl.preset("mqsim", blocks_per_plane=64)
full = wl.preset("mqsim").set_all({"precondition.fill": 1.0, "precondition.overwrite": 99.0})
"""
ACTIONS = {
    "run": "go(lambda: (ready(), wl.run(ssd, endless)))",
    "callback": "go(lambda: wl.run(ssd, endless, progress=ready))",
    "fill": "go(lambda: (ready(), wl.run(full, endless)))",
    "generate": "go(lambda: (ready(), endless.write('out.csv', ssd)))",
    "compare": "go(lambda: wl.compare(ssd, endless, {'seed': [1, 2, 3]}, jobs=2, progress=ready))",
}


def processes_of_group(group: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for left-over processes in /proc")
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("whole_group", [True, False], ids=["terminal", "kill"])
def test_interrupt(action: str, whole_group: bool, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PRELUDE + ACTIONS[action]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        # Whenever it comes: somewhere in the action. A terminal sends the signal to every process, `kill` to one.
        time.sleep(1.5 if action == "compare" else 0.7)
        if whole_group:
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.send_signal(signal.SIGINT)
        # About 0.2 s; an endless run would never end.
        out, err = process.communicate(timeout=120)
    finally:
        for left in processes_of_group(process.pid):
            os.kill(left, signal.SIGKILL)
    assert out.replace("ready\n", "") == "interrupted\n"
    assert (err, process.returncode) == ("", 130)
    assert list(tmp_path.iterdir()) == []


def test_no_process_outlives_its_parent(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PRELUDE + ACTIONS["compare"]],
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(1.5)
    process.kill()
    process.wait()
    process.stdout.close()
    # A worker does not go on without its parent.
    wait_until(lambda: not processes_of_group(process.pid))
