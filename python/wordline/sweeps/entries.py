"""The entries of a sweep file, their values, and their meaning.

`Spec` checks files with this table, and the JSON Schema of sweep files is made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["ENTRIES", "OWN", "Entry"]


@dataclass(frozen=True)
class Entry:
    """An entry of a sweep file.

    Attributes:
        name: Its name.
        types: Python types that the TOML reader returns for a valid value.
        takes: Text that describes a valid value.
        help: Its meaning.
        is_axis: Whether a grid may vary it, like the keys of the configuration.
        least: The smallest valid whole number.
    """

    name: str
    types: tuple[type, ...]
    takes: str
    help: str
    is_axis: bool = False
    least: int = 1

    def fits(self, value: object) -> bool:
        """Returns True if a value has a valid type."""
        if isinstance(value, bool):
            return bool in self.types
        if isinstance(value, int):
            return (int in self.types and value >= self.least) or (float in self.types and value > 0)
        return isinstance(value, self.types)


ENTRIES = {
    entry.name: entry
    for entry in (
        Entry("ssd", (str,), "a text", "A preset, or a configuration file beside this one.", is_axis=True),
        Entry(
            "workload",
            (str,),
            "a text",
            "The name of a synthetic workload, a fio job file (.fio) or a file of flows (.toml); not with `trace`.",
            is_axis=True,
        ),
        Entry(
            "trace",
            (str, Mapping),
            "a file's name, or a table of its `path` and options",
            "A trace file, or a table of its path and how to read it.",
            is_axis=True,
        ),
        Entry(
            "requests",
            (int, str),
            'a whole number from 1 on, such as 1000 or "10k"',
            "Requests of every point; by default as many as the workload or trace has.",
            is_axis=True,
        ),
        Entry(
            "load",
            (str, float),
            'a share such as "50%"',
            "The load as a share of what the drive of the first point of a workload serves at most.",
            is_axis=True,
        ),
        Entry("seeds", (int, list), "a whole number from 1 on, or a list", "How many seeds, from 1 on; or which."),
        Entry("scale", (str, float), 'a part such as "1/64"', "The part of the drive that is simulated."),
        Entry("steady", (bool,), "true or false", "Begin with a drive at the equilibrium of its workload."),
        Entry("check", (bool,), "true or false", "Checked mode: every read is compared with what was written."),
        Entry("set", (Mapping,), "a table of keys", "Keys of the configuration for all points."),
        Entry("grid", (Mapping,), "a table of axes, as in [grid]", "Axes of which every combination is run."),
        Entry("zip", (list, Mapping), "tables of axes, as in [[zip]]", "Axes that go side by side; several combine."),
    )
}

OWN = tuple(entry.name for entry in ENTRIES.values() if entry.is_axis)
"""Axes of a sweep that are not configuration keys."""
