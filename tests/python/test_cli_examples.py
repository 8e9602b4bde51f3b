"""Every example runs."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

import wordline as wl
from api_helpers import msrc, small, write_trace
from cli_runner import environment, wordline

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WITH_FIGURE = ("overprovisioning.py", "queue_depth.py", "wear.py")
# With writes: a drive may be overwritten as its workload writes.
QUICK = (
    *("--set", "workload.requests=2000", "--set", "workload.read_ratio=0.5"),
    *("--set", "precondition.overwrite=0.01"),
)

LESS = {"which_gc.py": ("--scale", "1/512"), "my-ssd.toml": ("--scale", "1/16")}
"""A smaller part of a drive, where an example ages or fills one."""
LONG = frozenset({"which_gc.py"})
"""Ages a drive for each policy: too long for `make test`, even so."""


def scripts() -> list[ParameterSet]:
    """The example scripts, of which `make verify` alone runs the long ones."""
    return [
        pytest.param(path, id=path.name, marks=[pytest.mark.verify] if path.name in LONG else [])
        for path in sorted(EXAMPLES.glob("*.py"))
    ]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_a_configuration_runs(path: Path, tmp_path: Path) -> None:
    if "[grid]" in path.read_text(encoding="utf-8"):
        # A study: many runs of one file.
        answer = wordline("sweep", path, "--set", "requests=200", "--out", tmp_path)
        assert answer.code == 0, answer.err
        return
    if "[[flow]]" in path.read_text(encoding="utf-8"):
        # Flows, each with its own number of requests.
        answer = wordline("run", "datacenter-tlc", path, "--scale", "1/1000", "--set", "precondition.overwrite=0.0")
        assert answer.code == 0, answer.err
        return
    answer = wordline("run", path, *QUICK, *LESS.get(path.name, ()))
    assert answer.code == 0, answer.err
    # A machine that is slow is told how far it is.
    assert not re.search(r"warning(?!: ssd\.scale)|error", answer.err), answer.err
    assert "2,000" in answer.out


def test_what_the_page_shows_is_printed() -> None:
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8").partition("## Two answers")[2]
    shown = re.findall(r"`python examples/(\w+\.py)`.*?```text\n(.*?)```", text, re.DOTALL)
    assert [name for name, _ in shown] == ["erase_suspension.py", "wear.py"]
    for name, lines in shown:
        done = subprocess.run(
            [sys.executable, str(EXAMPLES / name)], capture_output=True, text=True, env=environment(), check=True
        )
        assert lines in done.stdout, f"{name} prints\n{done.stdout}"


@pytest.mark.parametrize("path", scripts())
def test_a_script_runs(path: Path, tmp_path: Path) -> None:
    draws = path.name in WITH_FIGURE
    done = subprocess.run(
        [
            sys.executable,
            str(path),
            "--requests",
            "2000",
            *LESS.get(path.name, ()),
            *(["--out", str(tmp_path / "a.png")] if draws else []),
        ],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
        timeout=300,
    )
    # A machine that is slow is told how far it is.
    left = re.sub(r"^wordline: \w+ing .*\n", "", done.stderr, flags=re.MULTILINE)
    assert (done.returncode, left) == (0, "")
    assert len(done.stdout.splitlines()) >= 5
    assert sorted(path.name for path in tmp_path.iterdir()) == (["a.csv", "a.png"] if draws else [])


def test_a_trace_that_writes_less_than_the_spare_flash_is_run_on_a_drive_of_other_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    which_gc = runpy.run_path(str(EXAMPLES / "which_gc.py"))
    trace = wl.trace(write_trace(tmp_path / "t.csv", requests=6000))
    shapes = {
        spare: which_gc["shape_for"](trace, small().set("ssd.overprovisioning", spare)) for spare in ("10%", "80%")
    }
    told = capsys.readouterr().out.splitlines()
    assert shapes == {"10%": "workload", "80%": "random"}, told
    assert "overwritten as the trace writes" in told[0]
    assert "overwritten at random places before" in told[1]


def test_a_trace_runs_on_the_smallest_part_of_a_drive_that_holds_its_addresses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    which_gc = runpy.run_path(str(EXAMPLES / "which_gc.py"))
    ssd = wl.preset("datacenter-tlc")
    for last_gb, scale in ((1, "1/256"), (14, "1/256"), (33, "1/64"), (5000, "1/1")):
        path = tmp_path / f"{last_gb}.csv"
        path.write_text(msrc((0, "Write", 0, 4096), (10_000, "Write", last_gb * 10**9 // 4096 * 4096, 4096)))
        assert which_gc["scale_for"](wl.trace(path), ssd) == scale
    assert "do not hold them" in capsys.readouterr().out


def test_the_page_has_ten_questions_and_every_example() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    first = page.partition("\nMore:")[0]
    assert len(re.findall(r"^\| [A-Z].*\.py\)|^\| [A-Z].*\(policies\)", first, re.MULTILINE)) == 10
    there = {path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".toml")}
    assert set(re.findall(r"\]\(([\w-]+\.(?:py|toml))\)", page)) == there
    for script in EXAMPLES.glob("*.py"):
        assert f"python examples/{script.name}" in script.read_text(encoding="utf-8"), script.name


def test_which_gc_names_a_trace_that_it_cannot_read(tmp_path: Path) -> None:
    trace = tmp_path / "empty.csv"
    trace.touch()
    run = [sys.executable, str(EXAMPLES / "which_gc.py"), str(trace)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert f"{trace}: empty trace" in done.stderr
