"""Measures readings: runs a study's parts under an alternative, and judges the claims that depend on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from wordline.config import full_key
from wordline.errors import StudyError
from wordline.sweeps.engine import PointsProgress, run_points
from wordline.sweeps.point import Computation, Point
from wordline.sweeps.store import Store
from wordline.workload import Workload

from .claims import Verdict, judged
from .figure import Figure, no_claims
from .readings import Alternative, Reading
from .study import Study, measured

__all__ = ["KINDS", "figures_of", "in_force", "points_of", "verdicts_of"]

# What is calibrated was measured on chips; a reading of how an SSD works does not move it.
KINDS = ("exact", "setting", "emergent")


def verdicts_of(
    study: Study,
    reading: Reading,
    alternative: Alternative,
    *,
    quick: bool = False,
    jobs: int | None = None,
    store: Store | None = None,
    progress: Callable[[PointsProgress], object] | None = None,
) -> list[Verdict]:
    """Runs what an alternative needs, and judges the claims that depend on the reading's parts.

    Raises:
        PointFailedError: Points failed; the others are in the store.
        StudyError: No point has the default's settings, or the study contradicts itself.
        WordlineError: There is a mistake in a point.
    """
    points = points_of(study, reading, alternative, quick)
    results = run_points(points, jobs=jobs, store=store, progress=progress)
    results.raise_failures()
    others = {figure.name: figure for figure in alternative.figures}
    figures = [others.get(figure.name, figure) for figure in figures_of(study, reading)]
    measurements = measured([figure.table(results) for figure in figures])
    return [verdict for verdict in judged(measurements, study.name, ()) if verdict.claim.kind in KINDS]


def figures_of(study: Study, reading: Reading) -> list[Figure[Any]]:
    """Returns the figures that need a part of the reading and measure claims."""
    names = {part.name for part in reading.parts}
    return [
        figure
        for figure in study.figures
        if figure.claims is not no_claims
        and names & {part.name for part in figure.parts}
        and (not reading.only or figure.name in reading.only)
    ]


def points_of(study: Study, reading: Reading, alternative: Alternative, quick: bool) -> list[Point | Computation]:
    """Returns the points of these figures under an alternative, of the first seed where a part has several.

    Raises:
        StudyError: No point of the reading's parts has the default's settings.
    """
    others = {part.name: part for part in alternative.parts}
    settings = {} if alternative is reading.usual else alternative.settings
    decided = {part.name for part in reading.parts}
    needed = dict.fromkeys(part for figure in figures_of(study, reading) for part in figure.parts)
    points: list[Point | Computation] = []
    reached = False
    for part in needed:
        for point in others.get(part.name, part).points(quick):
            if isinstance(point, Point) and point.seed not in (None, 1):
                continue
            is_open = (
                part.name in decided
                and isinstance(point, Point)
                and reading.touches(point)
                and in_force(point, reading.usual.settings)
            )
            # A part that an alternative replaces need not have the default's settings.
            reached |= is_open or part.name in others
            points.append(_laid_over(point, settings) if is_open else point)
    if not reached:
        raise StudyError(f"study {study.name}, reading {reading.name}: no point has the settings of its default")
    return points


def in_force(point: Point | Computation, settings: Mapping[str, Any]) -> bool:
    """Says whether a run has these settings, of its own or from its SSD and workload."""
    if isinstance(point, Computation):
        return False
    if not settings:
        return True
    task = point.resolve()
    workload = task.flows[0].workload
    config = workload.config(task.config) if isinstance(workload, Workload) else task.config
    return all(config[key] == value for key, value in settings.items())


def _laid_over(point: Point | Computation, settings: Mapping[str, Any]) -> Point | Computation:
    """Returns the run with other settings.

    Its coordinates keep the replaced values, so that the study's figures find it in its place.
    """
    if isinstance(point, Computation):
        return point
    own = {full_key(key): value for key, value in point.settings.items()}
    replaced = {key: own[key] for key in settings if key in own}
    return replace(point, settings={**own, **settings}, labels={**replaced, **point.labels})
