"""A study's entry on the scoreboard: a file of its own, so that one study can run again without the others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from wordline.errors import StudyError
from wordline.output import json_document
from wordline.stats.interval import Interval

from .claims import STALE, Measured, Verdict, all_claims, judge
from .reproduction import Reproduction, command

__all__ = ["Entry", "judged_anew", "load", "save", "versioned", "write_document"]

FOLDER = Path("papers") / "docs" / "reproduction"


@dataclass(frozen=True)
class Entry:
    """What a study measured in its last run, and at which commit.

    Attributes:
        study: The study's name.
        title: Its title.
        quick: Whether it was the short form.
        points: Number of its points.
        commit: The commit of the tree that ran, with `+` if it had changes.
        short_form: Fingerprint of the short form at that commit.
        verdicts: The claims that it measured.
        findings: Results without a claim, a sentence each.
        seeds: Number of seeds behind the claims.
    """

    study: str
    title: str
    quick: bool
    points: int
    commit: str
    short_form: str
    verdicts: tuple[Verdict, ...]
    findings: tuple[str, ...] = ()
    seeds: int = 1

    @classmethod
    def of(cls, done: Reproduction, short: str, commit: str) -> Entry:
        """Returns the entry of a study that has just run, with the fingerprint of its short form."""
        own = tuple(verdict for verdict in done.verdicts if verdict.study)
        study, findings = done.study, tuple(done.findings)
        return cls(study.name, study.title, done.quick, len(done.results), commit, short, own, findings, done.seeds)

    @property
    def command(self) -> str:
        """The command that repeats it."""
        return command(self.study, quick=self.quick, seeds=self.seeds)

    def is_due(self, now: Mapping[str, str]) -> bool:
        """Returns True if results have changed since this run.

        Args:
            now: The present fingerprints of short forms, by study.
        """
        return self.short_form != now.get(self.study)


def save(entry: Entry, root: Path) -> None:
    """Writes an entry into a checkout.

    Raises:
        OSError: It cannot be written.
    """
    claims = {each.claim.id: _measured(each) for each in entry.verdicts}
    document = {**asdict(replace(entry, verdicts=())), "claims": claims, "findings": list(entry.findings)}
    del document["verdicts"]
    write_document(document, root / FOLDER)


def write_document(document: Mapping[str, Any], folder: Path) -> None:
    """Writes what a study has measured into a folder: a file by its name.

    Raises:
        OSError: It cannot be written.
    """
    folder.mkdir(exist_ok=True)
    path = folder / f"{document['study']}.json"
    path.write_text(json_document.text(document), encoding="utf-8", newline="\n")


def load(root: Path) -> dict[str, Entry]:
    """Returns the entries of a checkout, by study.

    Raises:
        StudyError: A file is not what was written; the message names it.
        OSError: A file cannot be read.
    """
    return {path.stem: _entry(path) for path in sorted((root / FOLDER).glob("*.json"))}


def versioned(verdict: Verdict) -> dict[str, int]:
    """Returns which version of its claim a verdict answers, where it is not the first."""
    return {} if verdict.claim.version == 1 else {"version": verdict.claim.version}


def _measured(verdict: Verdict) -> dict[str, Any]:
    interval = verdict.interval
    return {
        **versioned(verdict),
        "measured": verdict.measured,
        **({} if interval is None else {"low": interval.low, "high": interval.high, "seeds": interval.count}),
        "holds": verdict.holds,
        "synthetic": verdict.synthetic,
        "note": verdict.note,
    }


def _entry(path: Path) -> Entry:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        study, given = document["study"], document.pop("claims")
        verdicts = tuple(
            judged_anew(name, judgement, study) for name, judgement in given.items() if name in all_claims()
        )
        return Entry(**{**document, "verdicts": verdicts, "findings": tuple(document["findings"])})
    except (ValueError, KeyError, TypeError) as error:
        text = f"{path}: {error}; it is made by `wordline reproduce STUDY --scoreboard`"
        raise StudyError(text, file=str(path)) from None


def judged_anew(name: str, given: dict[str, Any], study: str) -> Verdict:
    """Returns a stored verdict, judged anew: the claim's tolerance may have changed since, or what it asks."""
    claim = all_claims()[name]
    if given.get("version", 1) != claim.version:
        return Verdict(claim, synthetic=given["synthetic"], note=STALE, study=study)
    value = given["measured"]
    holds = judge(claim, Measured(value, holds=given["holds"]))
    interval = Interval(value, given["low"], given["high"], "seeds", given["seeds"]) if "seeds" in given else None
    return Verdict(claim, value, holds, given["synthetic"], given.get("note", ""), study, interval)
