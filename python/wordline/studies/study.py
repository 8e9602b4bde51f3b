"""A study: a package beside this file that says what to run, what to measure in it, and what to draw."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ..config import did_you_mean
from ..errors import StudyError
from ..sweeps.outcome import Results
from ..sweeps.point import Computation, Point
from .claims import Measurement

__all__ = ["Study", "find", "names", "select"]

Rows = Sequence[Mapping[str, Any]]
PACKAGE = __package__ or "wordline.studies"


@dataclass(frozen=True)
class Study:
    """What a study's package says.

    Attributes:
        name: The package's name.
        title: `TITLE`: what it reproduces, in one line.
        papers: `PAPERS`: whose claims it is about, as their ids begin.
        notes: `NOTES`: what is assumed, where the papers are silent; one sentence each.
        grid: `grid(quick)`: the points; with `quick` few and short ones, but enough for every figure.
        measure: `measure(results)`: claim id to what was measured.
        figures: `figures(results, out)`: draws into the folder `out`, see `wordline.studies.figures`.
        tables: `tables(results)`: further tables by name, each a list of rows; optional.
        findings: `findings(results)`: what came out where no paper claims anything, a sentence each; optional.
        folder: Where its sources are.
    """

    name: str
    title: str
    papers: tuple[str, ...]
    notes: tuple[str, ...]
    grid: Callable[[bool], list[Point | Computation]]
    measure: Callable[[Results], Mapping[str, Measurement]]
    figures: Callable[[Results, Path], None]
    tables: Callable[[Results], Mapping[str, Rows]]
    findings: Callable[[Results], Sequence[str]]
    folder: Path


def names() -> list[str]:
    """Every study, sorted."""
    package = importlib.import_module(PACKAGE)
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg)


def find(name: str) -> Study:
    """A study by its name.

    Raises:
        StudyError: There is none, or its package lacks something.
    """
    if name not in names():
        raise StudyError(f"unknown study `{name}`{did_you_mean(name, names())}; known: {', '.join(names())}")
    module = importlib.import_module(f"{PACKAGE}.{name}")
    for needed in ("TITLE", "PAPERS", "grid", "measure", "figures"):
        if not hasattr(module, needed):
            raise StudyError(f"study {name}: {module.__name__} has no `{needed}`; CONTRIBUTING.md says what it needs")
    return _study(name, module)


def no_tables(results: Results) -> Mapping[str, Rows]:
    """Of a study that has none but its figures."""
    del results
    return {}


def no_findings(results: Results) -> Sequence[str]:
    """Of a study whose papers claim all that it measures."""
    del results
    return ()


def _study(name: str, module: ModuleType) -> Study:
    return Study(
        name,
        module.TITLE,
        tuple(module.PAPERS),
        tuple(getattr(module, "NOTES", ())),
        module.grid,
        module.measure,
        module.figures,
        getattr(module, "tables", no_tables),
        getattr(module, "findings", no_findings),
        Path(str(module.__file__)).parent,
    )


def select(wanted: Sequence[str]) -> list[Study]:
    """The studies that some names mean: a study's own, a paper's (every study about it), or `all`.

    Raises:
        StudyError: A name that is neither; the message names the nearest one.
    """
    known = [find(name) for name in names()]
    chosen: dict[str, Study] = {}
    for name in wanted:
        found = [study for study in known if name in ("all", study.name) or name in study.papers]
        if not found:
            choices = sorted({"all", *names(), *(paper for study in known for paper in study.papers)})
            raise StudyError(f"unknown study `{name}`{did_you_mean(name, choices)}; known: {', '.join(choices)}")
        chosen |= {study.name: study for study in found}
    return list(chosen.values())
