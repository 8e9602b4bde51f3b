"""PR2/AR2: printed best cases that exclude each other, by the queue M/D/1."""

from __future__ import annotations

import pytest

from wordline_papers.pnar2.inconsistent import AR2, BOTH, INCONSISTENT, PR2, load_of, response, saved


def test_the_response_time_is_that_of_pollaczek_and_khinchine() -> None:
    # Half a service time of waiting at a load of 0.5; none without load.
    assert (response(0.0), response(0.5)) == (1.0, 1.5)
    assert saved(PR2, 0.0) == pytest.approx(36 / 127)


def test_the_load_at_which_pr2_saves_its_printed_best_excludes_the_others() -> None:
    load = load_of(PR2, 0.383)
    assert saved(PR2, load) == pytest.approx(0.383)
    assert load == pytest.approx(0.48, abs=0.01)
    assert saved(AR2, load) > 0.181 + 0.06, "AR2 would save more than its printed best and its tolerance"
    assert saved(BOTH, load) > 0.518 + 0.05
    assert "25.7 %" in INCONSISTENT["pnar2.fig14.pr2.max"]
