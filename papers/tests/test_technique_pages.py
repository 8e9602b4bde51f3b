"""Numbers of docs/techniques/ are those of the scoreboard."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from wordline.errors import StudyError
from wordline_papers import technique_pages
from wordline_papers.technique_pages import Scores, filled, stale, typed_counts

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "techniques").glob("*.md"))]


def test_no_page_disagrees_with_the_scoreboard() -> None:
    assert not stale(ROOT), "run python3 tools/gen_technique_pages.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_page_has_a_typed_count_of_claims(page: Path) -> None:
    assert not typed_counts(page.read_text(encoding="utf-8"))


def test_a_number_that_disagrees_is_found_and_written_anew(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "papers" / "docs" / "reproduction", tmp_path / "papers" / "docs" / "reproduction")
    page = tmp_path / "docs" / "techniques" / "ofwar.md"
    page.parent.mkdir(parents=True)
    page.write_text("<!-- scoreboard: five ofwar -->99 held<!-- end -->.\n", encoding="utf-8")
    assert stale(tmp_path) == ["ofwar.md"]
    technique_pages.write(tmp_path)
    assert not stale(tmp_path)
    assert "99" not in page.read_text(encoding="utf-8")
    assert typed_counts("here 12 of\nthe 16 claims hold, and 5 of 19 emergent claims") == [
        "12 of the 16 claims", "5 of 19 emergent claims"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "what",
    [
        "five nowhere",
        "labels ida lost",
        "headline ida",
        "value no.claim",
        "count ofwar",
        "findings nothing",
        "reading ida nothing",
    ],
)
def test_a_mark_that_asks_for_nothing_known_is_an_error(what: str) -> None:
    with pytest.raises(StudyError, match="scoreboard: "):
        filled(f"<!-- scoreboard: {what} -->1<!-- end -->", Scores.of(ROOT))
