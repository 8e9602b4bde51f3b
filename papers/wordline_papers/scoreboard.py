"""Writes papers/docs/reproduction.md from the studies' entries: every claim of every paper, and what comes out here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wordline.output.numbers import NOTHING

from . import claim_table, entry, headline, protocol, reading_entry, short_forms, technique_pages
from .checkout import ROOT, commit
from .claims import TITLES, Verdict, all_claims
from .entry import Entry
from .protocol import Standing
from .reproduction import Reproduction, merged
from .study import find, names

__all__ = ["DUE", "due", "line", "page", "renew", "write"]

PAGE = Path("papers") / "docs" / "reproduction.md"
HEAD = """# Reproduction

Every claim of the papers that a program can check, beside what comes out here. This page is made by
`wordline reproduce all`, or by a study alone with `--scoreboard`, and is not edited by hand.

*exact* follows from a formula; *calibration* is measured on chips, and the device model is fitted to it; *setting*
is a system's result that a study's free settings are fitted to, so it is no evidence; *emergent* has to come out of a
simulation and is never fitted to. [Readings](reproduction/readings.md) has the choices that the papers leave open,
and how many claims hold under each alternative. Notes below each table name claims that hold by construction, because
they read back a setting, and say why a claim is not measured. A tolerance in points is in percentage points.
*synthetic* says that made-up requests stand for the paper's traces; where that column is empty no workload is involved.

