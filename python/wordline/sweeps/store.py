"""Finished points on disk: one file per point, named by the point's key, and either complete or absent.

A file has one line, with the point's key and the SHA-256 of the rest, and a ZIP: `document.json`, and for a run its
configuration and the columns of its tables, one after the other.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config import Config, Layer
from ..errors import WordlineError
from ..files import cache_folder, mark_cache
from ..output.atomic import take_place
from ..result import Result
from ..storage import named
from ..tables import Columns
from .outcome import Values

if TYPE_CHECKING:
    import zipfile

__all__ = ["DamagedPointError", "Store", "default_folder"]

SUFFIX = ".point"


class DamagedPointError(WordlineError):
    """A file of the store is damaged; its text names the file."""


def default_folder() -> Path:
    """Returns the folder in which points are kept unless another one is named; see `files.cache_folder`."""
    return cache_folder()


class Store:
    """A folder of finished points; several processes may use it at once, including over a shared file system."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)

    def prepare(self) -> None:
        """Makes the folder.

        Raises:
            OSError: It cannot be made or written to.
        """
        with named(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            mark_cache(self.folder)

    def path(self, key: str) -> Path:
        """Returns the file of a point."""
        return self.folder / key[:2] / f"{key}{SUFFIX}"

    def files(self) -> Iterator[tuple[Path, os.stat_result]]:
        """Yields the file of each point, and its size and times."""
        for path in sorted(self.folder.glob(f"[0-9a-f][0-9a-f]/*{SUFFIX}")):
            with suppress(OSError):
                yield path, path.stat()

    def clear(self) -> int:
        """Removes all points; returns how many bytes that frees.

        Raises:
            OSError: One cannot be removed.
        """
        freed = 0
        for path, state in list(self.files()):
            path.unlink(missing_ok=True)
            freed += state.st_size
        return freed

    def has(self, key: str) -> bool:
        """Returns True if a finished point is there, complete."""
        try:
            return self._body(key) is not None
        except DamagedPointError:
            return False

    def get(self, key: str) -> Result | Values | None:
        """Returns a finished point; None if it has no file.

        Raises:
            DamagedPointError: The file is damaged.
        """
        import zipfile

        body = self._body(key)
        if body is None:
            return None
        # Its checksum is right, so this is the data from `put`.
        with zipfile.ZipFile(io.BytesIO(body)) as file:
            document = json.loads(file.read("document.json"))
            if "layers.json" not in file.namelist():
                return Values(document)
            layers = [Layer(*each) for each in json.loads(file.read("layers.json"))]
            return Result(document, _read_columns(file), Config(layers))

    def _body(self, key: str) -> bytes | None:
        path = self.path(key)
        try:
            head, _, body = path.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise DamagedPointError(f"{path}: cannot be read ({problem.strerror})") from None
        if head != _head(key, body):
            raise DamagedPointError(f"{path}: the file is damaged (its key or checksum is wrong)")
        return body

    def put(self, key: str, result: Result | Values) -> None:
        """Stores a finished point. A process that is killed meanwhile leaves no file that `get` would read.

        Raises:
            OSError: The file cannot be written.
        """
        target = self.path(key)
        with named(self.folder):
            target.parent.mkdir(exist_ok=True)
        self._write(target, lambda path: _write(path, key, result))

    def _write(self, target: Path, write: Any) -> None:  # noqa: ANN401 - a function of a path
        with named(self.folder):
            self._put(target, write)

    @staticmethod
    def _put(target: Path, write: Any) -> None:  # noqa: ANN401 - a function of a path
        _sweep(target.parent)
        # Unique across hosts too, because the file system may be shared.
        work = target.with_name(f".{target.name}.{platform.node()}.{os.getpid()}.partial")
        handle = os.open(work, os.O_RDWR | os.O_CREAT)
        try:
            with suppress(OSError):
                _lock(handle)
            write(work)
            take_place(work, target)
        finally:
            os.close(handle)
            work.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Removes what processes of this machine have left in a folder that were killed: nobody holds its lock."""
    ours = re.compile(rf"\..+\.{re.escape(platform.node())}\.\d+\.partial", re.DOTALL)
    with os.scandir(folder) as entries:
        left = [
            folder / each.name for each in entries if ours.fullmatch(each.name) and each.is_file(follow_symlinks=False)
        ]
    for path in left:
        with suppress(OSError):
            handle = os.open(path, os.O_RDWR)
            try:
                _lock(handle)
                if sys.platform != "win32":
                    path.unlink()
            finally:
                os.close(handle)
            if sys.platform == "win32":
                # It removes no file that somebody has open.
                path.unlink()


def _lock(handle: int) -> None:
    """Locks a file for as long as it is open.

    Raises:
        OSError: Somebody else has locked it, or nobody can.
    """
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _head(key: str, body: bytes) -> bytes:
    return f"wordline-point 2 {key} {hashlib.sha256(body).hexdigest()}".encode()


def _write(path: Path, key: str, result: Result | Values) -> None:
    body = _packed(result)
    path.write_bytes(_head(key, body) + b"\n" + body)


def _packed(result: Result | Values) -> bytes:
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        if isinstance(result, Values):
            file.writestr("document.json", json.dumps(dict(result), sort_keys=True))
        else:
            _write_run(file, result)
    return packed.getvalue()


def _write_run(file: zipfile.ZipFile, result: Result) -> None:
    file.writestr("document.json", json.dumps(result.document, sort_keys=True))
    layers = [(layer.name, layer.text, layer.has_lines) for layer in result.config.layers]
    file.writestr("layers.json", json.dumps(layers))
    index = {
        table: {name: [kind, len(data), words] for name, (kind, data, words) in columns.items()}
        for table, columns in result.columns.items()
    }
    file.writestr("columns.json", json.dumps(index))
    # One member: each takes as long as compressing a column.
    file.writestr("columns", b"".join(data for columns in result.columns.values() for _, data, _ in columns.values()))


def _read_columns(file: zipfile.ZipFile) -> dict[str, Columns]:
    index, whole = json.loads(file.read("columns.json")), io.BytesIO(file.read("columns"))
    return {
        table: {name: (kind, whole.read(size), words) for name, (kind, size, words) in columns.items()}
        for table, columns in index.items()
    }
