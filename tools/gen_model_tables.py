"""Fills the tables of docs/model.md and docs/model/: claims, OFWAR's open constants, chips, guesses, read disturb.

python3 tools/gen_model_tables.py           # writes the tables
python3 tools/gen_model_tables.py --check   # exit code 1 if a table is stale; uses a smaller sample
"""

# ruff: noqa: INP001

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from wordline.lab import ProgramBench, all_chips, on_bench
from wordline_papers import claim_table
from wordline_papers.claims import Verdict
from wordline_papers.reproduction import reproduce
from wordline_papers.study import find

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "docs" / "model.md", *sorted((ROOT / "docs" / "model").glob("*.md"))]
BLOCK = re.compile(
    r"(<!-- (claims|sensitivity|chips|guesses|disturb)(?:: ([^>]*))? -->\n)(.*?)(<!-- end -->)", re.DOTALL
)
# A smaller sample may miss the worst page by this share.
SLACK = 0.03


def claims(names: list[str], rows: dict[str, Verdict]) -> str:
    """A table of claims: the paper's value beside the model's."""
    lines = ["| claim | what | paper | model | tolerance |", "|---|---|---|---|---|"]
    for name in names:
        _, what, _, paper, here, tolerance, *_ = claim_table.cells(rows[name])
        lines.append(f"| `{name}` | {what} | {paper} | {here} | {tolerance} |")
    return "\n".join(lines)


def sensitivity() -> str:
    """What OFWAR's open constants do to the one calibrated number."""
    sensitivities = ProgramBench(on_bench("mlc-ofwar")).sensitivity()
    by: dict[str, list[str]] = {}
    for name, value, days in zip(
        sensitivities["parameter"], sensitivities["value"], sensitivities["days"], strict=True
    ):
        shown = value if isinstance(value, str) else f"{value:g}"
        by.setdefault(name, []).append(f"{shown}: {days:.2g}")
    return "\n".join(
        ["| constant | value: days |", "|---|---|", *(f"| {name} | {', '.join(each)} |" for name, each in by.items())]
    )


def chips() -> str:
    """The chips that come with Wordline."""
    lines = ["| chip | what | known |", "|---|---|---|"]
    lines += [f"| `{chip.name}` | {chip.description} | {', '.join(chip.parts)} |" for chip in all_chips()]
    return "\n".join(lines)


def guesses(chip: str) -> str:
    """Keys of a chip's file whose comment says that they are guessed."""
    lines = ["| key | value | what is said of it |", "|---|---|---|"]
    section = ""
    text = (ROOT / "presets" / "chips" / f"{chip}.toml").read_text(encoding="utf-8")
    tomllib.loads(text)
    for line in text.splitlines():
        if header := re.match(r"\[+([\w.]+)\]", line):
            section = header[1]
        elif (entry := re.match(r"(\w+) = (.*?)\s+# (.*)", line)) and re.search(r"\bguess\b", entry[3]):
            lines.append(f"| `[{section}]` `{entry[1]}` | `{entry[2]}` | {entry[3].replace('|', '/')} |")
    return "\n".join(lines)


def disturb(chip: str) -> str:
    """Errors that reads bring, by the page's law with a chip's constants, beside the fit that SimpleSSD holds."""
    read = tomllib.loads((ROOT / "presets" / "chips" / f"{chip}.toml").read_text(encoding="utf-8"))["read"]["disturb"]

    def law(cycles: int, reads: int) -> float:
        return read["rber_per_read"] * (cycles / 2_000) ** read["wear_power"] * reads

    def fit(cycles: int, reads: int) -> float:
        return 6.26e-13 * cycles**1.76 * reads**0.47

    wear = (2_000, 5_000, 10_000, 15_000)
    lines = [
        "| errors of 1 KiB, bits | " + " | ".join(f"{cycles:,} cycles" for cycles in wear) + " |",
        "|---|---|---|---|---|",
    ]
    for reads in (10_000, 100_000, 1_000_000):
        for name, rber in ((f"`{chip}`", law), ("SimpleSSD's fit", fit)):
            bits = (8192 * rber(cycles, reads) for cycles in wear)
            cells = " | ".join(f"{each:.0f}" if each >= 10 else f"{each:.2g}" for each in bits)
            lines.append(f"| {reads:,} reads, {name} | {cells} |")
    return "\n".join(lines)


def filled(text: str, rows: dict[str, Verdict]) -> str:
    """The page with its tables."""

    def table(match: re.Match[str]) -> str:
        kind, argument = match[2], (match[3] or "").strip()
        made = {
            "claims": lambda: claims(argument.split(), rows),
            "sensitivity": sensitivity,
            "chips": chips,
            "guesses": lambda: guesses(argument),
            "disturb": lambda: disturb(argument),
        }[kind]()
        return f"{match[1]}\n{made}\n\n{match[5]}"

    return BLOCK.sub(table, text)


def measured(*, quick: bool) -> dict[str, Verdict]:
    """Every claim that the study `device` measures."""
    done = reproduce(find("device"), quick=quick, jobs=1 if quick else None)
    return {verdict.claim.id: verdict for verdict in done.verdicts}


def number(cell: str) -> float | None:
    """The number at the beginning of a cell."""
    match = re.match(r"-?[\d,]*\.?\d+", cell.strip())
    return float(match[0].replace(",", "")) if match else None


def differences(text: str, other: str) -> list[str]:
    """Lines of a page that differ from another's by more than a sample may."""
    wrong = []
    there, here = text.splitlines(), other.splitlines()
    if len(there) != len(here):
        return [f"{len(there)} lines, {len(here)} expected"]
    for ours, theirs in zip(there, here, strict=True):
        if ours == theirs:
            continue
        cells: list[tuple[Any, Any]] = [
            (number(a), number(b)) for a, b in zip(ours.split("|"), theirs.split("|"), strict=False)
        ]
        if any(
            (a is None) != (b is None) or (a is not None and abs(a - b) > SLACK * max(abs(b), 0.1)) for a, b in cells
        ):
            wrong.append(f"{ours}\n  but now {theirs}")
    return wrong


def main() -> int:
    """Writes the tables, or says what is wrong with them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a table is stale")
    check = parser.parse_args().check
    rows = measured(quick=check)
    stale = False
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        made = filled(text, rows)
        if not check:
            page.write_text(made, encoding="utf-8")
            continue
        wrong = differences(text, made)
        stale |= bool(wrong)
        for line in wrong:
            print(f"{page.relative_to(ROOT)}: {line}", file=sys.stderr)
    if stale:
        print("run tools/gen_model_tables.py", file=sys.stderr)
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
