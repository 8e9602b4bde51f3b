"""The definitions that determine a number: all of them are found through imports, and no drawing is among them."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import wordline_papers as studies
from api_helpers import ROOT
from wordline.sweeps.definitions import Definitions, name_of
from wordline_papers.sources import code_hash, core_hash, seeds_hash

STUDIES = studies.names()
A = """
\"\"\"What a is for.\"\"\"
from __future__ import annotations
from typing import TYPE_CHECKING
from .b import Kind as Sort
from . import b
if TYPE_CHECKING:
    from .d import Typed
LIMIT = 3
COLOUR = "red"
def number(kind: Typed):
    \"\"\"Its docstring.\"\"\"
    # A comment.
    from .d import late
    return LIMIT + Sort(b.twice(2)).value + late()
def draw():
    return COLOUR
def reads():
    return open("rows.csv")
"""
B = """
from .c import twice
class Kind:
    def __init__(self, value):
        self.value = value
def unused():
    return 1
"""
C = "def twice(n):\n    return 2 * n\n"
D = "register = print('a side effect')\nprint('another')\nclass Typed:\n    size = 1\ndef late():\n    return 5\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "pack"
    folder.mkdir()
    for name, text in {"__init__": "", "a": A, "b": B, "c": C, "d": D}.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "rows.csv").write_text("1,2\n")
    return folder


def hash_of(package: Path, name: str = "number") -> str:
    return Definitions({"pack": package}).hash(("pack.a", name))


def test_it_follows_imports_to_definitions(package: Path) -> None:
    assert Definitions({"pack": package}).reached([("pack.a", "number")]) - {(f"pack.{m}", "*") for m in "abc"} == {
        ("pack.a", "number"), ("pack.a", "LIMIT"), ("pack.b", "Kind"), ("pack.c", "twice"), ("pack.d", "late"),
        ("pack.d", "Typed"), ("pack.d", "*"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("file", "old", "new", "counts"),
    [
        ("a", "LIMIT = 3", "LIMIT = 4", True),
        ("a", 'COLOUR = "red"', 'COLOUR = "blue"', False),
        ("a", "Its docstring.", "Another.", False),
        ("a", "# A comment.", "# Another.\n", False),
        ("a", "What a is for.", "What else.", False),
        ("b", "self.value = value", "self.value = value + 1", True),
        ("b", "return 1", "return 2", False),
        ("c", "2 * n", "3 * n", True),
        ("d", "return 5", "return 6", True),
        ("d", "size = 1", "size = 2", True),
        ("d", "another", "a third", True),
    ],
)
def test_what_counts(package: Path, file: str, old: str, new: str, counts: bool) -> None:
    before = hash_of(package)
    path = package / f"{file}.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert (hash_of(package) != before) is counts


def test_a_file_that_is_read_counts(package: Path) -> None:
    before = hash_of(package), hash_of(package, "reads")
    (package / "rows.csv").write_text("1,3\n")
    assert hash_of(package) == before[0]
    assert hash_of(package, "reads") != before[1]


def test_of_a_partial_the_function_counts() -> None:
    assert name_of(functools.partial(hash_of, name="draw")) == (__name__, "hash_of")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The package's sources, to be changed."""
    for package in ("python/wordline", "papers/wordline_papers"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    return tmp_path


def change(tree: Path, file: str, old: str, new: str) -> None:
    path = tree / file.replace("studies/", "papers/wordline_papers/")
    path = path if path.is_file() else tree / "python" / "wordline" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def hashes(tree: Path) -> dict[str, str]:
    return {name: code_hash(studies.find(name), tree) for name in STUDIES}


@pytest.fixture(scope="module")
def before() -> dict[str, str]:
    """The hashes of the sources as they are."""
    return hashes(ROOT)


def test_a_colour_invalidates_no_study(tree: Path, before: dict[str, str]) -> None:
    change(tree, "output/plot/style.py", "#0072B2", "#0072B3")
    change(tree, "studies/aero/fail_bits.py", 'color="C0"', 'color="C1"')
    change(tree, "studies/validation/requests.py", 'xlabel="retry steps"', 'xlabel="steps"')
    change(tree, "studies/validation/__init__.py", "Closed forms: lone", "Closed forms, lone")
    change(tree, "report/page.py", '"summary", "Summary"', '"summary", "Overview"')
    assert hashes(tree) == before


def test_another_mean_invalidates_every_study(tree: Path, before: dict[str, str]) -> None:
    change(tree, "sweeps/outcome.py", "statistics.fmean(", "statistics.median(")
    after = hashes(tree)
    assert [name for name in STUDIES if after[name] == before[name]] == []


def test_another_bench_invalidates_the_studies_on_it(tree: Path, before: dict[str, str]) -> None:
    change(tree, "lab/erase_bench.py", "_rows(self.core.latencies(", "(self.core.latencies(")
    after = hashes(tree)
    assert {name for name in STUDIES if after[name] != before[name]} == {"aero", "device"}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("studies/over_seeds.py", "mean, low, high = mean_interval(values)", "mean, high, low = mean_interval(values)"),
        ("studies/over_seeds.py", "replace(point, seed=seed)", "replace(point, seed=2 * seed)"),
        ("studies/over_seeds.py", '"seed": seed}', '"seed": 2 * seed}'),
        ("stats/seeds.py", "student_quantile(", "0.9 * student_quantile("),
    ],
)
def test_the_combination_of_seeds_counts(tree: Path, file: str, old: str, new: str) -> None:
    as_it_is = seeds_hash(tree)
    change(tree, "sweeps/point.py", "is_file = ", "is_file = False or ")
    change(tree, "config.py", "cutoff=0.5", "cutoff=0.4")
    assert seeds_hash(tree) == as_it_is, "the short form covers what a point is"
    change(tree, file, old, new)
    assert seeds_hash(tree) != as_it_is


