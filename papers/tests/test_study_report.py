"""The report of a study: its claims, and its figures beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from browser import CHROMIUM, Browser
from cli_runner import wordline
from wordline_papers import find
from wordline_papers.claims import Verdict, all_claims
from wordline_papers.figure import Table
from wordline_papers.report_sections import _belongs, _title


@pytest.fixture
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


def test_figures_have_the_claims_of_their_number() -> None:
    """A claim stands below the figure of the paper that it is from, whichever table measures it."""
    figure = next(each for each in find("ofwar").figures if each.name == "fig09")
    table = Table(replace(figure, claims=lambda _: {}), [])
    verdicts = [Verdict(claim) for claim in all_claims().values() if claim.paper == "ofwar"]
    own = {verdict.claim.id for verdict in verdicts if _belongs(verdict, table)}
    assert own == {"ofwar.fig9.stddev"}
    assert _title(table) == "Fig. 9"


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_a_study_shows_its_figures_beside_their_claims(browser: Browser, tmp_path: Path) -> None:
    assert wordline("reproduce", "validation", "--quick", cwd=tmp_path).code == 0
    path = tmp_path / "out" / "reproduce" / "validation" / "report.html"
    assert "pnar2.timing.regular_retry" in path.read_text(encoding="utf-8")
    drawings = "[...document.querySelectorAll('section[id^=figure-] img.drawing')]"
    browser.open(path, f"{drawings}.length && {drawings}.every((each) => each.complete && each.naturalWidth > 100)")
    assert browser.js(f"{drawings}.length") >= 2
    assert browser.problems == []
