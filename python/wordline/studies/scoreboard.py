"""Writes docs/reproduction.md: every claim of every paper, its measurement here, and the code behind it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from ..output.numbers import NOTHING
from . import claim_table
from .claims import Verdict, all_claims
from .reproduction import Reproduction, merged
from .sources import ROOT, code_hash, core_hash
from .study import Study

__all__ = ["ShortForm", "fresh", "line", "page", "stamp", "write"]

ShortForm = Callable[[Study], str]
"""Returns the fingerprint of a study's short form, see `wordline.studies.fingerprint`."""

PAGE = Path("docs") / "reproduction.md"
HASH = r"`([0-9a-f]{16})`"
TITLES = {
    "pnar2": "PR2 and AR2",
    "ida": "IDA coding",
    "ofwar": "OFWAR",
    "rif": "RiF",
    "aero": "AERO",
}
HEAD = """# Reproduction

Every claim of the papers that a program can check, beside what comes out here. This page is made by
`wordline reproduce all` and is not edited by hand.

*exact* follows from a formula; *calibration* is measured on chips, and the device model is fitted to it; *setting*
is a system's result that a study's free settings are fitted to, so it is no evidence; *emergent* has to come out of a
simulation and is never fitted to. A tolerance in points is in percentage points. *synthetic* says
that made-up requests stand for the paper's traces; where that column is empty no workload is involved.

Three hashes stand beside each command. *code* is of what Python defines for the study's points, verdicts and claims;
*core* is of the simulator in Rust and its presets. Together they name the sources that gave the numbers, or later ones
that were shown to give the same. *short form* is of what `--quick` gives where no real traces are at hand: the measured
values, the verdicts of figures and tables, and the claims. Other sources that give the same leave the numbers valid.
"""
QUICK = """**Some of these numbers are from short runs.** Where the table below says `--quick`, the study ran with fewer
points and requests than it takes to judge its emergent claims; what holds or does not there may turn out otherwise in
full.
"""


def write(done: Sequence[Reproduction], short: ShortForm, root: Path = ROOT) -> Path | None:
    """Writes the page if the package is in a checkout; returns its path.

    Raises:
        OSError: It cannot be written.
    """
    target = root / PAGE
    if not target.parent.is_dir():
        return None
    target.write_text(page(done, short, root), encoding="utf-8", newline="\n")
    return target


def page(done: Sequence[Reproduction], short: ShortForm, root: Path = ROOT) -> str:
    """Returns the page's text."""
    measured = {verdict.claim.id: verdict for verdict in merged(done)}
    verdicts = [measured.get(name, Verdict(claim)) for name, claim in all_claims().items()]
    parts = [HEAD, *([QUICK] if any(each.quick for each in done) else []), *_overview(verdicts)]
    parts += _studies(done, short, root)
    for paper in dict.fromkeys(verdict.claim.paper for verdict in verdicts):
        parts += _paper(paper, [verdict for verdict in verdicts if verdict.claim.paper == paper])
    for each in done:
        parts += _findings(each)
    return "\n".join(parts) + "\n"


def fresh(text: str, study: Study, short: ShortForm, root: Path = ROOT) -> bool:
    """Returns True if a study's numbers come from the tree's code and core, or from others with the same results.

    Args:
        text: The page.
        study: The study.
        short: Called only if code or core have changed: runs the study's short form.
        root: The tree.
    """
    match _hashes(text, study):
        case [code, core, given]:
            return (code, core) == (code_hash(study, root), core_hash(root)) or given == short(study)
    return False


def stamp(studies: Sequence[Study], short: ShortForm, root: Path = ROOT) -> list[str]:
    """Writes the tree's hashes for the studies whose short forms still give the results of the page.

    Args:
        studies: The studies.
        short: Runs a study's short form.
        root: The tree.

    Returns:
        The names of the studies whose short forms give other results, or that the page does not have.

    Raises:
        OSError: The page does not exist, or cannot be written.
    """
    path, others = root / PAGE, list[str]()
    text, core = path.read_text(encoding="utf-8"), core_hash(root)
    for study in studies:
        match _hashes(text, study):
            case [code, old, given] if given == short(study):
                line = _line(text, study)
                text = text.replace(line, line.replace(code, code_hash(study, root)).replace(old, core))
            case _:
                others.append(study.name)
    path.write_text(text, encoding="utf-8", newline="\n")
    return others


def _line(text: str, study: Study) -> str:
    """Returns the page's row of a study; empty if there is none."""
    found = re.search(rf"^\| `wordline reproduce {re.escape(study.name)}(?: --quick)?` \|.*$", text, re.MULTILINE)
    return found[0] if found else ""


def _hashes(text: str, study: Study) -> list[str]:
    """Returns code, core and short form of a study, as written on a page."""
    return re.findall(HASH, _line(text, study))


def _overview(verdicts: Sequence[Verdict]) -> list[str]:
    lines = ["| paper | claims | measured | hold |", "|---|---|---|---|"]
    for paper in dict.fromkeys(verdict.claim.paper for verdict in verdicts):
        of_paper = [verdict for verdict in verdicts if verdict.claim.paper == paper]
        measured = [verdict for verdict in of_paper if verdict.holds is not None]
        hold = sum(verdict.holds is True for verdict in measured)
        lines.append(f"| [{_title(paper)}](#{_anchor(paper)}) | {len(of_paper)} | {len(measured)} | {hold} |")
    return [*lines, ""]


def _studies(done: Sequence[Reproduction], short: ShortForm, root: Path) -> list[str]:
    core = core_hash(root)
    lines = ["| command | points | code | core | short form |", "|---|---|---|---|---|"]
    for each in done:
        hashes = (code_hash(each.study, root), core, short(each.study))
        lines.append(f"| `{each.command}` | {len(each.results)} | " + " | ".join(f"`{one}`" for one in hashes) + " |")
    return [*lines, ""]


def _paper(paper: str, verdicts: Sequence[Verdict]) -> list[str]:
    summary = claim_table.summary(verdicts)
    lines = [
        f"## {_title(paper)}",
        "",
        f"{summary[0].upper()}{summary[1:]}.",
        "",
        "| claim | where | what | kind | paper | here | tolerance | holds | requests | command |",
        "|---|---|---|---|---|---|---|---|---|---|",
        *(line(verdict) for verdict in verdicts),
        "",
    ]
    notes = [f"- `{verdict.claim.id}`: {verdict.note}" for verdict in verdicts if verdict.note]
    return [*lines, *notes, ""] if notes else lines


def _findings(done: Reproduction) -> list[str]:
    """Yields findings of a study without a claim in the papers."""
    if not done.findings:
        return []
    return [f"## {done.study.title}", "", f"By `{done.command}`:", "", *(f"- {each}" for each in done.findings), ""]


def line(verdict: Verdict) -> str:
    """Returns the row of a claim's verdict on the page."""
    name, what, kind, paper, here, tolerance, holds, requests = (_escape(text) for text in claim_table.cells(verdict))
    command = f"`wordline reproduce {verdict.study}`" if verdict.study else NOTHING
    return (
        f"| `{name}` | {_escape(verdict.claim.section)} | {what} | {kind} | {paper} | {here} | {tolerance} | {holds} "
        f"| {requests} | {command} |"
    )


def _title(paper: str) -> str:
    return TITLES.get(paper, paper)


def _anchor(paper: str) -> str:
    return _title(paper).lower().replace(" ", "-")


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
