"""Finished points on disk: one file a point, named by what the point is, whole or not there at all.

A file is a ZIP: `document.json`, and for a run its resolved configuration and the columns of its tables.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config import Config, Layer
from ..result import Result
from ..tables import Columns
from .outcome import Values

if TYPE_CHECKING:
    import zipfile

__all__ = ["Store", "default_folder"]

SUFFIX = ".point"
TAG = "CACHEDIR.TAG"
# Tells backup programs that nothing here is lost when it is: https://bford.info/cachedir/
TAG_TEXT = "Signature: 8a477f597d28d172789f06886806bc55\n# Finished points of Wordline; may be deleted.\n"


def default_folder() -> Path:
    """`$WORDLINE_CACHE`, else `wordline` where the user's caches are."""
    own = os.environ.get("WORDLINE_CACHE")
    if own:
        return Path(own)
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "wordline"


class Store:
    """A folder of finished points; several processes may use it at once, also over a shared file system."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)

    def prepare(self) -> None:
        """Makes the folder.

        Raises:
            OSError: It cannot be made or written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        tag = self.folder / TAG
        if not tag.exists():
            self._write(tag, lambda path: path.write_text(TAG_TEXT, encoding="utf-8"))

    def path(self, key: str) -> Path:
        """The file of a point."""
        return self.folder / key[:2] / f"{key}{SUFFIX}"

    def get(self, key: str) -> Result | Values | None:
        """A finished point; None where it is not, or where its file is damaged."""
        import zipfile
        import zlib

        try:
            with zipfile.ZipFile(self.path(key)) as file:
                document = json.loads(file.read("document.json"))
                if "layers.json" not in file.namelist():
                    return Values(document)
                layers = [Layer(*each) for each in json.loads(file.read("layers.json"))]
                return Result(document, _read_columns(file), Config(layers))
        except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile, zlib.error):
            return None

    def put(self, key: str, result: Result | Values) -> None:
        """Keeps a finished point. Whoever is killed meanwhile leaves nothing that `get` would take for one.

        Raises:
            OSError: The file cannot be written.
        """
        target = self.path(key)
        target.parent.mkdir(exist_ok=True)
        self._write(target, lambda path: _write(path, result))

    @staticmethod
    def _write(target: Path, write: Any) -> None:  # noqa: ANN401 - a function of a path
        # Unique among hosts too, should the file system be shared.
        work = target.with_name(f".{target.name}.{os.uname().nodename}.{os.getpid()}.partial")
        try:
            write(work)
            work.replace(target)
        finally:
            work.unlink(missing_ok=True)


def _write(path: Path, result: Result | Values) -> None:
    import zipfile

    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as file:
        if isinstance(result, Values):
            file.writestr("document.json", json.dumps(dict(result), sort_keys=True))
            return
        file.writestr("document.json", json.dumps(result.document, sort_keys=True))
        layers = [(layer.name, layer.text, layer.has_lines) for layer in result.config.layers]
        file.writestr("layers.json", json.dumps(layers))
        index = {
            table: {name: [kind, words] for name, (kind, _, words) in columns.items()}
            for table, columns in result.columns.items()
        }
        file.writestr("columns.json", json.dumps(index))
        for table, columns in result.columns.items():
            for name, (_, data, _) in columns.items():
                file.writestr(f"columns/{table}/{name}", data)


def _read_columns(file: zipfile.ZipFile) -> dict[str, Columns]:
    index = json.loads(file.read("columns.json"))
    return {
        table: {name: (kind, file.read(f"columns/{table}/{name}"), words) for name, (kind, words) in columns.items()}
        for table, columns in index.items()
    }
