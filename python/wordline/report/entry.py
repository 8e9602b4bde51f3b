"""What a report is about: runs with what was set in each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..output.compare_table import setting_text
from ..result import Result
from ..sweeps import Results

__all__ = ["Entry", "Section", "of_results"]


@dataclass(frozen=True)
class Section:
    """A part of a report that is about no single run, such as the claims of a paper or one of its figures.

    Attributes:
        name: Its place in links.
        title: Its heading.
        summary: What it comes to, in a line.
        caption: What the table shows.
        columns: The table's head; empty for no table.
        rows: Texts, one for each column.
        verdicts: For each row whether it tells of something that holds: what does not, looks otherwise. None says
            nothing; empty if no row does.
        notes: What a reader should know, a sentence each.
        closing: What stands below; empty for nothing.
        drawing: A figure as SVG; empty for none.
        kind: What the table is of: `claims` has texts, `plain` has numbers.
    """

    name: str
    title: str
    summary: str
    caption: str = ""
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    verdicts: Sequence[bool | None] = ()
    notes: Sequence[str] = ()
    closing: str = ""
    drawing: bytes = b""
    kind: str = "claims"


@dataclass(frozen=True)
class Entry:
    """One run of a report.

    Attributes:
        result: What it measured.
        settings: What was set in it.
    """

    result: Result
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The run in a line."""
        settings = ", ".join(f"{key}={setting_text(key, value)}" for key, value in self.settings.items())
        return settings or str(self.result.workload["name"])


def of_results(results: Results) -> list[Entry]:
    """The runs of a study or sweep, each with the coordinates that differ; computations have none."""
    runs = Results([outcome for outcome in results if outcome.result is not None])
    keys = runs.varying()
    return list(_entries(runs, keys))


def _entries(runs: Results, keys: list[str]) -> Iterable[Entry]:
    for outcome in runs:
        if outcome.result is not None:
            yield Entry(outcome.result, {key: outcome.coordinates[key] for key in keys if key in outcome.coordinates})