Where a command has `--seeds`, numbers are means over as many seeds, with the 95 % interval of the mean (Student's t). A
claim holds or is missed *surely* if the whole interval gives the same answer, else *barely*. Without an interval one
seed was measured, or nothing is drawn at random. An ordering holds if it does for every seed. Notes are of the first
seed. AERO's tails need the reads of five seeds together; their intervals are from resamples of these seeds.

Beside each command stand the commit that ran, and *short form*: a hash of what `--quick` gave there without real
traces, that is the measured values, the rows of figures and tables, and the claims. While the present tree gives the
same, the numbers are its own. Where it does not, the table says so: results have changed since, and a full run is due.
"""
PROTOCOL = """
Each emergent claim has one of five labels, by a protocol that is the same for all studies:

- *held* and *missed*: it holds under every reading that the text supports, or under none.
- *depends*: it holds under some of them. The label names the readings, the notes say which alternatives. *(scenario)*
  says that only what no text states decides, such as how requests bunch.
- *undecidable*: the interval crosses the tolerance, or fewer than ten reads lie beyond the percentile, or nothing
  states what it takes.
- *inconsistent*: other printed numbers of the paper exclude it. The proof is in the notes.

Where labels meet, *inconsistent* goes before *undecidable*, and that before *depends*. Each reading is varied alone.
Only full runs count: *so far* says that readings which reach the claim have no full run of the present results (*not
run in full at this commit* in the notes).
"""
DUE = "results have changed since this run; a full run is due"
QUICK = """**Some of these numbers are from short runs.** Where the table below says `--quick`, the study ran with fewer
points and requests than it takes to judge its emergent claims; what holds or does not there may turn out otherwise in
full.
"""


def write(done: Sequence[Reproduction], short: Mapping[str, str], root: Path = ROOT) -> Path:
    """Writes the entries of some studies, their fingerprints and the page; returns the page's path.

    Args:
        done: The results of the studies. Others keep their entries.
        short: The fingerprints of their short forms.
        root: The tree.

    Raises:
        StudyError: An entry of another study is damaged.
        OSError: They cannot be written.
    """
    at = commit(root)
    for each in done:
        entry.save(Entry.of(each, short[each.study.name], at), root)
    return renew(short, root)


def renew(hashes: Mapping[str, str], root: Path = ROOT) -> Path:
    """Writes the present fingerprints of some studies, and the page, which says what is due; returns the page's path.

    Raises:
        StudyError: An entry is damaged.
        OSError: They cannot be written.
    """
    short_forms.save(hashes, root)
    path = root / PAGE
    text = page(list(entry.load(root).values()), short_forms.load(root), reading_entry.load(root))
    path.write_text(text, encoding="utf-8", newline="\n")
    technique_pages.write(root)
    return path


def due(root: Path = ROOT) -> list[str]:
    """Returns the studies whose results have changed since their last full run, or that had none.

    Raises:
        StudyError: An entry is damaged.
    """
    entries, now = entry.load(root), short_forms.load(root)
    return [name for name in names() if name not in entries or entries[name].quick or entries[name].is_due(now)]


def page(
    entries: Sequence[Entry], now: Mapping[str, str], readings: Mapping[str, reading_entry.Entry] | None = None
) -> str:
    """Returns the page's text.

    Args:
        entries: What the studies measured.
        now: The present fingerprints of their short forms.
        readings: What their readings gave, by study.
    """
    measured = {verdict.claim.id: verdict for verdict in merged(entries)}
    labels = protocol.standings(measured, readings or {})
    verdicts = [_explained(measured.get(name, Verdict(claim))) for name, claim in all_claims().items()]
    parts = [HEAD + PROTOCOL, *([QUICK] if any(each.quick for each in entries) else [])]
    parts += [*headline.table(verdicts, labels, lambda paper: f"[{TITLES[paper]}](#{_anchor(paper)})"), ""]
    parts += _studies(entries, now)
    for paper in dict.fromkeys(verdict.claim.paper for verdict in verdicts):
        parts += _paper(paper, [verdict for verdict in verdicts if verdict.claim.paper == paper], labels)
    for each in entries:
        parts += _findings(each)
    return "\n".join(parts) + "\n"


def _explained(verdict: Verdict) -> Verdict:
    """Returns a verdict that says in its note if the claim holds by construction, or why it is not measured."""
    name, notes = verdict.claim.id, [verdict.note]
    for study in map(find, names()):
        if name in study.constants:
            notes.insert(0, f"holds by construction: it reads back {study.constants[name]}")
        if name in study.unmeasured and verdict.holds is None:
            notes.insert(0, f"not measured: {study.unmeasured[name]}")
    return replace(verdict, note="; ".join(filter(None, notes)))


def _studies(entries: Sequence[Entry], now: Mapping[str, str]) -> list[str]:
    lines = ["| command | points | commit | short form | since then |", "|---|---|---|---|---|"]
    for each in entries:
        since = f"**{DUE}**" if each.is_due(now) else "results are the same"
        lines.append(f"| `{each.command}` | {each.points} | `{each.commit}` | `{each.short_form}` | {since} |")
    return [*lines, ""]


def _paper(paper: str, verdicts: Sequence[Verdict], labels: Mapping[str, Standing]) -> list[str]:
    summary = claim_table.summary([verdict for verdict in verdicts if verdict.claim.kind != protocol.OF])
    own = [labels[verdict.claim.id] for verdict in verdicts if verdict.claim.id in labels]
    lines = [
        f"## {TITLES[paper]}",
        "",
        f"Emergent claims: {protocol.count(own).sentence}. {summary[0].upper()}{summary[1:]}.",
        "",
        "| claim | where | what | kind | paper | here | tolerance | holds | label | requests | command |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
        *(line(verdict, labels.get(verdict.claim.id)) for verdict in verdicts),
        "",
    ]
    notes = [_note(verdict, labels.get(verdict.claim.id)) for verdict in verdicts]
    return [*lines, *filter(None, notes), ""] if any(notes) else lines


def _note(verdict: Verdict, standing: Standing | None) -> str:
    """Returns what there is to say of a claim: why it has its label, and what the study notes."""
    parts = [verdict.note]
    if standing is not None:
        why = f"{standing.label}: {standing.why}" if standing.why and verdict.holds is not None else ""
        over = "; ".join(f"over {name}: {values}" for name, values in standing.ranges.items())
        due = f"not run in full at this commit: {', '.join(standing.due)}" if standing.due else ""
        parts = [verdict.note, why, over, due]
    text = "; ".join(filter(None, parts))
    return f"- `{verdict.claim.id}`: {text}" if text else ""


def _findings(own: Entry) -> list[str]:
    """Returns the section of a study's findings, which no paper claims."""
    if not own.findings:
        return []
    return [f"## {own.title}", "", f"By `{own.command}`:", "", *(f"- {each}" for each in own.findings), ""]


def line(verdict: Verdict, standing: Standing | None = None) -> str:
    """Returns the row of a claim's verdict on the page."""
    name, what, kind, paper, here, tolerance, holds, requests = (_escape(text) for text in claim_table.cells(verdict))
    if verdict.holds is False:
        holds = f"**{holds}**"
    command = f"`wordline reproduce {verdict.study}`" if verdict.study else NOTHING
    label = NOTHING if standing is None else standing.text
    return (
        f"| `{name}` | {_escape(verdict.claim.section)} | {what} | {kind} | {paper} | {here} | {tolerance} | {holds} "
        f"| {label} | {requests} | {command} |"
    )


def _anchor(paper: str) -> str:
    return TITLES[paper].lower().replace(" ", "-")


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
