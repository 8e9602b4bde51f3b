"""Every example runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from cli_runner import environment, wordline

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QUICK = ("--set", "workload.requests=2000", "--set", "precondition.overwrite=0.1")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_a_configuration_runs(path: Path, tmp_path: Path) -> None:
    if "[grid]" in path.read_text(encoding="utf-8"):
        # A study: many runs of one file.
        answer = wordline("sweep", path, "--set", "requests=200", "--out", tmp_path)
        assert answer.code == 0, answer.err
        return
    answer = wordline("run", path, *QUICK)
    assert (answer.code, answer.err) == (0, "")
    assert "2,000" in answer.out


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_a_script_runs(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(path), "--requests", "2000"],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) >= 5


def test_there_are_examples() -> None:
    assert len(list(EXAMPLES.glob("*.py"))) >= 5
    assert len(list(EXAMPLES.glob("*.toml"))) >= 2


def test_a_script_draws_its_figure(tmp_path: Path) -> None:
    script = EXAMPLES / "overprovisioning.py"
    arguments = [sys.executable, str(script), "--requests", "2000", "--out", str(tmp_path / "a.png")]
    subprocess.run(arguments, capture_output=True, env=environment(), check=True, timeout=300)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.png"]
