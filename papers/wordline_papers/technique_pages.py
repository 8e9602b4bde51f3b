"""The numbers in README.md and docs/techniques/: counts, values and findings are the scoreboard's, on every page.

A page marks each with a comment, `<!-- scoreboard: WHAT -->…<!-- end -->`. WHAT is

- `five PAPER`: how many of a paper's emergent claims are held, missed, and so on (`protocol`);
- `headline all`: the same for all papers, as a table;
- `labels PAPER LABEL`: the claims of a paper that have a label, each with the reason;
- `value CLAIM`: what came out for a claim;
- `findings STUDY`: the sentences of a study without claims;
- `reading STUDY READING`: the claims that a reading moves, under each of its alternatives that were run.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordline.errors import StudyError
from wordline.output.numbers import NOTHING

from . import claim_table, entry, headline, protocol, reading_entry
from .claims import TITLES, Verdict, all_claims
from .entry import Entry
from .readings import of_study
from .reproduction import merged
from .study import find

__all__ = ["Scores", "filled", "stale", "typed_counts", "write"]

README = "README.md"
FOLDER = Path("docs") / "techniques"
BLOCK = re.compile(r"(<!-- scoreboard: (\w+) ([^>]*?) -->)(.*?)(<!-- end -->)", re.DOTALL)
# A count of claims, such as "12 of the 16 claims" or "5 of 19 emergent claims".
COUNT = re.compile(r"\b\d+ of (?:the |all )?\d+ (?:\w+ )?claims")


@dataclass(frozen=True)
class Scores:
    """What the scoreboard and the readings have measured.

    Attributes:
        entries: Studies by name.
        readings: Readings by study.
    """

    entries: Mapping[str, Entry]
    readings: Mapping[str, reading_entry.Entry]

    @classmethod
    def of(cls, root: Path) -> Scores:
        """Returns those of a checkout.

        Raises:
            StudyError: A file is not what was written.
        """
        return cls(entry.load(root), reading_entry.load(root))

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdicts by claim id."""
        return {verdict.claim.id: verdict for verdict in merged(list(self.entries.values()))}

    @functools.cached_property
    def labels(self) -> Mapping[str, protocol.Standing]:
        """The standings of the emergent claims by id."""
        return protocol.standings(self.verdicts, self.readings)


def filled(text: str, scores: Scores) -> str:
    """Returns a page's text with its marked numbers from the scoreboard.

    Raises:
        StudyError: A mark asks for what there is not.
    """

    def block(match: re.Match[str]) -> str:
        start, what, names, _, end = match.groups()
        make = KINDS.get(what)
        if make is None:
            raise StudyError(f"<!-- scoreboard: {what} … -->: write one of {', '.join(KINDS)}")
        try:
            return f"{start}{make(scores, *names.split())}{end}"
        except (KeyError, TypeError) as error:
            raise StudyError(f"<!-- scoreboard: {what} {names} -->: {error} is not on the scoreboard") from None

    return BLOCK.sub(block, text)


def write(root: Path) -> None:
    """Fills the pages of a checkout.

    Raises:
        StudyError: See `filled`.
        OSError: A page cannot be written.
    """
    scores = Scores.of(root)
    for path in _pages(root):
        text = path.read_text(encoding="utf-8")
        new = filled(text, scores)
        if new != text:
            path.write_text(new, encoding="utf-8", newline="\n")


def stale(root: Path) -> list[str]:
    """Returns the names of the pages of a checkout with a number that is not the scoreboard's."""
    scores = Scores.of(root)
    texts = {path.name: path.read_text(encoding="utf-8") for path in _pages(root)}
    return [name for name, text in texts.items() if filled(text, scores) != text]


def typed_counts(text: str) -> list[str]:
    """Returns the counts of claims in a page that are typed, so that they may come to disagree with the scoreboard."""
    return COUNT.findall(" ".join(BLOCK.sub("", text).split()))


def _pages(root: Path) -> list[Path]:
    return [*filter(Path.is_file, (root / README,)), *sorted((root / FOLDER).glob("*.md"))]


def _of_paper(scores: Scores, paper: str) -> list[protocol.Standing]:
    own = [each for each in scores.labels.values() if each.verdict.claim.paper == paper]
    if not own:
        raise KeyError(f"an emergent claim of {paper}")
    return own


def _five(scores: Scores, paper: str) -> str:
    return protocol.count(_of_paper(scores, paper)).sentence


def _labels(scores: Scores, paper: str, label: str) -> str:
    if label not in protocol.LABELS:
        raise KeyError(f"the label {label}")
    own = [each for each in _of_paper(scores, paper) if each.label == label]
    return "\n\n" + "\n".join(f"- {_standing(each)}" for each in own) + "\n\n" if own else "none"


def _standing(standing: protocol.Standing) -> str:
    """Returns a claim with its numbers and the reason of its label."""
    verdict = standing.verdict
    numbers = f"paper {claim_table.expected(verdict)}, here {claim_table.here(verdict)}"
    reasons = "; ".join(filter(None, (standing.why, verdict.note)))
    return f"{verdict.claim.about} ({numbers}): {reasons}".rstrip(": ")


def _headline(scores: Scores, which: str) -> str:
    if which != headline.ALL:
        raise KeyError(f"the headline of {which}")
    verdicts = [scores.verdicts.get(name, Verdict(claim)) for name, claim in all_claims().items()]
    return "\n\n" + "\n".join(headline.table(verdicts, scores.labels, TITLES.__getitem__)) + "\n\n"


def _value(scores: Scores, claim: str) -> str:
    return claim_table.here(scores.verdicts[claim])


def _findings(scores: Scores, study: str) -> str:
    return "\n\n" + "\n".join(f"- {each}" for each in scores.entries[study].findings) + "\n\n"


def _reading(scores: Scores, study: str, name: str) -> str:
    reading = {each.name: each for each in of_study(find(study))}[name]
    alternatives = scores.readings[study].alternatives(name) if study in scores.readings else {}
    if not alternatives:
        return f"\n\nNot run yet: `wordline reproduce readings {study}`.\n\n"
    by_name = {
        alternative: {each.claim.id: each for each in verdicts} for alternative, verdicts in alternatives.items()
    }
    names = [each.name for each in reading.alternatives if each.name in by_name]
    rows = [_row(("claim", "paper", *names)), _row(["---"] * (len(names) + 2))]
    for claim, usual in by_name.get(reading.default, {}).items():
        verdicts = [by_name[each].get(claim) for each in names]
        cells = [NOTHING if each is None else _judged(each) for each in verdicts]
        if len(set(cells)) > 1:
            rows.append(_row((f"`{claim}`", claim_table.expected(usual), *cells)))
    held = [sum(each.holds is True for each in by_name[name].values()) for name in names]
    counted = [f"{count} of {len(by_name[name])}" for count, name in zip(held, names, strict=True)]
    short = (
        "\n\nFrom short runs of a few workloads, which cannot judge a mean."
        if scores.readings[study].ran[name].quick
        else ""
    )
    return "\n\n" + "\n".join([*rows, _row(("all that hold", "", *counted))]) + f"{short}\n\n"


def _judged(verdict: Verdict) -> str:
    return f"{claim_table.here(verdict)}{'' if verdict.holds else ' (no)'}"


def _row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


KINDS: Mapping[str, Callable[..., str]] = {
    "five": _five, "headline": _headline, "labels": _labels, "value": _value, "findings": _findings,
    "reading": _reading,
}  # fmt: skip
