"""Without any extra the command line does its main jobs; what needs one says so in a line, before it simulates."""

from __future__ import annotations

import ast
import json
import os
import pickle
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from cli_runner import Answer, command, environment
from wordline import errors, extras
from wordline.extras import EXTRAS, MODULES

Bare = Callable[..., Answer]
ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "wordline"
OPTIONAL = {package for extra in EXTRAS.values() for package in extra.packages}
# Python runs it before anything else: what an extra installs cannot be found, as where it is not installed.
BLOCKER = f"""
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OPTIONAL!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
"""
RUN = ("run", "datacenter-tlc", "--workload", "fio/random-mix", "--set", "workload.requests=2000")
SWEEP = """
ssd = "datacenter-tlc"
workload = "fio/random-read"
requests = 1000
[grid]
host.queue_depth = [1, 4]
"""


@pytest.fixture(scope="module")
def blocker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blocker")
    (folder / "sitecustomize.py").write_text(BLOCKER)
    return folder


@pytest.fixture
def bare(blocker: Path, tmp_path: Path) -> Bare:
    """Runs `wordline` where no extra is installed, in an empty folder."""

    def call(*arguments: str) -> Answer:
        values = environment()
        values["PYTHONPATH"] = os.pathsep.join((str(blocker), values["PYTHONPATH"]))
        done = subprocess.run(
            command(*arguments), capture_output=True, text=True, cwd=tmp_path, env=values, check=False, timeout=120
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    return call


def good(answer: Answer) -> Answer:
    assert answer.code == 0, answer.err
    return answer


def test_the_blocker_blocks(blocker: Path) -> None:
    for name in sorted(OPTIONAL):
        done = subprocess.run(
            [sys.executable, "-c", f"import {name}"], env=environment(PYTHONPATH=str(blocker)), capture_output=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 1, name


def test_a_run_writes_its_record_and_its_result(bare: Bare, tmp_path: Path) -> None:
    assert "read" in good(bare(*RUN)).out
    answer = good(bare(*RUN, "--out", "out", "--timeline", "0:5000"))
    assert "no report.html: it needs plotly; pip install 'wordline[report]'" in answer.err
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"run.toml", "result.json", "config.toml", "bins.csv", "series.csv", "timeline.json"} <= names
    assert not {"report.html", "run.svg"} & names
    assert json.loads((tmp_path / "out" / "result.json").read_text())["requests"]["all"] == 2000
    assert json.loads((tmp_path / "out" / "timeline.json").read_text())["traceEvents"]
    assert "@" in good(bare("cite", "out")).out
    good(bare("rerun", "out"))


def test_grids_and_sweeps_run(bare: Bare, tmp_path: Path) -> None:
    good(bare("compare", *RUN[1:], "--set", "host.queue_depth=1,4", "--out", "grid", "--jobs", "1"))
    assert {"compare.json", "compare.csv", "run.toml"} <= {path.name for path in (tmp_path / "grid").iterdir()}
    (tmp_path / "s.toml").write_text(SWEEP)
    answer = good(bare("sweep", "s.toml", "--out", "swept", "--jobs", "1"))
    assert "no results.parquet: it needs pandas and pyarrow; pip install 'wordline[tables]'" in answer.err
    assert {"sweep.json", "run.toml"} <= {path.name for path in (tmp_path / "swept").iterdir()}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("explain", "pnar2", "--key", "nand"),
        ("explain", "read"),
        ("explain", "erase"),
        ("explain", "coding"),
        ("presets",),
        ("workloads",),
        ("schema", "config"),
        ("trace", "gen", "fio/random-mix", "t.csv", "--set", "workload.requests=500"),
        ("characterize", "--only", "m-err", "--blocks", "1", "--json"),
    ],
    ids=" ".join,
)
def test_these_need_no_extra(bare: Bare, arguments: tuple[str, ...]) -> None:
    good(bare(*arguments))


def test_a_trace_is_measured_converted_and_run(bare: Bare, tmp_path: Path) -> None:
    lines = "".join(f"{128166372003061629 + n * 10_000},hm,0,Read,{n * 4096},4096,100\n" for n in range(300))
    (tmp_path / "t.csv").write_text(lines)
    assert "300" in good(bare("trace", "stat", "t.csv")).out
    good(bare("trace", "convert", "t.csv", "t.native"))
    good(bare("run", "mqsim", "--trace", "t.native"))


