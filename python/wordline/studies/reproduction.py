"""A study carried out: its points run, its claims judged, its folder written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import extras
from ..errors import StudyError
from ..sweeps.engine import PointsProgress, run_points
from ..sweeps.outcome import Results
from ..sweeps.store import Store
from . import claims
from .claims import Row
from .figures import save_rows
from .study import Study

__all__ = ["Reproduction", "merged", "reproduce", "write"]

MARK = "claims.json"


@dataclass(frozen=True)
class Reproduction:
    """What came of a study.

    Attributes:
        study: The study.
        quick: Whether it was the short form.
        results: Its points.
        rows: Its papers' claims, also those that it did not measure.
        findings: What came out where no paper claims anything, a sentence each.
    """

    study: Study
    quick: bool
    results: Results
    rows: list[Row]
    findings: Sequence[str] = ()

    @property
    def command(self) -> str:
        """What gives it again."""
        return f"wordline reproduce {self.study.name}{' --quick' if self.quick else ''}"

    def to_dict(self) -> dict[str, Any]:
        """What `claims.json` holds."""
        return {
            "study": self.study.name,
            "title": self.study.title,
            "papers": list(self.study.papers),
            "notes": list(self.study.notes),
            "quick": self.quick,
            "command": self.command,
            "points": len(self.results),
            "claims": [row.to_dict() for row in self.rows],
            "findings": list(self.findings),
        }


def reproduce(
    study: Study,
    *,
    quick: bool = False,
    jobs: int | None = None,
    executor: Executor | None = None,
    store: Store | None = None,
    progress: Callable[[PointsProgress], object] | None = None,
) -> Reproduction:
    """Runs a study's points, as far as they are not in the store, and judges its claims.

    Raises:
        PointFailedError: Points that failed; the others are in the store.
        StudyError: A study that contradicts itself, such as one that measures a claim that does not exist.
        WordlineError: A mistake in a point.
    """
    points = study.grid(quick)
    if not points:
        raise StudyError(f"study {study.name}: its grid is empty")
    results = run_points(points, jobs=jobs, executor=executor, store=store, progress=progress)
    results.raise_failures()
    measured = study.measure(results)
    rows = claims.rows(measured, study.name, study.papers, synthetic=results.synthetic)
    return Reproduction(study, quick, results, rows, study.findings(results))


def write(reproduction: Reproduction, folder: Path, further: Callable[[Path], None] = lambda _: None) -> None:
    """Writes a study's folder: `claims.json`, `claims.csv`, `results.parquet`, `tables/` and `figures/`.

    Args:
        reproduction: What came of the study.
        folder: The folder, which appears when all is written.
        further: Adds more files to it.

    Raises:
        FileExistsError: Something else than an earlier result stands there.
        OSError: It cannot be written.
    """
    from ..output import json_document
    from ..output.atomic import folder as whole_folder

    study, results = reproduction.study, reproduction.results
    with whole_folder(folder) as work:
        (work / MARK).write_text(json_document.text(reproduction.to_dict()), encoding="utf-8", newline="\n")
        save_rows(work / "claims.csv", [row.to_dict() for row in reproduction.rows])
        extras.parquet.write_table(results.to_arrow(), work / "results.parquet")
        tables = study.tables(results)
        if tables:
            (work / "tables").mkdir()
        for name, rows in tables.items():
            save_rows(work / "tables" / f"{name}.csv", rows)
        (work / "figures").mkdir()
        study.figures(results, work / "figures")
        further(work)


def merged(reproductions: Sequence[Reproduction]) -> list[Row]:
    """One row a claim, in the file's order: measured beats not measured, a paper's own study beats others."""
    best: dict[str, Row] = {}
    for reproduction in reproductions:
        for row in reproduction.rows:
            other = best.get(row.claim.id)
            own = row.study == row.claim.paper
            if other is None or (row.study and (not other.study or own)):
                best[row.claim.id] = row
    return [best[name] for name in claims.all_claims() if name in best]
