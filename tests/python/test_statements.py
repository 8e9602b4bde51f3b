"""What a page says of a command is true at the page's length.

A comment below a command's block holds one statement as a Python expression:

    <!-- holds: rows[1]["read.mean"] < rows[0]["read.mean"] -->

`rows` are the results of the block's last command: the rows of `compare`, or the one of `run`. A name in brackets is a
path of the result document, or short as for `--columns`.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import docs_playground as playground
from docs_playground import PAGES, ROOT
from wordline.cli import main
from wordline.stats.names import path_of
from wordline.stats.run import dig
from wordline_papers.aero import system

BLOCK = re.compile(
    r"^```console\n(?P<commands>(?:\$ [^\n]*\n)+)```\n(?P<statements>(?:\s*<!-- holds: .*? -->\n)+)", re.MULTILINE
)
MAKES_TRACE = re.compile(r"^\$ wordline (trace (?:gen|convert) \S.* mine\.\S+.*)$", re.MULTILINE)
STATEMENT = re.compile(r"<!-- holds: (.*?) -->")


@dataclass(frozen=True)
class Checked:
    """A command of a page, and what the page says of it."""

    page: str
    command: tuple[str, ...]
    statements: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()
    """Commands above it that make traces, which it may read."""

    def __str__(self) -> str:
        return f"{self.page}: {self.statements[0]}"


def checked(page: Path) -> list[Checked]:
    """The commands of a page that have statements."""
    name, text = str(page.relative_to(ROOT)), page.read_text(encoding="utf-8")
    return [
        Checked(
            name,
            tuple(shlex.split(found["commands"].splitlines()[-1])[2:]),
            tuple(STATEMENT.findall(found["statements"])),
            tuple(tuple(shlex.split(each)) for each in MAKES_TRACE.findall(text, 0, found.start("statements"))),
        )
        for found in BLOCK.finditer(text)
    ]


ALL = [each for page in PAGES for each in checked(page)]


class Row:
    """A result: values by their paths."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document

    def __getitem__(self, path: str) -> Any:  # noqa: ANN401 - of the document
        return dig(self.document, path_of(path) or path)


def rows_of(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> list[Row]:
    """Runs a command, and returns its results."""
    columns = arguments.index("--columns") if "--columns" in arguments else len(arguments)
    assert main([*arguments[:columns], *arguments[columns + 2 :], "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    return [Row(point["result"]) for point in printed["points"]] if arguments[0] == "compare" else [Row(printed)]


def wrong(statements: tuple[str, ...], rows: list[Row]) -> list[str]:
    """Those that do not hold."""
    return [each for each in statements if not eval(each, {"rows": rows, "abs": abs})]  # noqa: S307 - of our pages


def test_every_statement_follows_a_command_that_has_results() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    assert sum(len(STATEMENT.findall(text)) for text in texts) == sum(len(each.statements) for each in ALL) > 0
    assert {each.command[0] for each in ALL} <= {"run", "compare"}
    for each in ALL:
        for statement in each.statements:
            compile(statement, each.page, "eval")


def test_a_statement_that_is_false_is_found() -> None:
    rows = [Row({"iops": {"all": 10.0}}), Row({"iops": {"all": 20.0}})]
    false = "rows[1]['iops.all'] < rows[0]['iops.all']"
    assert wrong(("rows[1]['iops.all'] > rows[0]['iops.all']", false), rows) == [false]


@pytest.mark.verify
@pytest.mark.parametrize("each", ALL, ids=str)
def test_statements_hold(
    each: Checked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    playground.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    for command in each.before:
        assert main([*command, "--force"]) == 0
    assert wrong(each.statements, rows_of(each.command, capsys)) == []


def test_the_length_of_a_study_is_that_of_its_page() -> None:
    page = (ROOT / "docs" / "how-to" / "certainty.md").read_text(encoding="utf-8")
    assert f"in a run of {system.FULL.reads:,}" in page
    assert f"their runs have {system.FULL.requests:,}" in page


def test_a_measured_page_names_its_tool_and_its_age() -> None:
    made_by = re.compile(r"^<!-- Made by (tools/\w+\.py)", re.MULTILINE)
    stamped = re.compile(r"^\*Measured on \d+ \w+ \d{4} with the simulator of commit `[0-9a-f]{8}`\.\*$", re.MULTILINE)
    tools = {page: made_by.findall(page.read_text(encoding="utf-8")) for page in PAGES}
    assert all((ROOT / name).is_file() for named in tools.values() for name in named)
    measured = [
        page for page, named in tools.items() if named and "stamp.write(" in (ROOT / named[0]).read_text("utf-8")
    ]
    assert len(measured) >= 7
    for page in measured:
        assert len(stamped.findall(page.read_text(encoding="utf-8"))) == 1, page
