"""The report of a study: its claims, and its figures beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from browser import CHROMIUM, Browser
from cli_runner import wordline
from wordline_papers import Figure, Outcome, Point, Reproduction, Results, find
from wordline_papers.claims import Verdict, all_claims, judged
from wordline_papers.cli.reproduce import report_of
from wordline_papers.figure import Table
from wordline_papers.report_sections import _belongs, _title, asked, sections


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


def test_a_report_begins_with_claims_and_shows_which_fail(tmp_path: Path) -> None:
    measured = {"pnar2.timing.tR": 91.0, "pnar2.timing.tdma": 99.0}
    verdicts = judged(measured, "validation", ())
    told = Table(Figure("gains", (), lambda _: [], findings=lambda _: ["Gains <multiply>."]), [])
    points = [Outcome(Point("pnar2", seed=seed)) for seed in range(300)]
    study = replace(find("validation"), notes=("A note.",))
    report_of(Reproduction(study, quick=False, results=Results(points), verdicts=verdicts, tables=[told]), tmp_path)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert re.findall(r'<section id="([\w-]+)"', text) == ["claims", "findings", "notes"]
    assert "Full run: 300 points. 1 of 2 measured claims do not hold." in text
    assert '<tr class="holds"><th scope="row">pnar2.timing.tR</th>' in text
    assert '<tr class="fails"><th scope="row">pnar2.timing.tdma</th>' in text
    assert text.index("pnar2.timing.tdma</th>") < text.index("pnar2.timing.tR</th>"), "what does not hold comes first"
    assert "Gains &lt;multiply&gt;." in text
    assert "<figure" not in text, "no chart and no row of a point"
    assert len(text) < 100_000


def test_a_full_run_opens_with_the_five_numbers_and_a_short_form_does_not() -> None:
    verdicts = judged({"pnar2.fig14.ar2.max": 0.2, "pnar2.fig14.pr2.max": 0.25}, "pnar2", ())
    done = Reproduction(find("pnar2"), quick=False, results=Results([]), verdicts=verdicts)
    # Which label the other claim has is the scoreboard's, and changes with its runs.
    five = re.search(r"Of 2 about a whole SSD (\d) held, (\d) missed, (\d) depend", asked(done))
    assert five
    assert sum(map(int, five.groups())) == 1
    assert "1 inconsistent" in asked(done)
    (claims,) = sections(done)
    assert claims.columns[-1] == "label"
    assert claims.rows[0][0] == "pnar2.fig14.pr2.max"
    assert claims.rows[0][-1] == "inconsistent"
    short = replace(done, quick=True)
    assert "whole SSD" not in asked(short)
    assert "label" not in sections(short)[0].columns


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_a_study_shows_its_figures_beside_their_claims(browser: Browser, tmp_path: Path) -> None:
    assert wordline("reproduce", "validation", "--quick", cwd=tmp_path).code == 0
    path = tmp_path / "out" / "reproduce" / "validation" / "report.html"
    assert "pnar2.timing.regular_retry" in path.read_text(encoding="utf-8")
    drawings = "[...document.querySelectorAll('section[id^=figure-] img.drawing')]"
    browser.open(path, f"{drawings}.length && {drawings}.every((each) => each.complete && each.naturalWidth > 100)")
    assert browser.js(f"{drawings}.length") >= 2
    assert browser.problems == []
