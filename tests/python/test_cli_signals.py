"""Ctrl-C ends a command, whatever the interpreter is doing at that moment."""

from __future__ import annotations

import subprocess
import sys

from cli_runner import environment

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
        [sys.executable, "-c", SWALLOWED], capture_output=True, text=True, env=environment(), timeout=40, check=False
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
        capture_output=True, text=True, env=environment(), timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 130, done.stderr
    assert done.stderr.endswith("interrupted\n")
