"""A job file as sections of options, each with its line."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..errors import FioError
from ..files import read_input
from .options import canonical

# Each job has a copy of the global options.
SECTIONS_MAX, OPTIONS_MAX = 4096, 1000
VARIABLE = re.compile(r"\$\{([^}]*)\}")
# Words that fio replaces by what it finds on the machine.
MACHINE = ("$pagesize", "$mb_memory", "$ncpus")


class Option(NamedTuple):
    """An option as written in the file."""

    name: str
    value: str
    line: int


class JobSection:
    """A job with its options: those of `[global]` before it, then its own. Options have one name each here."""

    def __init__(self, file: str, name: str, line: int, options: dict[str, Option]) -> None:
        self.file = file
        self.title = name
        self.line = line
        self.options = options

    @property
    def name(self) -> str:
        """The job's name: its title, or what `name` says."""
        return self.text("name", self.title)

    @property
    def engine(self) -> str:
        """The name of its engine; fio's default on Linux is `psync`."""
        return re.split("[:,]", self.text("ioengine", "psync"))[0]

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
        option_name, line = (option.name, option.line) if option else (name, self.line)
        return FioError(self.file, line, option_name, message, fix)


def sections(path: Path, environment: Mapping[str, str] = os.environ) -> list[JobSection]:
    """Returns the jobs of a file, in order.

    Args:
        path: The file.
        environment: Values of `${NAME}`.

    Raises:
        FioError: The file cannot be read, is not a job file, or has no job.
    """
    file = str(path)
    jobs: list[JobSection] = []
    shared: dict[str, Option] = {}
    current: dict[str, Option] | None = None
    for number, raw in enumerate(_text(path).splitlines(), 1):
        # As in fio, a comment ends any line.
        line = re.split("[;#]", raw, maxsplit=1)[0].strip()
        if not line:
            continue
        if line.startswith("["):
            name = line[1:].partition("]")[0].strip()
            if "]" not in line or not name:
                raise FioError(file, number, "", f"`{line}` is no section", "write [name] on a line of its own")
            if len(jobs) >= SECTIONS_MAX:
                raise FioError(file, number, "", "there are too many sections", f"write at most {SECTIONS_MAX} jobs")
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
        value = _replaced(value.strip(), environment, file, number, name) if equals else "1"
        current[canonical(name)] = Option(name, value, number)
        if len(current) > OPTIONS_MAX:
            raise FioError(file, number, name, "has too many options before it", "fio itself has fewer: check the file")
    if not jobs:
        raise FioError(file, 0, "", "there is no job", "add a section [name] with rw=, bs= and size=")
    return jobs


def _replaced(value: str, environment: Mapping[str, str], file: str, line: int, name: str) -> str:
    """Replaces `${NAME}` by the variable of the environment."""
    for variable in VARIABLE.findall(value):
        if variable not in environment:
            fix = f"set it: {variable}=... wordline run SSD {Path(file).name}"
            raise FioError(file, line, name, f"the environment has no variable {variable}", fix)
    if word := next((word for word in MACHINE if word in value), None):
        raise FioError(file, line, name, f"{word} depends on the machine", "write the number")
    return VARIABLE.sub(lambda match: environment[match[1]], value)


def _text(path: Path) -> str:
    try:
        data = read_input(path)
    except OSError as error:
        raise FioError(str(path), 0, "", error.strerror or "cannot be read", "check the path") from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise FioError(str(path), 0, "", "is no text", "check the path") from None
