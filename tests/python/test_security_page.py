"""Each promise of SECURITY.md names tests that exist."""

from __future__ import annotations

import re

import pytest

from cli_runner import ROOT

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ") and "| test |" not in line]
TEST = re.compile(r"`(\w+)`(?: and `(\w+)`)?(?: and `(\w+)`)? in (?:`([\w/.-]+)`|the same file)")


def of_promises(rows: list[list[str]]) -> list[tuple[str, str]]:
    """The tests of promises, each with its file."""
    file, named = "", []
    for row in rows:
        matches = TEST.findall(row[-1])
        assert matches, f"no test: {row[0]}"
        for *names, place in matches:
            file = place or file
            named += [(name, file) for name in names if name]
    return named


def test_every_promise_has_two_columns_and_a_test() -> None:
    assert len(ROWS) > 15
    assert all(len(row) == 2 for row in ROWS)
    assert len(of_promises(ROWS)) >= len(ROWS)


@pytest.mark.parametrize(("name", "file"), of_promises(ROWS))
def test_the_test_of_a_promise_exists(name: str, file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    if file.endswith(".rs"):
        assert re.search(rf"#\[test\]\n(?:\s*#\[.*\]\n)*\s*fn {name}\(", text), f"{file} has no test {name}"
    else:
        assert re.search(rf"^def {name}\(", text, re.MULTILINE), f"{file} has no test {name}"


def test_a_promise_without_a_test_is_found() -> None:
    with pytest.raises(AssertionError, match="no test: all is well"):
        of_promises([["all is well", "trust us"]])
