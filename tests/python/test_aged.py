"""What is said of aging: a drive that is not at equilibrium, and a run that is not what its drive was aged to."""

from typing import Any

import pytest

from wordline.output.table import aged as aged_lines
from wordline.stats import steady_as_known
from wordline.stats.aged import differences_from_aging, why_aging_knows_more, why_not_aged, within_rest
from wordline.stats.lifetime import steadier

STEADY = {
    "is_flat": True,
    "drive_writes": 1.3,
    "write_amplification": 4.0,
    "spread": 0.02,
    "change": 0.005,
    "rounds": 6,
    "round_drive_writes": 0.1,
    "old_share": 0.01,
    "drive_writes_left": None,
    "timed": None,
}
TIMED = {"is_level": True, "drive_writes": 0.52, "untimed_write_amplification": 4.2, "write_amplification": 3.1}


def document(
    amplification: float, interval: tuple[float, float] | None = None, **aged: float | dict[str, float] | None
) -> dict[str, Any]:
    low, high = interval or (None, None)
    return {
        "precondition": {"steady": {**STEADY, **aged}},
        "write_amplification": amplification,
        "requests": {"write": 1000},
        # All blocks have 100 MB; aging was level over 60 MB.
        "blocks": {"all": 100},
        "gc": {"erases": 10},
        "written_bytes": {"host": 80_000_000, "erased": 10_000_000},
        "uncertainty": {
            "method": "batches",
            "count": 60,
            "values": {"write_amplification": {"low": low, "high": high}},
        },
    }


@pytest.mark.parametrize(
    ("amplification", "interval", "is_told"),
    [
        (4.1, None, False),  # within 3 %
        (4.4, None, True),
        (4.4, (3.9, 4.9), False),  # within the run's interval
        (4.4, (4.2, 4.6), True),
        (3.2, (3.1, 3.3), True),
    ],
)
def test_a_run_that_differs_from_aging_says_so(
    amplification: float, interval: tuple[float, float] | None, is_told: bool
) -> None:
    lines = list(differences_from_aging(document(amplification, interval)))
    assert len(lines) == is_told
    if is_told:
        assert f"{amplification:.2f}" in lines[0]
        assert "aging 4.00" in lines[0]


def test_a_drive_that_was_not_aged_says_nothing() -> None:
    fresh = document(4.4)
    fresh["precondition"]["steady"] = None
    assert not list(differences_from_aging(fresh))
    assert why_not_aged(fresh) is None


def test_a_drive_that_is_not_at_equilibrium_says_how_far_it_is() -> None:
    assert why_not_aged(document(4.0)) is None
    assert "not flat" in str(why_not_aged(document(4.0, is_flat=False)))
    far = document(4.0, is_flat=False, old_share=0.42, drive_writes_left=61.2)
    assert "42% of the data" in str(why_not_aged(far))
    assert "61 drive writes" in str(why_not_aged(far))
    [(label, text)] = aged_lines(far)
    assert label == "aged"
    assert "not at equilibrium after 1.3 drive writes" in text
    assert "about 61" in text


def test_the_stage_of_aging_that_takes_time_is_told() -> None:
    run = document(3.1, timed=TIMED, write_amplification=3.1)
    (_, first), (label, second) = aged_lines(run)
    assert "3.10" in first
    assert label == ""
    assert (
        "last 0.52 drive writes ran as the run does, with cache and latencies: WA 3.10 (4.20 before it), no trend"
        in second
    )
    assert why_not_aged(run) is None
    [without] = differences_from_aging(document(4.4))
    [with_time] = differences_from_aging(document(3.5, timed=TIMED, write_amplification=3.1))
    assert "precondition.timed_max" in without
    assert "precondition.timed_max" not in with_time
    late = document(3.1, timed={**TIMED, "is_level": False}, is_flat=False)
    assert "not level after 0.5 drive writes with time" in str(why_not_aged(late))
    assert "still changing" in aged_lines(late)[1][1]


