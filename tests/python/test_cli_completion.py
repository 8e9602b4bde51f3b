"""Tab completes commands, presets, workloads, keys and values, in a real Bash."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli_runner import environment, wordline

# Calls the function that Bash would call, with the variables that Bash sets, and prints what it answers.
HARNESS = """
source /dev/stdin <<< "$SCRIPT"
wordline() { "$PYTHON" -m wordline.cli "$@"; }
export -f wordline
env() { while [[ $1 == *=* ]]; do export "$1"; shift; done; "$@"; }
COMP_LINE="$LINE" COMP_POINT=${#LINE} COMP_WORDBREAKS=$' \\t\\n"><=;|&(:'
_wordline_completion wordline 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no Bash on this machine")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("wordline comp", {"compare", "completion"}),
        ("wordline run datacenter", {"datacenter-tlc"}),
        ("wordline run mqsim --workload fio/random-m", {"fio/random-mix"}),
        ("wordline run mqsim --set read.retr", {"read.retry="}),
        ("wordline run mqsim --set host.wrap=t", {"true"}),
    ],
)
def test_bash_completes(line: str, expected: set[str]) -> None:
    script = wordline("completion", "bash").out
    values = environment(SCRIPT=script, LINE=line, PYTHON=sys.executable)
    done = subprocess.run(["bash", "-c", HARNESS], capture_output=True, text=True, env=values, check=True)
    assert set(done.stdout.split()) == expected


@pytest.mark.parametrize(("shell", "sign"), [("zsh", "#compdef wordline"), ("fish", "complete --command wordline")])
def test_other_shells_have_a_script(shell: str, sign: str) -> None:
    assert wordline("completion", shell).out.startswith(sign)


def test_an_unknown_shell_is_named(tmp_path: Path) -> None:
    answer = wordline("completion", "csh", cwd=tmp_path)
    assert answer.code == 2
    assert "csh" in answer.err
