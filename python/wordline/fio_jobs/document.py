"""A job file as sections of options, each with its line."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..errors import FioError

# A job file is written by hand; a longer file is something else.
BYTES_MAX = 1_048_576


class Option(NamedTuple):
    """An option as written in the file."""

    name: str
    value: str
    line: int


class JobSection:
    """A job with its options: those of `[global]` before it, then its own."""

    def __init__(self, file: str, name: str, line: int, options: dict[str, Option]) -> None:
        self.file = file
        self.name = name
        self.line = line
        self.options = options

    def get(self, name: str) -> Option | None:
        """Returns an option, if the file has it."""
        return self.options.get(name)

    def text(self, name: str, default: str) -> str:
        """Returns an option's value."""
        option = self.get(name)
        return default if option is None else option.value

    def wrong(self, name: str, message: str, fix: str) -> FioError:
        """Returns an error of an option, with its line."""
        option = self.options.get(name)
        return FioError(self.file, option.line if option else self.line, name, message, fix)


def sections(path: Path) -> list[JobSection]:
    """Returns the jobs of a file, in order.

    Raises:
        FioError: The file cannot be read, is not a job file, or has no job.
    """
    file = str(path)
    jobs: list[JobSection] = []
    shared: dict[str, Option] = {}
    current: dict[str, Option] | None = None
    for number, raw in enumerate(_text(path).splitlines(), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("["):
            name = line[1:].partition("]")[0].strip()
            if "]" not in line or not name:
                raise FioError(file, number, "", f"`{line}` is no section", "write [name] on a line of its own")
            current = shared if name == "global" else dict(shared)
            if current is not shared:
                jobs.append(JobSection(file, name, number, current))
            continue
        if line.startswith("include "):
            raise FioError(file, number, "include", "other files are not included", "put their lines here")
        if current is None:
            raise FioError(file, number, "", "an option before any section", "begin with [global] or [a job's name]")
        key, equals, value = line.partition("=")
        name = key.strip()
        # A word alone sets a flag, such as `stonewall`.
        current[name] = Option(name, value.partition(" #")[0].strip() if equals else "1", number)
    if not jobs:
        raise FioError(file, 0, "", "there is no job", "add a section [name] with rw=, bs= and size=")
    return jobs


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(BYTES_MAX + 1)
    except OSError as error:
        raise FioError(str(path), 0, "", error.strerror or "cannot be read", "check the path") from None
    if len(data) > BYTES_MAX:
        raise FioError(str(path), 0, "", "is larger than 1 MiB, so no job file", "check the path")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise FioError(str(path), 0, "", "is no text", "check the path") from None
