"""The headline: how many emergent claims of each paper have each label, and how many of the other kinds hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from wordline.output.numbers import NOTHING

from .claims import KINDS, Verdict
from .protocol import LABELS, OF, Standing, count

__all__ = ["ALL", "table"]

OTHERS = tuple(kind for kind in KINDS if kind != OF)
ALL = "all"


def table(verdicts: Sequence[Verdict], labels: Mapping[str, Standing], name: Callable[[str], str]) -> list[str]:
    """Returns the lines of a Markdown table: a row for each paper, and their sums.

    Args:
        verdicts: Verdicts on every claim.
        labels: The standings of the emergent claims, by id.
        name: What the table calls a paper.
    """
    heads = ("paper", *LABELS, "so far", "no label", *OTHERS)
    papers = dict.fromkeys(verdict.claim.paper for verdict in verdicts)
    rows = [_row(name(paper), [each for each in verdicts if each.claim.paper == paper], labels) for paper in papers]
    return [_line(heads), _line(["---"] * len(heads)), *rows, _row(ALL, verdicts, labels)]


def _row(name: str, verdicts: Sequence[Verdict], labels: Mapping[str, Standing]) -> str:
    own = count(labels[verdict.claim.id] for verdict in verdicts if verdict.claim.id in labels)
    others = []
    for kind in OTHERS:
        holds = [each.holds for each in verdicts if each.claim.kind == kind and each.holds is not None]
        others.append(f"{sum(holds)} of {len(holds)}" if holds else NOTHING)
    return _line((name, *own.texts, str(own.waiting), str(own.unmeasured), *others))


def _line(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"
