"""What a path of a user leads to, and what is in a file of a user, whatever it is."""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import re
import stat
import sys
from pathlib import Path
from typing import Any

__all__ = [
    "BYTES_MAX",
    "cache_folder",
    "content_hash",
    "is_file",
    "is_folder",
    "is_same",
    "mark_cache",
    "parse_toml",
    "read_input",
]

IGNORES_CASE = sys.platform in ("darwin", "win32")

BYTES_MAX = 1 << 20
"""What is written by hand is smaller."""

CHUNK_BYTES = 1 << 20

TAG = "CACHEDIR.TAG"
# Tells backup programs that they may skip this folder: https://bford.info/cachedir/
TAG_TEXT = "Signature: 8a477f597d28d172789f06886806bc55\n# Wordline can make all of this again; may be deleted.\n"

# Parts of a dotted key: nothing of ours has as many, and each part costs Python's reader as much as all before it.
PARTS_MAX = 32
MANY_PARTS = re.compile(rf"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){{{PARTS_MAX}}}""")


def is_file(path: str | os.PathLike[str]) -> bool:
    """Returns whether a path leads to a file; False as well for a text that no file system takes as a path.

    `Path.is_file` raises an error for a name that is too long.
    """
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Returns whether a path leads to a folder; see `is_file`."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def is_same(one: Path, two: Path) -> bool:
    """Returns whether two paths, whose symbolic links are resolved, lead to one file or folder."""
    if one == two or (IGNORES_CASE and str(one).casefold() == str(two).casefold()):
        return True
    try:
        return one.samefile(two)
    except (OSError, ValueError):
        # One of them is not there yet.
        return False


def read_input(path: str | os.PathLike[str], bytes_max: int | None = BYTES_MAX) -> bytes:
    """Reads a file of a user; also what a shell gives for `<(command)`.

    Args:
        path: The file.
        bytes_max: A longer file is something else; None: any length.

    Raises:
        OSError: It cannot be read, is longer, or is a device or a named pipe, which may never end.
    """
    mode = Path(path).stat().st_mode
    is_given_by_shell = stat.S_ISFIFO(mode) and Path(path).parent.name == "fd"
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or is_given_by_shell):
        raise OSError(errno.EINVAL, "Is a device or a pipe, not a file", os.fspath(path))
    with Path(path).open("rb") as file:
        data = file.read() if bytes_max is None else file.read(bytes_max + 1)
    if bytes_max is not None and len(data) > bytes_max:
        raise OSError(errno.EINVAL, f"Is larger than {bytes_max:,} bytes", os.fspath(path))
    return data


def parse_toml(text: str) -> dict[str, Any]:
    """Reads TOML that anybody may have written.

    Raises:
        tomllib.TOMLDecodeError: It is not TOML, or nested too deeply.
    """
    import tomllib

    if (long := MANY_PARTS.search(text)) is not None:
        line = text.count("\n", 0, long.start()) + 1
        raise tomllib.TOMLDecodeError(f"A key of more than {PARTS_MAX} parts (at line {line}, column 1)")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("Nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:
        # Such as an integer of thousands of digits.
        raise tomllib.TOMLDecodeError(str(error)) from None


def cache_folder() -> Path:
    """Returns `$WORDLINE_CACHE`, else `wordline` in the folder of the user's caches."""
    own = os.environ.get("WORDLINE_CACHE")
    if own:
        return Path(own)
    standard = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    caches = os.environ.get(standard) or Path.home() / ".cache"
    return Path(caches) / "wordline"


def mark_cache(folder: Path) -> None:
    """Says in a folder that backups may leave it out.

    Raises:
        OSError: The folder cannot be written to.
    """
    try:
        with (folder / TAG).open("x", encoding="utf-8", newline="\n") as file:
            file.write(TAG_TEXT)
    except FileExistsError:
        return


def content_hash(path: str) -> str:
    """Returns the SHA-256 of a file, which is read again when its size or time has changed.

    Raises:
        OSError: It cannot be read.
    """
    state = Path(path).stat()
    return _content_hash(path, state.st_size, state.st_mtime_ns)


@functools.cache
def _content_hash(path: str, size: int, time_ns: int) -> str:
    del size, time_ns
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
