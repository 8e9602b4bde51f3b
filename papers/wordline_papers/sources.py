"""Hashes of the sources that determine a study's numbers: its Python definitions, and the simulator's core."""

from __future__ import annotations

import functools
import hashlib
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from wordline import _core
from wordline.sweeps.definitions import Definitions, Where, name_of
from wordline.sweeps.perform import perform

from . import claims, over_seeds
from .study import PACKAGE, Study

__all__ = ["ROOT", "code_hash", "core_hash", "seeds_hash"]

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = Path("crates/wordline-py")
COMMENT = {".rs": "//", ".toml": "#"}
# Arguments that do not affect numbers in the call that makes a study or a figure.
WORDS_AND_DRAWING = ("title", "notes", "draw", "constants", "unmeasured")
# A path that Rust code names, such as that of a preset.
NAMED = re.compile(r'"((?:\.\./)+[\w./-]+)"')
DIGITS = 16


def code_hash(study: Study, root: Path = ROOT) -> str:
    """Returns a hash of the Python definitions for a study's points, rows and claims, and for the runs themselves."""
    return _hash(root, (f"{PACKAGE}.{study.name}", "STUDY"), name_of(claims.judged), name_of(perform))


def seeds_hash(root: Path = ROOT) -> str:
    """Returns a hash of the Python definitions that give points their seeds and make one verdict of several.

    The short form covers what a point is, and how it runs.
    """
    return _hash(root, name_of(over_seeds.over_seeds), alone=[name_of(over_seeds.with_seed)])


def _hash(root: Path, *starts: Where, alone: Sequence[Where] = ()) -> str:
    packages = (root / "python" / "wordline", root / "papers" / PACKAGE)
    files = ((path, path.stat()) for each in packages for path in each.rglob("*.*") if path.suffix != ".pyc")
    state = frozenset((path, stat.st_mtime_ns, stat.st_size) for path, stat in files)
    return _definitions(packages, state).hash(*starts, alone=alone)[:DIGITS]


@functools.lru_cache(maxsize=1)
def _definitions(packages: tuple[Path, ...], _: frozenset[object]) -> Definitions:
    """Returns the definitions of the packages, of which studies share most; files in another state are read again."""
    return Definitions({package.name: package for package in packages}, silent=WORDS_AND_DRAWING)


def core_hash(root: Path = ROOT) -> str:
    """Returns a hash of the Rust sources of the extension, of the files they include, and of their dependencies.

    Without sources, as in an installed package, it is a hash of the extension itself.
    """
    if not (root / EXTENSION).is_dir():
        return hashlib.sha256(Path(str(_core.__file__)).read_bytes()).hexdigest()[:DIGITS]
    found = {root / "Cargo.lock"}
    for crate in _crates(root, root / EXTENSION, set()):
        sources = [path for path in (crate / "build.rs", *(crate / "src").rglob("*.rs")) if path.is_file()]
        found |= {crate / "Cargo.toml", *sources}
        found |= {path for source in sources for path in _included(source, crate)}
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(f"{path.relative_to(root).as_posix()}\n{_code(path)}".encode())
    return digest.hexdigest()[:DIGITS]


def _crates(root: Path, crate: Path, seen: set[Path]) -> Iterator[Path]:
    """Yields a crate and the crates of the workspace that it needs."""
    if crate in seen:
        return
    seen.add(crate)
    yield crate
    shared = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["dependencies"]
    manifest = tomllib.loads((crate / "Cargo.toml").read_text(encoding="utf-8"))
    for table in ("dependencies", "build-dependencies"):
        for name in manifest.get(table, {}):
            said = shared.get(name)
            if isinstance(said, dict) and "path" in said:
                yield from _crates(root, root / said["path"], seen)


def _included(source: Path, crate: Path) -> Iterator[Path]:
    """Yields files that a source names by a path, relative to its folder or its crate."""
    for name in NAMED.findall(source.read_text(encoding="utf-8")):
        for place in ((source.parent / name).resolve(), (crate / name).resolve()):
            if place.is_file():
                yield place
            elif place.is_dir():
                yield from (path for path in place.rglob("*") if path.is_file())


def _code(path: Path) -> str:
    """Returns the lines of a file; for a source without comments."""
    mark = COMMENT.get(path.suffix)
    lines = (line.rstrip() for line in path.read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if mark is None or (line and not line.lstrip().startswith(mark)))
