"""Ctrl-C ends a command, whatever the interpreter is doing at that moment."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli_runner import command, environment

# What hangs never ends; a machine with much else to do takes a minute to start three processes.
PATIENCE_S = 600

SWALLOWED = """
import signal, sys, time
from wordline.cli.guard import guarded
from wordline.cli.signals import deliver_swallowed_interrupts

class Callback:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def work():
    Callback()
    print("swallowed", flush=True)
    time.sleep(60)

deliver_swallowed_interrupts()
sys.exit(guarded(work))
"""


def test_an_interrupt_in_a_destructor_is_not_lost() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SWALLOWED],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, "swallowed\n"), done.stderr
    assert done.stderr == "wordline: interrupted\n"


INTERRUPTED_TWICE = """
import os, signal, sys, threading
from wordline.cli import main
sys.argv = ["wordline", "run", "mqsim", "--workload", "fio/random-read", "--set", "workload.requests=1000000000"]
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
code = main()
os.kill(os.getpid(), signal.SIGINT)
sys.exit(code)
"""


def test_an_interrupt_as_the_process_ends_changes_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_TWICE],
        capture_output=True, text=True, env=environment(), timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 130, done.stderr
    assert done.stderr.endswith("interrupted\n")


CHATS = Path(__file__).resolve().parents[2] / "examples" / "chat.jsonl"
LONG = ("--workload", "fio/random-mix", "--set", "workload.requests=1000000000")
STUDY = 'ssd = "mqsim"\nworkload = "fio/random-mix"\nrequests = 1_000_000_000\n[grid]\nhost.queue_depth = [1, 8]\n'
SIGNALS = (signal.SIGINT, signal.SIGTERM)
COMMANDS = {
    "run": ("run", "mqsim", *LONG, "--out", "out"),
    "seeds": ("run", "mqsim", *LONG, "--seeds", "2", "--jobs", "2", "--out", "out"),
    "compare": ("compare", "mqsim", *LONG, "--set", "host.queue_depth=1,8", "--jobs", "2", "--out", "out"),
    "sweep": ("sweep", "study.toml", "--jobs", "2", "--out", "out"),
    "sweep alone": ("sweep", "study.toml", "--jobs", "1", "--out", "out"),
    "convert": ("trace", "gen", "fio/random-mix", "t.csv", "--set", "workload.requests=1000000000"),
    "stdin": ("trace", "stat", "-"),
    "stdin of a run": ("run", "mqsim", "--trace", "-", "--out", "out"),
    "ldpc": ("ldpc", "--out", "out", "--cores", "1"),
    "pts": ("pts", "mqsim", "--out", "out", "--requests", "100000000"),
    "kv": ("kv", "mqsim", str(CHATS), "--drive-writes", "1000", "--out", "out"),
    "characterize": ("characterize", "--blocks", "1000", "--out", "out"),
}


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """How a process ends that was sent a signal; none remains of its group."""
    try:
        _, said = process.communicate(timeout=PATIENCE_S)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, said


def listens(process: subprocess.Popen[str]) -> bool:
    """Returns whether a process has a handler of its own for SIGTERM."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(caught >> (signal.SIGTERM - 1) & 1)


CASES = [(name, number, to_group) for name in COMMANDS for number in SIGNALS for to_group in (False, True)]
IN_SHORT = {("run", signal.SIGTERM, False), ("seeds", signal.SIGTERM, True), ("stdin", signal.SIGTERM, False)}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc says which signals a process handles")
@pytest.mark.parametrize(
    ("name", "number", "to_group"),
    [pytest.param(*case, marks=() if case in IN_SHORT else pytest.mark.verify) for case in CASES],
)
def test_a_command_ends_cleanly_on_a_signal(name: str, number: signal.Signals, to_group: bool, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    process = subprocess.Popen(
        command(*COMMANDS[name]),
        cwd=tmp_path,
        env=environment(WORDLINE_CACHE=str(tmp_path / "cache")),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not listens(process):
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    # Somewhere in the work; which moment it is does not matter.
    time.sleep(0.7)
    assert process.poll() is None, process.communicate()[1]
    (os.killpg if to_group else os.kill)(process.pid, number)
    code, said = ended(process)
    assert code == 130, said
    assert "Traceback" not in said
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if "cache" not in path.parts}
    assert not [each for each in left if "partial" in each or each.startswith(".")], left
    assert "t.csv" not in left


@pytest.mark.parametrize("number", SIGNALS)
def test_aging_tells_how_far_it_is_without_a_terminal_and_ends_on_a_signal(number: signal.Signals) -> None:
    """It comes after the first line on aging, and before the run: however fast the machine is, aging is not over."""
    process = subprocess.Popen(
        command("run", "datacenter-tlc", "--scale", "1/32", "--steady", "--workload", "fio/random-write"),
        env=environment(WORDLINE_PROGRESS_S="0"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stderr is not None
        assert next(line for line in process.stderr if not line.startswith("wordline: warning")).startswith(
            "wordline: filling the drive (1 of 3)"
        )
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (130, "")
    assert err.endswith("wordline: interrupted\n")
    assert "simulating" not in err


def test_a_second_signal_ends_it_no_differently(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command(*COMMANDS["convert"]), cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True
    )
    while not listens(process):
        time.sleep(0.01)
    for number in (*SIGNALS, *SIGNALS):
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
    assert process.communicate(timeout=PATIENCE_S)[1].count("Traceback") == 0
    assert process.returncode == 130
    assert not [path.name for path in tmp_path.iterdir()]
