"""docs/reproduction.md: every claim of every paper, what comes out here, and which code it came from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..output import claim_table
from ..output.numbers import NOTHING
from .claims import Row, all_claims
from .reproduction import Reproduction, merged
from .study import Study

__all__ = ["ROOT", "code_hash", "fresh", "page", "write"]

ROOT = Path(__file__).resolve().parents[3]
PAGE = Path("docs") / "reproduction.md"
# What decides a measured number, beside the study's own package.
SOURCES = ("crates/wordline-core/src", "crates/wordline-trace/src", "presets", "studies/claims.toml")
MODULES = (
    "api.py",
    "chips.py",
    "config.py",
    "erase_bench.py",
    "program_bench.py",
    "read_bench.py",
    "workload.py",
    "studies/claims.py",
    "studies/point.py",
)
COMMENT = {".rs": "//", ".py": "#", ".toml": "#"}
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

*exact* follows from a formula; *calibration* is measured on chips, and the device model is fitted to it; *emergent*
has to come out of a simulation and is never fitted to. A tolerance in points is in percentage points. *synthetic* says
that made-up requests stand for the paper's traces; where that column is empty no workload is involved.
"""
QUICK = """**Some of these numbers are from short runs.** Where the table below says `--quick`, the study ran with fewer
points and requests than it takes to judge its emergent claims; what holds or does not there may turn out otherwise in
full.
"""


def write(done: Sequence[Reproduction], root: Path = ROOT) -> Path | None:
    """Writes the page where there is a checkout around the package; returns its path.

    Raises:
        OSError: It cannot be written.
    """
    target = root / PAGE
    if not target.parent.is_dir():
        return None
    target.write_text(page(done, root), encoding="utf-8")
    return target


def page(done: Sequence[Reproduction], root: Path = ROOT) -> str:
    """The page's text."""
    measured = {row.claim.id: row for row in merged(done)}
    rows = [measured.get(name, Row(claim)) for name, claim in all_claims().items()]
    parts = [HEAD, *([QUICK] if any(each.quick for each in done) else []), *_overview(rows), *_studies(done, root)]
    for paper in dict.fromkeys(row.claim.paper for row in rows):
        parts += _paper(paper, [row for row in rows if row.claim.paper == paper])
    for each in done:
        parts += _findings(each)
    return "\n".join(parts) + "\n"


def code_hash(study: Study, root: Path = ROOT) -> str:
    """Hash of the sources that decide a study's numbers, comments and blank lines left out."""
    digest = hashlib.sha256()
    for path in _files(study, root):
        digest.update(f"{path.relative_to(root).as_posix()}\n{_code(path)}".encode())
    return digest.hexdigest()[:16]


def fresh(text: str, study: Study, root: Path = ROOT) -> bool:
    """Whether a page's numbers of a study come from the code in the tree."""
    return f"| `{code_hash(study, root)}` |" in next(_study_lines(text, study.name), "")


def _study_lines(text: str, name: str) -> Iterator[str]:
    yield from re.findall(rf"^\| `wordline reproduce {re.escape(name)}(?: --quick)?` \|.*$", text, re.MULTILINE)


def _files(study: Study, root: Path) -> list[Path]:
    found = [root / "python" / "wordline" / name for name in MODULES]
    for folder in (*(root / name for name in SOURCES), study.folder):
        inside = folder.rglob("*") if folder.is_dir() else [folder]
        found += [path for path in inside if path.suffix in COMMENT]
    return sorted(set(found))


def _code(path: Path) -> str:
    mark = COMMENT[path.suffix]
    lines = (line.rstrip() for line in path.read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.lstrip().startswith(mark))


def _overview(rows: Sequence[Row]) -> list[str]:
    lines = ["| paper | claims | measured | hold |", "|---|---|---|---|"]
    for paper in dict.fromkeys(row.claim.paper for row in rows):
        of_paper = [row for row in rows if row.claim.paper == paper]
        measured = [row for row in of_paper if row.holds is not None]
        hold = sum(row.holds is True for row in measured)
        lines.append(f"| [{_title(paper)}](#{_anchor(paper)}) | {len(of_paper)} | {len(measured)} | {hold} |")
    return [*lines, ""]


def _studies(done: Sequence[Reproduction], root: Path) -> list[str]:
    lines = ["| command | points | hash of the code |", "|---|---|---|"]
    lines += [f"| `{each.command}` | {len(each.results)} | `{code_hash(each.study, root)}` |" for each in done]
    return [*lines, ""]


def _paper(paper: str, rows: Sequence[Row]) -> list[str]:
    summary = claim_table.summary(rows)
    lines = [
        f"## {_title(paper)}",
        "",
        f"{summary[0].upper()}{summary[1:]}.",
        "",
        "| claim | where | what | kind | paper | here | tolerance | holds | requests | command |",
        "|---|---|---|---|---|---|---|---|---|---|",
        *(_line(row) for row in rows),
        "",
    ]
    notes = [f"- `{row.claim.id}`: {row.note}" for row in rows if row.note]
    return [*lines, *notes, ""] if notes else lines


def _findings(done: Reproduction) -> list[str]:
    """What a study found of which no paper claims anything."""
    if not done.findings:
        return []
    return [f"## {done.study.title}", "", f"By `{done.command}`:", "", *(f"- {each}" for each in done.findings), ""]


def _line(row: Row) -> str:
    name, what, kind, paper, here, tolerance, holds, requests = (_escape(text) for text in claim_table.cells(row))
    command = f"`wordline reproduce {row.study}`" if row.study else NOTHING
    return (
        f"| `{name}` | {_escape(row.claim.section)} | {what} | {kind} | {paper} | {here} | {tolerance} | {holds} "
        f"| {requests} | {command} |"
    )


def _title(paper: str) -> str:
    return TITLES.get(paper, paper)


def _anchor(paper: str) -> str:
    return _title(paper).lower().replace(" ", "-")


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
