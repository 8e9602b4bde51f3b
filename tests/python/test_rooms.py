"""Imports go one way: from the command line down to the core, and no inner module imports the package itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from api_helpers import ROOT

PACKAGE = ROOT / "python" / "wordline"
# From the top floor down: a room imports rooms of floors below its own, and nothing else.
FLOORS = (
    ("cli",),
    ("record", "report"),
    ("fit",),
    ("agreement", "drive_table", "kv_cache", "placement_log", "applications"),
    ("cite", "held", "imports", "lab", "limits", "machine", "mqsim", "pts", "waits"),
    ("selftest", "serving", "sweeps"),
    ("api", "fio_jobs", "flow_file"),
    ("offered_load",),
    ("aged_drives", "events", "workload", "result"),
    ("memory", "output"),
    ("fitted", "measured"),
    ("config_schema", "drive", "explain", "stats"),
    ("inputs", "named_workloads", "needs", "placements", "python_policies"),
    ("arrays_trace", "config", "parquet_trace", "policies", "state", "tables"),
    ("extras", "listed"),
    ("document", "errors", "files", "progress", "storage"),
    ("_core",),
)
LINES_MAX = 600
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def module_of(path: Path, root: Path = PACKAGE) -> tuple[str, ...]:
    """A file's dotted name, in parts."""
    parts = path.relative_to(root.parent).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def imported(path: Path, root: Path = PACKAGE) -> Iterator[tuple[str, ...]]:
    """What a file imports of its package, also inside functions and for types: modules and names in them."""
    module = module_of(path, root)
    package = module if path.name == "__init__.py" else module[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            source = (*base, *(node.module.split(".") if node.module else ()))
            found = [(*source, alias.name) for alias in node.names]
        else:
            continue
        yield from (each for each in found if each[0] == root.name)


def mistakes(path: Path, root: Path = PACKAGE) -> list[str]:
    """Imports that run up, across, or to the package's own `__init__`."""
    here = module_of(path, root)[1]
    wrong = []
    for target in imported(path, root):
        room = target[1] if len(target) > 1 else ""
        if room == here or (room in FLOOR_OF and FLOOR_OF[room] > FLOOR_OF[here]):
            continue
        wrong.append(f"{'.'.join(module_of(path, root))} imports {'.'.join(target)}")
    return wrong


def test_every_room_has_its_floor() -> None:
    rooms = {module_of(path)[1] for path in FILES}
    assert rooms | {"_core"} == set(FLOOR_OF)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_run_down(path: Path) -> None:
    assert mistakes(path) == []


@pytest.mark.parametrize(
    ("line", "is_wrong"),
    [
        ("from ..config import Config", False),
        ("from .other import name", False),
        ("from .. import _core", False),
        ("from ..report import write", True),
        ("def late():\n    from ..lab import Chip", True),
        ("from .. import run", True),
        ("import wordline as wl", True),
        ("from wordline.cli import app", True),
        ("import json", False),
    ],
)
def test_an_import_that_runs_up_is_found(line: str, is_wrong: bool, tmp_path: Path) -> None:
    file = tmp_path / "wordline" / "sweeps" / "engine.py"
    file.parent.mkdir(parents=True)
    file.write_text(f"{line}\n")
    assert bool(mistakes(file, tmp_path / "wordline")) == is_wrong


def test_no_two_files_import_each_other() -> None:
    """Within a room, too; late imports and those of types count."""
    names = {".".join(module_of(path)): path for path in FILES}
    arrows = {name: set(targets(path, names)) - {name} for name, path in names.items()}
    while leaves := {name for name, found in arrows.items() if not found & arrows.keys()}:
        arrows = {name: found for name, found in arrows.items() if name not in leaves}
    assert not arrows, f"these import each other in a circle: {sorted(arrows)}"


def targets(path: Path, names: dict[str, Path]) -> Iterator[str]:
    """The files that a file imports: a name's own module, else the package that has it."""
    for target in imported(path):
        whole, package = ".".join(target), ".".join(target[:-1])
        found = whole if whole in names else package
        if found in names:
            yield found


def test_no_file_is_too_long() -> None:
    """`document.py` is made from the form of a result."""
    lengths = {path.name: path.read_text(encoding="utf-8").count("\n") for path in FILES if path.name != "document.py"}
    assert [name for name, lines in lengths.items() if lines > LINES_MAX] == []
