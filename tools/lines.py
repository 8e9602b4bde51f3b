"""Counts lines of code by area at two commits: no blank lines, comments, docstrings or unit tests.

    python3 tools/lines.py BEFORE [AFTER] [--page docs/validation/size.md]

An area is a crate, or the part of Python. What `papers/` holds today was `python/wordline/studies/` before.
"""
# ruff: noqa: INP001

from __future__ import annotations

import argparse
import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- lines: made by the command -->", "<!-- end of lines -->"
TESTS = re.compile(r"(^|/)tests/|(^|/)tests\.rs$|(^|/)test_[^/]*$|(^|/)conftest\.py$")
UNIT_TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{.*?^\}\n", re.MULTILINE | re.DOTALL)
AREAS = (
    (TESTS, "tests"),
    (re.compile(r"(tools|fuzz|examples|docs|crates/wordline-bench)/"), "tools, fuzz, examples"),
    (re.compile(r"papers/|python/wordline/(studies/|cli/(reproduce|readings)\.py)"), "papers"),
    (re.compile(r"crates/([^/]+)/"), r"`\1`"),
    (re.compile(r"python/"), "`wordline` (Python)"),
)
NOT_PRODUCT = ("tests", "tools, fuzz, examples", "papers")


def git(*words: str) -> str:
    """What git says."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S603, S607


def area_of(path: str) -> str:
    """The area of a source file."""
    for pattern, name in AREAS:
        if match := (pattern.search(path) if pattern is TESTS else pattern.match(path)):
            return match.expand(name) if "\\" in name else name
    return "tools, fuzz, examples"


def docstrings(text: str) -> set[int]:
    """The lines of a Python file that are documentation."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node.body for node in ast.walk(ast.parse(text)) if isinstance(node, kinds) and ast.get_docstring(node)]
    return {line for body in bodies for line in range(body[0].lineno, (body[0].end_lineno or 0) + 1)}


def code_lines(path: str, text: str) -> int:
    """How many lines of a file are code."""
    is_rust = path.endswith(".rs")
    skipped = set() if is_rust else docstrings(text)
    text = UNIT_TESTS.sub("", text) if is_rust else text
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    return sum(bool(line) and not line.startswith("//" if is_rust else "#") and at not in skipped for at, line in lines)


def count(commit: str) -> Counter[str]:
    """Lines of code of a commit by area."""
    counts: Counter[str] = Counter()
    for path in git("ls-tree", "-r", "--name-only", commit).splitlines():
        if path.endswith((".rs", ".py")):
            counts[area_of(path)] += code_lines(path, git("show", f"{commit}:{path}"))
    return counts


def table(before: str, after: str) -> str:
    """Both commits side by side; the product is what is neither tests, nor tools, nor papers."""
    old, new = count(before), count(after)
    names = [*sorted(set(old | new) - set(NOT_PRODUCT)), *NOT_PRODUCT]
    product = [sum(counts[name] for name in names if name not in NOT_PRODUCT) for counts in (old, new)]
    rows = [(name, old[name], new[name]) for name in names]
    rows.insert(len(names) - len(NOT_PRODUCT), ("**the product**", *product))
    heads = [git("rev-parse", "--short", commit).strip() for commit in (before, after)]
    lines = [f"| area | at `{heads[0]}` | at `{heads[1]}` | change |", "|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {name} | {a:,} | {b:,} | {b - a:+,} |" for name, a, b in rows)])


def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description="Count lines of code by area at two commits.")
    parser.add_argument("before", metavar="BEFORE", help="a commit")
    parser.add_argument("after", metavar="AFTER", nargs="?", default="HEAD", help="a later one")
    parser.add_argument("--page", type=Path, help="put the table into this page")
    asked = parser.parse_args()
    text = table(asked.before, asked.after)
    print(text)
    if asked.page:
        before, _, rest = asked.page.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        asked.page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
