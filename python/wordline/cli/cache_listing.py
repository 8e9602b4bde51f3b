"""`wordline doctor --cache`: what Wordline keeps on disk to be faster, and how it is removed."""

from __future__ import annotations

import os
import time
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from . import talk
from .errors import BadInputError

if TYPE_CHECKING:
    from ..aged_drives import Store as Drives
    from ..sweeps import Store as Points


class What(StrEnum):
    """What can be removed."""

    DRIVES = "drives"
    POINTS = "points"
    ALL = "all"


def show_cache(json: bool) -> None:
    """Lists aged drives and finished points."""
    from ..aged_drives import Store as Drives
    from ..sweeps import Store as Points
    from ..sweeps import default_folder

    found = _found(Drives.of_user(), Points(default_folder()))
    if json:
        from ..output.json_document import text

        talk.data(text(found))
        return
    _show(found)


def clear_cache(what: What, json: bool) -> None:
    """Removes aged drives, finished points or both.

    Raises:
        BadInputError: A file cannot be removed.
    """
    from ..aged_drives import Store as Drives
    from ..sweeps import Store as Points
    from ..sweeps import default_folder

    freed = 0
    try:
        if what in (What.DRIVES, What.ALL):
            freed += Drives.of_user().clear()
        if what in (What.POINTS, What.ALL):
            freed += Points(default_folder()).clear()
    except OSError as problem:
        raise BadInputError(f"{problem.filename}: {problem.strerror}", "remove it as who owns it") from None
    if json:
        from ..output.json_document import text

        talk.data(text({"cleared": what.value, "freed_bytes": freed}))
        return
    from ..output.numbers import size

    talk.note(f"{size(freed)} of {'drives and points' if what is What.ALL else what.value} are removed")


def _found(drives: Drives, points: Points) -> dict[str, Any]:
    files = list(points.files())
    return {
        "folder": str(points.folder),
        "writable": _is_writable(points.folder),
        "keeps_drives": not drives.is_off,
        "drives_limit_bytes": drives.bytes_max,
        "drives": [{**entry._asdict(), "path": str(entry.path)} for entry in drives.entries()],
        "points": {
            "count": len(files),
            "size_bytes": sum(state.st_size for _, state in files),
            "newest_at_s": max((state.st_mtime for _, state in files), default=None),
        },
    }


def _is_writable(folder: os.PathLike[str]) -> bool:
    """Whether files can be kept there; a folder is made in the first one above it that is there."""
    path = os.path.abspath(folder)  # noqa: PTH100 - no links are followed
    while not os.path.lexists(path) and path != os.path.dirname(path):  # noqa: PTH120
        path = os.path.dirname(path)  # noqa: PTH120
    return os.path.isdir(path) and os.access(path, os.W_OK | os.X_OK)  # noqa: PTH112


def _show(found: dict[str, Any]) -> None:
    from rich.text import Text

    from ..aged_drives import ago
    from ..output.console import grid
    from ..output.numbers import NOTHING, count, seconds, size

    now = time.time()
    table = grid("kept", "size", "aged", "aging took", "last used")
    for drive in found["drives"]:
        at = (ago(now - drive["aged_at_s"]), seconds(drive["aging_s"]), ago(now - drive["used_at_s"]))
        table.add_row(Text(drive["drive"]), size(drive["size_bytes"]), *at)
    points = found["points"]
    newest = NOTHING if points["newest_at_s"] is None else ago(now - points["newest_at_s"])
    table.add_row(f"{count(points['count'])} finished points", size(points["size_bytes"]), NOTHING, NOTHING, newest)
    talk.show(lambda console: console.print(table))
    limit = size(found["drives_limit_bytes"])
    if not found["writable"]:
        talk.warning(
            f"{found['folder']}: cannot be written, so nothing is kept; set WORDLINE_CACHE to a folder of yours"
        )
    elif found["keeps_drives"]:
        talk.note(f"in {found['folder']}; drives take {limit} at most (WORDLINE_DRIVES_GB)")
    else:
        talk.note(f"in {found['folder']}; drives are not kept (WORDLINE_DRIVES_GB=0)")
