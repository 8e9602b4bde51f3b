"""Which jobs a result of fio has: one for each clone, or one for each group with `group_reporting`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..config import Config
from .document import JobSection, sections
from .job import flag
from .jobs import FioFile
from .place import place

__all__ = ["Reported", "reported"]


@dataclass
class Reported:
    """A job of a result.

    Attributes:
        name: Its name.
        group: The number of its group.
        options: Its options, by name.
        flows: The names of its flows.
    """

    name: str
    group: int
    options: dict[str, str]
    flows: list[str] = field(default_factory=list)


def reported(jobs: FioFile, config: Config) -> list[Reported]:
    """Returns the jobs of the result of a file on an SSD of this configuration.

    Raises:
        FioError: See `FioFile.flows`.
    """
    together: dict[int, Reported] = {}
    entries: list[Reported] = []
    placed = place(sections(Path(jobs.path)), config.host_bytes)
    for each, flow in zip(placed, jobs.flows(config), strict=True):
        if flag(each.section, "group_reporting") and each.group in together:
            together[each.group].flows.append(flow.name)
            continue
        entry = Reported(each.section.name, each.group, _options(each.section), [flow.name])
        entries.append(entry)
        if flag(each.section, "group_reporting"):
            together[each.group] = entry
    return entries


def _options(section: JobSection) -> dict[str, str]:
    return {option.name: option.value for option in section.options.values()}