def test_doctor_lists_what_is_missing(bare: Bare) -> None:
    said = good(bare("doctor", "--quick", "--json")).out
    found = {each["name"]: each for each in json.loads(said)["findings"]}
    for extra, (_, packages) in EXTRAS.items():
        for package in packages:
            assert not found[package]["is_ok"]
            assert f"pip install 'wordline[{extra}]'" in found[package]["hint"]


@pytest.mark.parametrize(
    ("arguments", "needs", "extra"),
    [
        ((*RUN, "--out", "out", "--plot"), "--plot needs matplotlib", "plot"),
        ((*RUN, "--out", "out", "--parquet"), "--parquet needs pandas and pyarrow", "tables"),
        ((*RUN, "--report", "r.html"), "--report needs plotly", "report"),
        (("explain", "read", "--plot", "f.svg"), "--plot needs matplotlib", "plot"),
        (("explain", "erase", "--plot", "f.svg"), "--plot needs matplotlib", "plot"),
        (("explain", "coding", "--plot", "f.svg"), "--plot needs matplotlib", "plot"),
        (("trace", "stat", "none.csv", "--plot", "f.svg"), "--plot needs matplotlib", "plot"),
        (("sweep", "s.toml", "--dask", "127.0.0.1:1"), "--dask needs distributed", "dask"),
        (("sweep", "s.toml", "--report", "r.html"), "--report needs plotly", "report"),
        (("characterize", "--only", "m-err"), "characterize needs matplotlib and pandas and pyarrow", "plot,tables"),
        (("reproduce", "validation", "--quick"), "reproduce needs wordline_papers", "papers"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_missing_extra_is_one_line(
    bare: Bare, arguments: tuple[str, ...], needs: str, extra: str, tmp_path: Path
) -> None:
    (tmp_path / "s.toml").write_text(SWEEP)
    answer = bare(*arguments)
    assert (answer.code, answer.out) == (2, "")
    (line,) = answer.err.splitlines()
    assert needs in line
    assert line.endswith(f"pip install 'wordline[{extra}]'")
    # It is said before anything is simulated, and nothing is left.
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]


def test_tables_in_python_say_what_they_need(blocker: Path) -> None:
    program = """
import wordline as wl
result = wl.run(wl.preset("mqsim"), wl.workload("fio/random-read", requests=500))
assert result.arrays("bins")["count"].sum() == 1000
for ask in (result.to_pandas, result.to_arrow, result.bins):
    try:
        ask()
    except wl.errors.MissingExtraError as error:
        assert error.extras == ("tables",), error
        assert "pip install 'wordline[tables]'" in str(error), error
    else:
        raise AssertionError(ask)
"""
    values = environment()
    values["PYTHONPATH"] = os.pathsep.join((str(blocker), values["PYTHONPATH"]))
    done = subprocess.run([sys.executable, "-c", program], env=values, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_error_survives_a_process_boundary() -> None:
    error = errors.MissingExtraError("--plot", ["matplotlib"], ["plot"])
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.extras) == (str(error), ("plot",))
    assert isinstance(error, ImportError)


def test_the_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = project["optional-dependencies"]
    assert set(declared) == {*EXTRAS, "all", "docs"}
    for extra, (_, packages) in EXTRAS.items():
        names = [re.split(r"[<>=]", each)[0] for each in declared[extra] if not each.startswith("wordline[")]
        assert sorted(name.replace("-", "_") for name in names) == sorted(packages)
    (everything,) = declared["all"]
    # The second package of this repository is asked for by name.
    assert everything == f"wordline[{','.join(extra for extra in EXTRAS if extra != 'papers')}]"
    assert not OPTIONAL & {re.split(r"[<>=]", each)[0] for each in project["dependencies"]}


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_one_file_imports_them(path: Path) -> None:
    if path.name == "extras.py":
        return
    wrong = [name for name in imported(ast.parse(path.read_text()).body) if name.partition(".")[0] in OPTIONAL]
    assert wrong == [], "ask wordline.extras for it"


def imported(body: list[ast.stmt]) -> list[str]:
    """What is imported anywhere, but for types alone."""
    found = []
    for statement in body:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            found += imported(statement.orelse)
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Import):
                found += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                found.append(node.module or "")
    return found


def test_every_module_can_be_had() -> None:
    for name, module in MODULES.items():
        assert getattr(extras, name).__name__ == module
    with pytest.raises(AttributeError):
        extras.no_such_module  # noqa: B018 - asking for it is the test
