"""The files of a result folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordline import Result

FIGURES = ("run.svg", "run.png")


@dataclass(frozen=True)
class Extras:
    """What a result folder holds on request."""

    parquet: bool = False
    timeline: bool = False
    plot: bool = False


def write_run(folder: Path, result: Result, extras: Extras) -> None:
    """Writes one run: document, bins, series, resolved configuration, and what was asked for besides.

    Raises:
        OSError: when a file cannot be written.
    """
    from ..output import csv_table, json_document

    document = result.to_dict()
    bins, series = result.bins(), result.series()
    (folder / "result.json").write_text(json_document.text(document), encoding="utf-8")
    (folder / "config.toml").write_text(result.config.to_toml(), encoding="utf-8")
    csv_table.write_bins(folder / "bins.csv", bins)
    csv_table.write_table(folder / "series.csv", series)
    if extras.parquet:
        from ..output import parquet

        parquet.write(folder / "requests.parquet", result.requests(), document)
    if extras.timeline:
        from ..output import perfetto

        perfetto.write(folder / "timeline.json", result.timeline())
    if extras.plot:
        from ..output.plot import run

        run.draw([folder / name for name in FIGURES], bins, series, document)
