"""A study: a package in this folder whose `STUDY` lists figures that reproduce a paper."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wordline.config import did_you_mean
from wordline.errors import StudyError
from wordline.sweeps.outcome import Results
from wordline.sweeps.point import Computation, Point

from .claims import Measured
from .figure import Figure, Part, Table

__all__ = ["Study", "find", "findings", "measured", "names", "select"]

PACKAGE = __package__ or "wordline_papers"
# A package in this folder that is no study.
COMMANDS = "cli"


@dataclass(frozen=True)
class Study:
    """The definition of a study in its package.

    Attributes:
        name: The package's name.
        title: What it reproduces, in one line.
        papers: The papers whose claims it tests: the first parts of the claims' ids.
        notes: Assumptions where the papers are silent, a sentence each.
        figures: All its figures and claims.
        constants: Claims that hold by construction: by id, what they read back.
        unmeasured: Claims of its papers that no study measures: by id, why.
        seeds: Number of seeds of a full run: as many as its claims need for an interval.
        inconsistent: Claims that other printed numbers of the paper exclude: by id, the proof.
        undecidable: Claims that nothing here can decide: by id, why.
    """

    name: str
    title: str
    papers: tuple[str, ...]
    notes: tuple[str, ...]
    figures: tuple[Figure[Any], ...]
    constants: Mapping[str, str] = field(default_factory=dict)
    unmeasured: Mapping[str, str] = field(default_factory=dict)
    seeds: int = 1
    inconsistent: Mapping[str, str] = field(default_factory=dict)
    undecidable: Mapping[str, str] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts that the figures need, each once.

        Raises:
            StudyError: Two parts have the same name.
        """
        part_names = {part: part.name for figure in self.figures for part in figure.parts}
        twice = [name for name in part_names.values() if list(part_names.values()).count(name) > 1]
        if twice:
            raise StudyError(f"study {self.name}: two parts are named `{twice[0]}`; give them a name each")
        return tuple(part_names)

    @property
    def without_views(self) -> Study:
        """The study without figures that only show something, see `wordline_papers.Figure`."""
        return replace(self, figures=tuple(figure for figure in self.figures if not figure.is_view))

    @property
    def of_claims(self) -> Study:
        """The study with those figures alone that measure claims."""
        return replace(self, figures=tuple(figure for figure in self.figures if figure.measures_claims))

    def points(self, quick: bool) -> list[Point | Computation]:
        """Returns all points; with `quick` few and short ones, but enough for every figure."""
        return [point for part in self.parts for point in part.points(quick)]

    def tables(self, results: Results) -> list[Table[Any]]:
        """Returns every figure with its rows."""
        return [figure.table(results) for figure in self.figures]


def measured(tables: Sequence[Table[Any]]) -> dict[str, Measured]:
    """Returns the measurements of some figures, by claim id.

    Raises:
        StudyError: Two figures measure the same claim, or a claim does not exist.
    """
    by_claim: dict[str, Measured] = {}
    for table in tables:
        here = table.claims()
        twice = by_claim.keys() & here.keys()
        if twice:
            raise StudyError(f"figure {table.figure.name}: `{min(twice)}` is measured by another figure, too")
        by_claim |= here
    return by_claim


def findings(tables: Sequence[Table[Any]]) -> list[str]:
    """Returns results without a claim in the papers, a sentence each."""
    return [sentence for table in tables for sentence in table.figure.findings(table.rows)]


def names() -> list[str]:
    """Returns the names of all studies, sorted."""
    package = importlib.import_module(PACKAGE)
    packages = (module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg)
    return sorted(name for name in packages if name != COMMANDS)


def find(name: str) -> Study:
    """Finds a study by its name.

    Raises:
        StudyError: It does not exist, or its package has no `STUDY` with this name.
    """
    if name not in names():
        raise StudyError(f"unknown study `{name}`{did_you_mean(name, names())}; known: {', '.join(names())}")
    module = importlib.import_module(f"{PACKAGE}.{name}")
    declared = getattr(module, "STUDY", None)
    if not isinstance(declared, Study) or declared.name != name:
        raise StudyError(f"{module.__name__} has no `STUDY` named `{name}`; CONTRIBUTING.md says what it needs")
    return declared


def select(wanted: Sequence[str]) -> list[Study]:
    """Returns the studies for some names: a study's own, a paper's (every study about it), or `all`.

    Raises:
        StudyError: A name is neither; the message names the nearest one.
    """
    known = [find(name) for name in names()]
    chosen: dict[str, Study] = {}
    for name in wanted:
        matching = [study for study in known if name in ("all", study.name) or name in study.papers]
        if not matching:
            choices = sorted({"all", *names(), *(paper for study in known for paper in study.papers)})
            raise StudyError(f"unknown study `{name}`{did_you_mean(name, choices)}; known: {', '.join(choices)}")
        chosen |= {study.name: study for study in matching}
    return list(chosen.values())
