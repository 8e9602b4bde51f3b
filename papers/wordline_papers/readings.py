"""Readings: choices that a paper leaves open, with their alternatives.

A study's are in its module `readings`, apart from its `STUDY`: its numbers do not depend on them.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

from wordline.errors import StudyError
from wordline.files import is_file
from wordline.sweeps.point import Point

from .figure import Figure, Part
from .study import PACKAGE, Study

__all__ = ["Alternative", "Reading", "of_study"]


@dataclass(frozen=True)
class Alternative:
    """One way to read the paper.

    Attributes:
        name: The answer to the reading's question.
        quote: A few words of the paper that support it; empty if none do.
        where: Where the paper says so.
        why: Support from elsewhere, or what a reader has to know about it.
        settings: Settings by dotted key. They are laid over the points in which those of the default are in force.
        parts: Parts that stand for the study's of the same names, for what settings cannot say.
        figures: Figures that stand for the study's of the same names, for another way to compute a claim.
        missing: What the simulator lacks, if it cannot run this; empty if it can.
        file: A file of others that it needs, such as a measured table; None if it needs none. It is not run without it.
        is_of_authors: The authors' own program does so, whatever their text says.
    """

    name: str
    quote: str = ""
    where: str = ""
    _: KW_ONLY
    why: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[Part, ...] = ()
    figures: tuple[Figure[Any], ...] = ()
    missing: str = ""
    file: Path | None = None
    is_of_authors: bool = False

    @property
    def is_supported(self) -> bool:
        """Whether words of the paper support it, or its authors' own program."""
        return bool(self.quote) or self.is_of_authors

    @property
    def can_run(self) -> bool:
        """Whether the simulator can run it, and its file is at hand."""
        return not self.missing and (self.file is None or is_file(self.file))


@dataclass(frozen=True)
class Reading:
    """A choice that a paper leaves open.

    Attributes:
        name: Its name in files, unique in its study.
        question: What the paper leaves open.
        parts: The study's parts that it decides about.
        default: The name of the alternative that the study takes.
        alternatives: All that were considered.
        note: How well the text supports the default, where that is not plain.
        touches: Says whether an alternative's settings can change a run; the others stay as they are.
        is_scenario: No text states it, such as how a trace's requests bunch; its alternatives are a range.
        is_estimate: Its columns have estimates of what counting does not decide: run in full, they decide it.
        only: Names of the figures that it is about; empty: all that need its parts.
        seen: What was known when it was declared; empty if it was declared before any result of it was seen.
    """

    name: str
    question: str
    parts: tuple[Part, ...]
    default: str
    alternatives: tuple[Alternative, ...]
    note: str = ""
    touches: Callable[[Point], bool] = lambda _: True
    is_scenario: bool = False
    is_estimate: bool = False
    only: tuple[str, ...] = ()
    seen: str = ""

    @property
    def supported(self) -> tuple[str, ...]:
        """The alternatives that count for the protocol: those that the text supports; of a scenario all."""
        return tuple(
            each.name for each in self.alternatives if not each.missing and (self.is_scenario or each.is_supported)
        )

    @property
    def is_open(self) -> bool:
        """Whether at least two of its alternatives count: otherwise nothing can depend on it."""
        return len(self.supported) > 1

    @property
    def usual(self) -> Alternative:
        """The alternative that the study takes.

        Raises:
            StudyError: There is none of this name.
        """
        for each in self.alternatives:
            if each.name == self.default:
                return each
        raise StudyError(f"reading {self.name}: its default `{self.default}` is none of its alternatives")

    @property
    def is_measurable(self) -> bool:
        """Whether at least two alternatives can be run: one alone has nothing to compare with."""
        return sum(not each.missing for each in self.alternatives) > 1


def of_study(study: Study) -> tuple[Reading, ...]:
    """Returns the readings of a study; none if its package has no module `readings`."""
    name = f"{PACKAGE}.{study.name}.readings"
    if importlib.util.find_spec(name) is None:
        return ()
    declared: tuple[Reading, ...] = importlib.import_module(name).READINGS
    return declared