def test_a_run_that_begins_from_rest_says_how_much_of_it_is_no_equilibrium() -> None:
    timed = {**TIMED, "rest_bytes": 60_000_000}
    run = document(2.1, timed=timed, write_amplification=3.1)
    run["requests"]["all"] = 20_000
    assert within_rest(run) is not None
    [line] = differences_from_aging(run)
    assert "up to 60.0 MB of writes, 75% of what it wrote" in line
    # 60 of 80 MB are 15,000 of 20,000 requests; as many as before are to be counted behind them.
    assert "--set host.warmup_requests=15000 -n 35000 leaves them out" in line
    assert "2.10 and that of aging 3.10 (-32%)" in line
    assert "for up to 60.0 MB of writes the run needs less GC" in aged_lines(run)[-1][1]
    run["requests"]["warmup"] = 15_000
    [line] = differences_from_aging(run)
    assert "begins from rest" not in line
    assert "in another state" in line
    assert within_rest(run) is None


def test_a_run_whose_beginning_is_from_rest_says_so_within_its_interval() -> None:
    def lines(rest_bytes: int, **more: object) -> list[str]:
        run = document(2.8, (1.5, 4.1), timed={**TIMED, "rest_bytes": rest_bytes}, write_amplification=3.1)
        run |= more
        run["requests"]["all"] = 20_000
        return list(differences_from_aging(run))

    assert lines(3_000_000) == [], "4 % of the run"
    [line] = lines(6_000_000)
    assert "--set host.warmup_requests=1500 leaves them out" in line
    trace = {"workload": {"flows": [{"trace": "t.csv"}]}}
    assert "(a trace or a job must have so many)" in lines(60_000_000, **trace)[0]


@pytest.mark.parametrize(
    ("verdict", "advice"),
    [("steady", "is level, so use its number"), ("drifting", "not level yet"), ("too short", "too short to tell")],
)
def test_a_warning_and_a_verdict_say_the_same(verdict: str, advice: str) -> None:
    run = document(4.4, (4.2, 4.6))
    run["steady"] = {"write_amplification": {"verdict": verdict, "reason": "why"}}
    assert steady_as_known(run) == run["steady"]
    [line] = differences_from_aging(run)
    assert advice in line


def verdict_and_advice(run: dict[str, Any]) -> tuple[str, str]:
    """Judges a run whose values have no trend, and returns what is said of it."""
    run["steady"] = {"response_us": None, "write_amplification": {"verdict": "steady", "reason": "no drift"}}
    run["steady"] = steady_as_known(run)
    [line] = differences_from_aging(run)
    assert "level, so use its number" not in line
    assert steadier(run) == "aging"
    assert run["steady"]["write_amplification"]["verdict"] == "too short"
    return run["steady"]["write_amplification"]["reason"], line


def test_a_number_without_an_interval_is_not_steady_and_not_advised() -> None:
    reason, line = verdict_and_advice(document(3.3, timed=TIMED))
    assert reason == "its interval is not known"
    assert 'use that of aging, or run longer, as with --until "wa ±10%"' in line


def test_a_run_that_wrote_less_than_aging_does_not_replace_its_number() -> None:
    run = document(3.0, (2.9, 3.1), timed=TIMED)
    run["written_bytes"]["host"] = 50_000_000
    reason, line = verdict_and_advice(run)
    assert reason == "it differs by -25% from that of aging, which was level over more writes than the run has"
    assert "use that of aging, or run longer" in line
    run["written_bytes"]["host"] = 70_000_000
    assert why_aging_knows_more(run) is None


def test_a_run_that_is_mostly_from_rest_is_not_taken() -> None:
    run = document(3.0, (2.9, 3.1), timed={**TIMED, "rest_bytes": 60_000_000})
    run["requests"]["all"] = 20_000
    run["steady"] = {"write_amplification": {"verdict": "too short", "reason": "why"}}
    assert steadier(run) == "aging"
    run["requests"]["warmup"] = 15_000
    assert steadier(run) == "run"
