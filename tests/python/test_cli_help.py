"""Help and version: at once, and complete."""

import os
import subprocess
from pathlib import Path

import pytest

from cli_runner import command, environment, wordline
from mqsim_files import flow_xml, scenario_xml, ssd_xml

HEAVY = {"numpy", "pandas", "pyarrow", "matplotlib", "plotly"}
# Tables are drawn with rich; a run that prints JSON draws nothing, and neither does help.
FOR_TALK = {"rich", "pydantic"}
FOR_OTHERS = {"asyncio", "email", "importlib.metadata", "concurrent.futures", "wordline_papers", "wordline.sweeps"}
COMMANDS = ("run", "compare", "sweep", "reproduce", "explain", "presets", "workloads", "ldpc", "trace", "doctor")


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("run", "--help")])
def test_a_start_takes_a_third_of_a_second_at_most(arguments: tuple[str, ...]) -> None:
    # Processor time: a start waits for nothing, and a busy machine does not count. It slows some starts, never all.
    times: list[float] = []
    while not times or (min(times) >= 0.33 and len(times) < 10):
        times.append(timed(*arguments))
    assert min(times) < 0.33, f"{min(times):.2f} s"


def timed(*arguments: str) -> float:
    before = os.times()
    subprocess.run(command(*arguments), capture_output=True, env=environment(), check=True)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def imported(*arguments: str | Path) -> set[str]:
    """The modules that a command imports."""
    python, *rest = command(*map(str, arguments))
    done = subprocess.run(
        [python, "-X", "importtime", *rest], capture_output=True, text=True, env=environment(), check=True
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


def test_help_imports_nothing_heavy() -> None:
    found = imported("--help")
    assert "typer" in found
    assert not found & (HEAVY | FOR_TALK)


def test_a_run_imports_only_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "ssd.xml").write_text(ssd_xml())
    (tmp_path / "work.xml").write_text(scenario_xml(flow_xml()))
    preset = ("run", "mqsim", "--set", "workload.requests=10", "--json")
    pair = ("run", "--mqsim", tmp_path / "ssd.xml", tmp_path / "work.xml", "--json")
    for arguments in (preset, pair):
        found = imported(*arguments)
        assert "wordline.api" in found
        assert not found & (HEAVY | FOR_TALK | FOR_OTHERS)


def test_help_names_every_command() -> None:
    answer = wordline("--help")
    assert answer.code == 0
    assert all(f" {name} " in answer.out for name in COMMANDS)
    assert "..." not in answer.out.partition("Commands:")[2], "a description is cut short"


@pytest.mark.parametrize(
    "arguments", [(name,) for name in COMMANDS] + [("trace", n) for n in ("stat", "convert", "gen")]
)
def test_every_command_has_help(arguments: tuple[str, ...]) -> None:
    answer = wordline(*arguments, "--help")
    assert (answer.code, answer.err) == (0, "")
    assert "Usage: wordline " + " ".join(arguments) in answer.out


def test_the_version_goes_to_standard_output() -> None:
    answer = wordline("--version")
    assert (answer.code, answer.err) == (0, "")
    name, version = answer.out.split()
    assert name == "wordline"
    assert version[0].isdigit()


def test_without_a_command_help_is_shown_and_the_exit_code_is_that_of_a_mistake() -> None:
    answer = wordline("trace")
    assert answer.code == 2
    assert answer.err.startswith("Usage: wordline trace ")
    assert "stat" in answer.err
