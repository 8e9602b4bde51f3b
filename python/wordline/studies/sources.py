"""The sources that decide a study's numbers, as hashes: what runs in Python or is read, and the simulator's core."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from .study import Study

__all__ = ["CORE", "DATA", "MODULES", "ROOT", "code_hash", "core_hash"]

ROOT = Path(__file__).resolve().parents[3]
CORE = (
    "crates/wordline-cells/src",
    "crates/wordline-core/src",
    "crates/wordline-run/src",
    "crates/wordline-trace/src",
    "crates/wordline-py/src",
    "Cargo.lock",
)
DATA = ("presets", "studies/claims.toml")
# What decides a measured number, beside the study's own package.
MODULES = (
    "api.py",
    "lab/chips.py",
    "config.py",
    "lab/ecc.py",
    "lab/erase_bench.py",
    "lab/program_bench.py",
    "lab/read_bench.py",
    "lab/survey.py",
    "workload.py",
    "studies/claims.py",
    "sweeps/point.py",
)
COMMENT = {".rs": "//", ".py": "#", ".toml": "#", ".csv": "#", ".lock": "#"}
DIGITS = 16


def code_hash(study: Study, root: Path = ROOT) -> str:
    """Hash of a study's package, the modules that it works with, presets and claims."""
    modules = (root / "python" / "wordline" / name for name in MODULES)
    return _hash([study.folder, *modules, *(root / name for name in DATA)], root)


def core_hash(root: Path = ROOT) -> str:
    """Hash of the Rust sources that simulate and read traces, and of their dependencies; one for all studies."""
    return _hash((root / name for name in CORE), root)


def _hash(places: Iterable[Path], root: Path) -> str:
    """Hash of the sources in some places, comments and blank lines left out."""
    found: set[Path] = set()
    for place in places:
        inside = place.rglob("*") if place.is_dir() else [place]
        found |= {path for path in inside if path.suffix in COMMENT}
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(f"{path.relative_to(root).as_posix()}\n{_code(path)}".encode())
    return digest.hexdigest()[:DIGITS]


def _code(path: Path) -> str:
    mark = COMMENT[path.suffix]
    lines = (line.rstrip() for line in path.read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.lstrip().startswith(mark))
