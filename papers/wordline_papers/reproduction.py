"""Carries out a study: runs its points, judges its claims, writes its folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from operator import is_not
from pathlib import Path
from typing import Any, Protocol

from wordline import extras
from wordline.errors import StudyError
from wordline.sweeps.engine import PointsProgress, run_points
from wordline.sweeps.outcome import Results
from wordline.sweeps.point import Computation, Point
from wordline.sweeps.store import Store

from . import claims
from .claims import Verdict
from .drawing import save, save_rows
from .figure import Part, Table
from .over_seeds import over_seeds, with_seed
from .study import Study, findings, measured

__all__ = ["Reproduction", "merged", "reproduce", "write"]

MARK = "claims.json"


@dataclass(frozen=True)
class Reproduction:
    """The result of a study.

    Attributes:
        study: The study.
        quick: Whether it was the short form.
        results: Its points, of the first seed.
        verdicts: Its papers' claims, including those that it did not measure; over all seeds.
        tables: Its figures with their rows, of the first seed.
        seeds: Number of seeds.
    """

    study: Study
    quick: bool
    results: Results
    verdicts: list[Verdict]
    tables: Sequence[Table[Any]] = ()
    seeds: int = 1

    @property
    def findings(self) -> list[str]:
        """Returns results without a claim in the papers, a sentence each."""
        return findings(self.tables)

    @property
    def command(self) -> str:
        """The command that repeats it."""
        return command(self.study.name, quick=self.quick, seeds=self.seeds)

    def to_dict(self) -> dict[str, Any]:
        """Returns the content of `claims.json`."""
        return {
            "study": self.study.name,
            "title": self.study.title,
            "papers": list(self.study.papers),
            "notes": list(self.study.notes),
            "quick": self.quick,
            "seeds": self.seeds,
            "command": self.command,
            "points": len(self.results),
            "claims": [verdict.to_dict() for verdict in self.verdicts],
            "findings": self.findings,
        }


def reproduce(
    study: Study,
    *,
    quick: bool = False,
    seeds: int | None = None,
    jobs: int | None = None,
    executor: Executor | None = None,
    store: Store | None = None,
    progress: Callable[[PointsProgress], object] | None = None,
) -> Reproduction:
    """Runs a study's points that are not in the store, and judges its claims.

    Args:
        study: The study.
        quick: Its short form.
        seeds: Number of seeds, 1 or more; None: the study's own, and one for a short form. With several, claims have
            means with intervals; figures are of the first, and the others run only what claims need.
        jobs: See `run_points`.
        executor: See `run_points`.
        store: See `run_points`.
        progress: See `run_points`.

    Raises:
        PointFailedError: Points failed; the others are in the store.
        StudyError: The study contradicts itself, for example it measures a claim that does not exist.
        WordlineError: There is a mistake in a point.
    """
    if seeds is None:
        seeds = 1 if quick else study.seeds
    of_claims = study.of_claims
    first = {part: part.points(quick) for part in study.parts}
    if not any(first.values()):
        raise StudyError(f"study {study.name}: it has no points")
    others = [{part: with_seed(first[part], seed) for part in of_claims.parts} for seed in range(2, seeds + 1)]
    # What keeps its seed is the same object for each of them, and runs once.
    once = {id(point): point for of_part in (first, *others) for points in of_part.values() for point in points}
    done = run_points(list(once.values()), jobs=jobs, executor=executor, store=store, progress=progress)
    done.raise_failures()
    outcomes = dict(zip(once, done, strict=True))

    def results_of(points_of: Mapping[Part, Sequence[Point | Computation]]) -> Results:
        return Results([outcomes[id(point)] for points in points_of.values() for point in points], done.warnings)

    results = results_of(first)
    tables = study.tables(results)
    by_figure = {table.figure: table for table in tables}
    by_seed = [measured(tables)]
    for of_part in others:
        own = results_of(of_part)
        has_drawn = {part: any(map(is_not, points, first[part])) for part, points in of_part.items()}
        by_seed.append(
            measured(
                [
                    figure.table(own) if any(has_drawn[part] for part in figure.parts) else by_figure[figure]
                    for figure in of_claims.figures
                ]
            )
        )
    verdicts = over_seeds([claims.judged(each, study.name, study.papers) for each in by_seed])
    return Reproduction(study, quick, results, verdicts, tables, seeds)


def write(reproduction: Reproduction, folder: Path, further: Callable[[Path], None] = lambda _: None) -> None:
    """Writes a study's folder: `claims.json`, `claims.csv`, `results.parquet`, `tables/` and `figures/`.

    Args:
        reproduction: The result of the study.
        folder: The folder, which appears when everything is written.
        further: Adds more files to it.

    Raises:
        FileExistsError: The folder exists and is not an earlier result.
        OSError: It cannot be written.
    """
    from wordline.output import json_document
    from wordline.output.result_folder import folder as whole_folder

    with whole_folder(folder) as work:
        (work / MARK).write_text(json_document.text(reproduction.to_dict()), encoding="utf-8", newline="\n")
        save_rows(work / "claims.csv", [verdict.to_dict() for verdict in reproduction.verdicts])
        extras.parquet.write_table(reproduction.results.to_arrow(), work / "results.parquet")
        for table in reproduction.tables:
            if table.figure.is_saved:
                place = work / ("tables" if table.figure.draw is None else "figures")
                place.mkdir(exist_ok=True)
                save(table, place)
        further(work)


def command(study: str, *, quick: bool, seeds: int = 1) -> str:
    """Returns the command that repeats a study."""
    return f"wordline reproduce {study}{' --quick' if quick else ''}{f' --seeds {seeds}' if seeds > 1 else ''}"


class Judged(Protocol):
    """Some results that have verdicts."""

    @property
    def verdicts(self) -> Sequence[Verdict]:
        """The verdicts."""


def merged(results: Sequence[Judged]) -> list[Verdict]:
    """Returns one verdict per claim, in the file's order: measured before not measured, a paper's own study first."""
    best: dict[str, Verdict] = {}
    for result in results:
        for verdict in result.verdicts:
            other = best.get(verdict.claim.id)
            own = verdict.study == verdict.claim.paper
            if other is None or (verdict.study and (not other.study or own)):
                best[verdict.claim.id] = verdict
    return [best[name] for name in claims.all_claims() if name in best]
