"""The list of the files in a result folder, each with its SHA-256: what a later result may replace.

It has the form of `sha256sum`, so `sha256sum --check wordline.sha256` says whether a folder is as it was written.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

__all__ = ["MANIFEST", "obstacle", "remove", "write"]

MANIFEST = "wordline.sha256"
LINE = re.compile(r"([0-9a-f]{64})  (.+)")
OF_EARLIER_VERSIONS = ("result.json", "compare.json", "scenarios.json", "claims.json", "sweep.json", "pts.json")
FIX = "move it away, or name another folder"


def write(folder: Path) -> None:
    """Writes the list of all files of a folder into it.

    Raises:
        OSError: A file cannot be read, or the list cannot be written.
    """
    lines = [f"{_hash(folder / name)}  {name}\n" for name, is_folder in sorted(_entries(folder)) if not is_folder]
    (folder / MANIFEST).write_text("".join(lines), encoding="utf-8", newline="\n")


def obstacle(folder: Path) -> str | None:
    """Returns why a folder must not be replaced: it holds more than the unchanged files that its list names.

    None if it holds nothing else, or is empty.

    Raises:
        OSError: It cannot be read.
    """
    entries = sorted(_entries(folder))
    listed = _listed(folder)
    if listed is None:
        return _without_list([name for name, _ in entries])
    folders = {parent for name in listed for parent in _parents(name)}
    for name, is_folder in entries:
        if name == MANIFEST or (is_folder and name in folders):
            continue
        if is_folder or name not in listed:
            return f"holds {name}, which is not of the earlier result there; {FIX}"
        if not _is_plain(folder / name) or _hash(folder / name) != listed[name]:
            return f"holds {name}, which was changed since the result was written; {FIX}"
    return None


def remove(folder: Path) -> bool:
    """Removes the files that a folder's list names, and the folder if it is empty then; returns whether it is gone."""
    listed = _listed(folder) or {}
    # The list itself goes last: after a kill the list still says which files are results.
    for name, is_folder in sorted(_entries(folder), reverse=True):
        with suppress(OSError):
            if is_folder:
                (folder / name).rmdir()
            elif name in listed:
                (folder / name).unlink()
    with suppress(OSError):
        if [name for name, _ in _entries(folder)] == [MANIFEST]:
            (folder / MANIFEST).unlink()
        folder.rmdir()
    return not folder.exists()


def _without_list(names: list[str]) -> str | None:
    if not names:
        return None
    if any(name in OF_EARLIER_VERSIONS for name in names):
        return (
            f"holds no {MANIFEST}, which lists what may be replaced; if it is a result of an earlier version, "
            "remove it yourself, or name another folder"
        )
    return f"exists and holds no earlier result, but {names[0]}; name another folder"


def _listed(folder: Path) -> dict[str, str] | None:
    """Returns the hash of each listed file by its name; None if there is no list, or one that is not ours."""
    path = folder / MANIFEST
    if not _is_plain(path):
        return None
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return None
    parts = [LINE.fullmatch(line) for line in lines]
    listed = {part[2]: part[1] for part in parts if part is not None and _is_inside(part[2])}
    return listed if len(listed) == len(lines) else None


def _is_inside(name: str) -> bool:
    """Returns whether a name in a list is that of a file in its folder: a list may come from anybody."""
    return not Path(name).is_absolute() and not any(part in ("", ".", "..") for part in re.split(r"[/\\]", name))


def _parents(name: str) -> list[str]:
    return [parent.as_posix() for parent in list(Path(name).parents)[:-1]]


def _entries(folder: Path, before: str = "") -> Iterator[tuple[str, bool]]:
    """Yields the name of each thing below a folder, and whether it is a folder; links are followed nowhere."""
    with os.scandir(folder) as entries:
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            yield f"{before}{entry.name}", is_folder
            if is_folder:
                yield from _entries(folder / entry.name, f"{before}{entry.name}/")


def _is_plain(path: Path) -> bool:
    """Returns whether a file is there itself, not a link to one."""
    return path.is_file() and not path.is_symlink()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
