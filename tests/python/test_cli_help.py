"""Help and version: at once, and complete."""

import subprocess
import time

import pytest

from cli_runner import command, environment, wordline

COMMANDS = ("run", "compare", "sweep", "reproduce", "explain", "presets", "workloads", "ldpc", "trace")


def test_help_takes_less_than_half_a_second() -> None:
    # A busy machine slows some starts down, never all of them.
    times = []
    while not times or (min(times) >= 0.5 and len(times) < 10):
        times.append(timed("--help"))
    assert min(times) < 0.5, f"{min(times):.2f} s"


def timed(*arguments: str) -> float:
    started = time.perf_counter()
    subprocess.run(command(*arguments), capture_output=True, env=environment(), check=True)
    return time.perf_counter() - started


def test_help_imports_nothing_heavy() -> None:
    done = subprocess.run(
        [*command("--help")[:1], "-X", "importtime", *command("--help")[1:]],
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "typer" in imported
    assert not imported & {"numpy", "pandas", "pyarrow", "matplotlib"}


def test_help_names_every_command() -> None:
    answer = wordline("--help")
    assert answer.code == 0
    assert all(f" {name} " in answer.out for name in COMMANDS)


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
    assert "stat" in answer.out + answer.err