def test_claims_count(tree: Path, before: dict[str, str]) -> None:
    claims = tree / "papers" / "wordline_papers" / "claims.toml"
    claims.write_text(claims.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    after = hashes(tree)
    assert after.keys() == before.keys()
    assert not set(after.values()) & set(before.values())


SCRIPT = """
from pathlib import Path
from wordline.sweeps import Computation, Store, run_points
from wordline_papers.aero import bench
(outcome,) = run_points([Computation(bench.stress)], jobs=1, store=Store(Path("cache")))
print(outcome.cached, outcome["erase_share"])
"""


def test_a_changed_bench_is_not_answered_from_the_store(tree: Path) -> None:
    (extension,) = (ROOT / "python" / "wordline").glob("_core*.so")
    (tree / "python" / "wordline" / extension.name).symlink_to(extension)

    def answer() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], cwd=tree, env={**os.environ, "PYTHONPATH": f"{tree}/python:{tree}/papers"},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.split()

    first = answer()
    assert first[0] == "False"
    assert answer() == ["True", first[1]]
    change(tree, "output/plot/style.py", "#0072B2", "#0072B3")
    assert answer() == ["True", first[1]]
    stress = "return self.core.program_stress()"
    change(tree, "lab/erase_bench.py", stress, f"{stress} * 2.0")
    assert answer()[0] == "False"
    assert answer()[1] != first[1]


@pytest.mark.parametrize(
    ("file", "old", "new", "counts"),
    [
        ("crates/wordline-py/src/lib.rs", "use ", "use  ", True),
        ("crates/wordline-py/src/lib.rs", "//! ", "//! Yes. ", False),
        ("crates/wordline-core/src/lib.rs", "mod ", "mod  ", True),
        ("crates/wordline-bench/src/main.rs", "use ", "use  ", False),
        ("crates/wordline-core/Cargo.toml", "[dependencies]", "[dependencies] ", False),
        ("presets/ssd/pnar2.toml", " = ", "  = ", True),
        ("Cargo.lock", "version = ", "version  = ", True),
        ("README.md", "a", "b", False),
    ],
)
def test_the_core_is_what_the_extension_is_built_of(
    tmp_path: Path, file: str, old: str, new: str, counts: bool
) -> None:
    for place in ("crates", "presets", "Cargo.toml", "Cargo.lock", "README.md"):
        copy = shutil.copytree if (ROOT / place).is_dir() else shutil.copy
        copy(ROOT / place, tmp_path / place)
    before = core_hash(tmp_path)
    path = tmp_path / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert (core_hash(tmp_path) != before) is counts


def test_without_sources_the_core_is_the_extension(tmp_path: Path) -> None:
    assert core_hash(tmp_path) not in (core_hash(), "")
    assert core_hash(tmp_path) == core_hash(tmp_path / "elsewhere")
