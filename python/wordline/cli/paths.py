"""What a command reads and writes: declared beside its options, and compared before it begins.

An option that is a path says in its annotation what becomes of it: `READS`, `WRITES`, `FILLS` or `KEEPS`. `grouped.add`
declares the values of all options of a command at once. What a command learns later, such as the trace that a study
names, it declares by `reads` or `writes`. What is written must be no other path of the command, and none may lie in
another, with links resolved.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..files import is_same
from .errors import BadInputError

if TYPE_CHECKING:
    from ..config import Config
    from ..workload import WorkloadLike

__all__ = [
    "FILLS",
    "KEEPS",
    "READS",
    "WRITES",
    "Declared",
    "begin",
    "declare",
    "reads",
    "reads_files_of",
    "reads_traces",
]

STANDARD = "-"


class Use(Enum):
    """What a command does with a path."""

    READ = "reads"
    WRITE = "writes"
    FILL = "fills with results"
    KEEP = "keeps points in"


class Declared(NamedTuple):
    """How an option's path is used.

    Attributes:
        use: What the command does with it.
        beside: The further files that are written with it.
        over: The option whose file it may replace.
        check: Raises an error where an option cannot write to such a path; called before the command begins.
    """

    use: Use
    beside: Callable[[Path], Iterable[Path]] = lambda _: ()
    over: str | None = None
    check: Callable[[str, Path], None] = lambda _option, _path: None


READS = Declared(Use.READ)
"""A file or folder that is read; a text that leads to neither is a name of something else."""
WRITES = Declared(Use.WRITE)
"""A file that is written."""
FILLS = Declared(Use.FILL)
"""The folder of a result, which may replace an earlier one."""
KEEPS = Declared(Use.KEEP)
"""A folder in which files of a command lie beside others."""


class Place(NamedTuple):
    """A path of the running command: the option or file that names it, if any, its links resolved, and its use."""

    option: str
    shown: str
    path: Path
    declared: Declared

    def __str__(self) -> str:
        return f"{self.option} {self.shown}".lstrip()

    @property
    def owner(self) -> str:
        """Who names it."""
        return self.option or "the command"

    @property
    def is_written(self) -> bool:
        """Returns whether the command may change what is there."""
        return self.declared.use is not Use.READ


_places: list[Place] = []
"""What the running command has declared."""


def begin() -> None:
    """Forgets what the command before has declared."""
    _places.clear()


def declare(option: str, value: str | os.PathLike[str], declared: Declared) -> None:
    """Declares a path of the running command.

    Raises:
        BadInputError: It is another path of the command, or one lies in the other, and one of them is written.
        OSError: A result cannot go there.
    """
    if str(value) == STANDARD:
        return
    path = Path(os.path.realpath(value))
    if _is_device(path) or (declared.use is Use.READ and not _is_there(path)):
        return
    if declared.use is Use.FILL:
        from ..output.result_folder import check_folder

        check_folder(Path(value))
    elif declared.use is Use.WRITE and path.parent.is_dir() and not os.access(path.parent, os.W_OK | os.X_OK):
        raise BadInputError(f"{option} {value}: no permission to write in {path.parent}", "name a file elsewhere")
    _add(Place(option, str(value), path, declared))
    for further in declared.beside(Path(value)):
        _add(Place(option, str(further), Path(os.path.realpath(further)), declared))


def reads(option: str, values: Iterable[str | os.PathLike[str]]) -> None:
    """Declares files that the command has learned of, each once."""
    for value in dict.fromkeys(os.fspath(each) for each in values):
        declare(option, value, READS)


def reads_files_of(config: Config) -> None:
    """Declares the files that keys of a configuration name."""
    for key, value in config.files():
        declare(key, value, READS)


def reads_traces(workload: WorkloadLike, option: str = "the workload") -> None:
    """Declares the traces of requests."""
    from ..workload import Flow, Trace

    for each in workload if isinstance(workload, Sequence) else [workload]:
        source = each.workload if isinstance(each, Flow) else each
        if isinstance(source, Trace):
            reads(option, source.paths)


def _add(new: Place) -> None:
    if new in _places:
        return
    for other in _places:
        if (other.is_written or new.is_written) and not _may_share(other, new):
            _refuse(other, new)
    _places.append(new)


def _may_share(one: Place, two: Place) -> bool:
    if {one.declared.use, two.declared.use} <= {Use.READ, Use.KEEP}:
        return True
    # A figure and its data, or a folder of folders of results, come from one option.
    return one.option == two.option != "" or one.declared.over == two.option or two.declared.over == one.option


def _refuse(one: Place, two: Place) -> None:
    """Compares two paths.

    Raises:
        BadInputError: They are one, or one lies in the other.
    """
    written, other = (one, two) if one.is_written else (two, one)
    fix = f"name another {'folder' if written.declared.use in (Use.FILL, Use.KEEP) else 'file'}"
    if is_same(one.path, two.path):
        raise BadInputError(f"{written}: is {other.shown}, which {other.owner} names", fix)
    for inner, outer in ((one, two), (two, one)):
        if any(is_same(parent, outer.path) for parent in inner.path.parents):
            what = f"holds {inner.shown}, which {inner.owner} names"
            if not outer.is_written:
                what = f"lies in {outer.shown}, which {outer.owner} names"
            raise BadInputError(f"{outer if outer.is_written else inner}: {what}", fix)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _is_device(path: Path) -> bool:
    """Returns whether a path leads to a device or a pipe: what is written there replaces nothing."""
    return _is_there(path) and not path.is_file() and not path.is_dir()
