"""A study's entry on the scoreboard: a file of its own, so that one study can run again without the others."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from wordline.errors import StudyError
from wordline.output import json_document
from wordline.stats.interval import Interval

from .claims import Measured, Verdict, all_claims, judge
from .reproduction import Reproduction, command
from .sources import code_hash, core_hash, seeds_hash
from .study import Study

__all__ = ["Entry", "ShortForm", "judged_anew", "load", "save", "write_document"]

ShortForm = Callable[[Study], str]
"""Returns the fingerprint of a study's short form, see `wordline_papers.fingerprint`."""

FOLDER = Path("papers") / "docs" / "reproduction"


@dataclass(frozen=True)
class Entry:
    """What a study has measured, and the sources that gave it.

    Attributes:
        study: The study's name.
        title: Its title.
        quick: Whether it was the short form.
        points: Number of its points.
        code: Hash of the Python sources.
        core: Hash of the core's sources.
        short_form: Fingerprint of the short form.
        verdicts: The claims that it measured.
        findings: Results without a claim, a sentence each.
        seeds: Number of seeds behind the claims.
        combined: Hash of the sources that combined the seeds; empty for one seed. The short form does not cover them.
    """

    study: str
    title: str
    quick: bool
    points: int
    code: str
    core: str
    short_form: str
    verdicts: tuple[Verdict, ...]
    findings: tuple[str, ...] = ()
    seeds: int = 1
    combined: str = ""

    @classmethod
    def of(cls, done: Reproduction, short: ShortForm, root: Path) -> Entry:
        """Returns the entry of a study that has just run; runs its short form."""
        own = tuple(verdict for verdict in done.verdicts if verdict.study)
        study = done.study
        hashes = (code_hash(study, root), core_hash(root), short(study))
        said, combined = tuple(done.findings), seeds_hash(root) if done.seeds > 1 else ""
        return cls(study.name, study.title, done.quick, len(done.results), *hashes, own, said, done.seeds, combined)

    @property
    def command(self) -> str:
        """The command that repeats it."""
        return command(self.study, quick=self.quick, seeds=self.seeds)

    def is_fresh(self, study: Study, short: ShortForm, root: Path) -> bool:
        """Returns True if the numbers come from the tree's code and core, or from others with the same results.

        Args:
            study: The study.
            short: Called only if code or core have changed: runs the study's short form.
            root: The tree.
        """
        if not self.is_combined_as_now(root):
            return False
        return (self.code, self.core) == (code_hash(study, root), core_hash(root)) or self.short_form == short(study)

    def is_combined_as_now(self, root: Path) -> bool:
        """Returns True if the tree's sources make the same verdicts of the seeds'."""
        return self.combined in ("", seeds_hash(root))

    def stamped(self, study: Study, root: Path) -> Entry:
        """Returns the entry with the tree's hashes: for a short form that has not changed."""
        return replace(self, code=code_hash(study, root), core=core_hash(root))


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


def _measured(verdict: Verdict) -> dict[str, Any]:
    interval = verdict.interval
    return {
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
        verdicts = tuple(judged_anew(name, its, study) for name, its in given.items() if name in all_claims())
        return Entry(**{**document, "verdicts": verdicts, "findings": tuple(document["findings"])})
    except (ValueError, KeyError, TypeError) as error:
        text = f"{path}: {error}; it is made by `wordline reproduce STUDY --scoreboard`"
        raise StudyError(text, file=str(path)) from None


def judged_anew(name: str, given: dict[str, Any], study: str) -> Verdict:
    """Returns a stored verdict, judged anew: the claim's tolerance may have changed since."""
    claim = all_claims()[name]
    value = given["measured"]
    holds = judge(claim, Measured(value, holds=given["holds"]))
    interval = Interval(value, given["low"], given["high"], "seeds", given["seeds"]) if "seeds" in given else None
    return Verdict(claim, value, holds, given["synthetic"], given.get("note", ""), study, interval)
