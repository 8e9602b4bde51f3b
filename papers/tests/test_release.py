"""What a release needs beside `make verify`: `make release-check` runs these tests."""

from __future__ import annotations

import pytest

from wordline_papers import scoreboard

pytestmark = pytest.mark.release


def test_every_study_has_a_full_run_of_the_present_results() -> None:
    waiting = scoreboard.due()
    assert waiting == [], f"{scoreboard.DUE}: `wordline reproduce {' '.join(waiting)} --scoreboard`"
