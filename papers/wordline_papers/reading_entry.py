"""What came out for a study's readings: a file of its own, each reading for itself, so that one can run again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline.errors import StudyError

from .claims import Verdict, all_claims
from .entry import judged_anew, versioned, write_document
from .readings import Reading, of_study
from .study import find

__all__ = ["FOLDER", "Entry", "Line", "Ran", "lines", "load", "save"]

FOLDER = Path("papers") / "docs" / "reproduction" / "readings"


@dataclass(frozen=True)
class Ran:
    """What came out for one reading.

    Attributes:
        quick: Whether its points were short.
        commit: The commit of the tree that ran, with `+` if it had changes.
        alternatives: The claims that depend on the reading, under each alternative that could be run.
    """

    quick: bool
    commit: str
    alternatives: Mapping[str, Sequence[Verdict]]


@dataclass(frozen=True)
class Entry:
    """The readings of a study that were measured, each in a run of its own.

    Attributes:
        study: The study's name.
        ran: Readings by name.
    """

    study: str
    ran: Mapping[str, Ran]

    def alternatives(self, reading: str) -> Mapping[str, Sequence[Verdict]]:
        """Returns the claims of a reading under each of its alternatives; none if it was not run."""
        return self.ran[reading].alternatives if reading in self.ran else {}

    def over(self, before: Entry | None) -> Entry:
        """Returns an entry with what was measured before of other readings, as far as the study still has them."""
        kept = before.ran if before else {}
        known = {reading.name for reading in of_study(find(self.study))}
        return Entry(self.study, {name: run for name, run in {**kept, **self.ran}.items() if name in known})


@dataclass(frozen=True)
class Line:
    """An alternative with its claims.

    Attributes:
        held: How many of the claims that the reading moves hold, without those of kind `setting`; None if it was not
            measured.
        measured: How many of them were measured.
        settings_held: How many claims of kind `setting` hold that it moves. They are no evidence: free settings are
            fitted to them.
        settings_measured: How many of those were measured.
        gained: Claims that hold here, and not under the default; without those of kind `setting`.
        lost: Claims that hold under the default, and not here; without those of kind `setting`.
    """

    held: int | None = None
    measured: int = 0
    settings_held: int = 0
    settings_measured: int = 0
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def lines(reading: Reading, verdicts: Mapping[str, Sequence[Verdict]]) -> dict[str, Line]:
    """Returns a line for each alternative, by name.

    Claims count whose measurement differs between two alternatives: the others do not depend on the choice.
    """
    by_name = {name: {each.claim.id: each for each in verdicts_of_one} for name, verdicts_of_one in verdicts.items()}
    usual = by_name.get(reading.default, {})
    moved = [
        name
        for name in usual
        if len(
            {
                (str(verdicts_of_one[name].measured), verdicts_of_one[name].holds)
                for verdicts_of_one in by_name.values()
                if name in verdicts_of_one
            }
        )
        > 1
    ]

    def line(name: str) -> Line:
        if name not in by_name:
            return Line()
        verdicts_of_one = by_name[name]
        fitted = [
            verdicts_of_one[claim].holds
            for claim in moved
            if claim in verdicts_of_one and verdicts_of_one[claim].claim.kind == "setting"
        ]
        holds = {
            claim: verdicts_of_one[claim].holds
            for claim in moved
            if claim in verdicts_of_one and verdicts_of_one[claim].claim.kind != "setting"
        }
        return Line(
            held=sum(each is True for each in holds.values()),
            measured=sum(each is not None for each in holds.values()),
            settings_held=sum(each is True for each in fitted),
            settings_measured=sum(each is not None for each in fitted),
            gained=tuple(claim for claim, each in holds.items() if each and not usual[claim].holds),
            lost=tuple(claim for claim, each in holds.items() if usual[claim].holds and not each),
        )

    return {each.name: line(each.name) for each in reading.alternatives}


def save(entry: Entry, root: Path) -> None:
    """Writes an entry into a checkout.

    Raises:
        OSError: It cannot be written.
    """
    document = {
        "study": entry.study,
        "readings": {
            reading: {
                "quick": ran.quick,
                "commit": ran.commit,
                "alternatives": {
                    name: {
                        each.claim.id: {
                            **versioned(each),
                            "measured": each.measured,
                            "holds": each.holds,
                            "synthetic": each.synthetic,
                        }
                        for each in own
                    }
                    for name, own in ran.alternatives.items()
                },
            }
            for reading, ran in entry.ran.items()
        },
    }
    write_document(document, root / FOLDER)


def load(root: Path) -> dict[str, Entry]:
    """Returns the entries of a checkout, by study.

    Raises:
        StudyError: A file is not what was written; the message names it.
        OSError: A file cannot be read.
    """
    return {path.stem: _entry(path) for path in sorted((root / FOLDER).glob("*.json"))}


def _entry(path: Path) -> Entry:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        study = document["study"]
        return Entry(study, {name: _ran(own, study) for name, own in document["readings"].items()})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        text = f"{path}: {error}; it is made by `wordline reproduce readings STUDY --scoreboard`"
        raise StudyError(text, file=str(path)) from None


def _ran(given: Mapping[str, Any], study: str) -> Ran:
    alternatives = {
        name: tuple(judged_anew(claim, own, study) for claim, own in claims.items() if claim in all_claims())
        for name, claims in given["alternatives"].items()
    }
    return Ran(given["quick"], given["commit"], alternatives)
