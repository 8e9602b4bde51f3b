"""Tab completes commands, presets, workloads, keys and their values, in a real Bash, zsh and fish."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import environment, wordline
from wordline.cli import complete
from wordline.config import parameters

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
        ("wordline run datacenter", {"datacenter-tlc", "datacenter-qlc"}),
        ("wordline run mqsim --workload fio/random-m", {"fio/random-mix"}),
        ("wordline run mqsim --set read.retr", {"read.retry="}),
        ("wordline run mqsim --set host.wrap=t", {"true"}),
        ("wordline run mqsim --set gc.policy=co", {"cost-benefit"}),
        ("wordline run mqsim --set read.retry=pso+p", {"pso+pr2", "pso+pnar2"}),
        ("wordline compare mqsim --set gc.policy=greedy,f", {"greedy,fifo"}),
        ("wordline explain read.re", {"read.retry"}),
        ("wordline explain pn", {"pnar2"}),
        ("wordline explain lim", {"limits"}),
        (
            "wordline compare mqsim --columns wa,read.p99.99",
            {f"wa,read.p99.{nines}" for nines in ("99", "999", "9999")},
        ),
        ("wordline compare mqsim --baseline read.retry=ps", {"pso"}),
    ],
)
def test_bash_completes(line: str, expected: set[str]) -> None:
    script = wordline("completion", "bash").out
    values = environment(SCRIPT=script, LINE=line, PYTHON=sys.executable)
    done = subprocess.run(["bash", "-c", HARNESS], capture_output=True, text=True, env=values, check=True)
    assert set(done.stdout.split()) == expected


# What Tab offers in zsh: the script's own functions, with zsh's replaced by one that prints what it is given.
ZSH = """
compdef() { }
_arguments() { print -r -- "$@" }
_files() { }
source <(wordline completion zsh)
words=(${=LINE}); CURRENT=${#words}
_wordline_completion
"""
FISH = 'wordline completion fish | source; complete -C "$LINE"'
LINES = [
    ("wordline comp", {"compare", "completion"}),
    ("wordline run mqsim --workload fio/random-m", {"fio/random-mix"}),
    ("wordline run mqsim --set read.retr", {"read.retry="}),
    ("wordline run mqsim --set gc.policy=co", {"gc.policy=cost-benefit"}),
    ("wordline run mqsim --set read.retry=pso+p", {"read.retry=pso+pr2", "read.retry=pso+pnar2"}),
    ("wordline run mqsim --set nand.cache_register=", {"nand.cache_register=true", "nand.cache_register=false"}),
]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a `wordline` to be found on the path."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "wordline"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m wordline.cli "$@"\n')
    program.chmod(0o755)
    return folder


def shell(programs: Path, line: str, *arguments: str) -> str:
    values = environment(LINE=line, PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")
    return subprocess.run(arguments, capture_output=True, text=True, env=values, check=True).stdout


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh on this machine")
@pytest.mark.parametrize(("line", "expected"), LINES)
def test_zsh_completes(line: str, expected: set[str], programs: Path) -> None:
    said = shell(programs, line, "zsh", "-f", "-c", ZSH)
    assert set(re.findall(r'"([^" ]+)"(?::"[^"]*")?', said)) == expected


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish on this machine")
@pytest.mark.parametrize(("line", "expected"), LINES)
def test_fish_completes(line: str, expected: set[str], programs: Path) -> None:
    said = shell(programs, line, "fish", "--no-config", "-c", FISH)
    assert {each.partition("\t")[0] for each in said.splitlines()} == expected


def offered(typed: str) -> set[str]:
    return {value for value, _ in complete.settings(typed)}


def test_every_policy_is_offered_for_its_key() -> None:
    for policy in wl.policies():
        begun = f"{policy.key}={'baseline+' if policy.part == 'modifier' else ''}"
        assert f"{begun}{policy.name}" in offered(begun), policy


def test_every_choice_of_every_key_is_offered_and_taken() -> None:
    keys = 0
    for key, row in parameters().items():
        values = offered(f"{key}=")
        keys += bool(values)
        domain = row["domain"]
        assert bool(values) >= (domain == "truth" or bool({"word", "one_of", "joined"} & set(domain))), key
        for value in values:
            # A value may need another key to be set; it is never a wrong word.
            with contextlib.suppress(wl.errors.OutOfRangeError):
                wl.config().assign(value)
    assert keys > 40
    assert offered("no.key=") == set()
    assert offered("host.queue_depth=") == set()


@pytest.mark.parametrize(("shell", "sign"), [("zsh", "#compdef wordline"), ("fish", "complete --command wordline")])
def test_other_shells_have_a_script(shell: str, sign: str) -> None:
    assert wordline("completion", shell).out.startswith(sign)


def test_an_unknown_shell_is_named(tmp_path: Path) -> None:
    answer = wordline("completion", "csh", cwd=tmp_path)
    assert answer.code == 2
    assert "csh" in answer.err
