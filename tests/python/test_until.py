"""Runs as long as the answer needs: fixed checkpoints, goals, limits."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordline as wl
from cli_runner import without_wall, wordline
from wordline.errors import GoalError
from wordline.stats.goals import Goal


@pytest.mark.parametrize(
    ("text", "path", "share"),
    [
        ("read.p99.99 ±2%", "response_us.read.p9999", 0.02),
        ("write.mean+-5 %", "response_us.write.mean", 0.05),
        ("all.p50 +/- 0.5%", "response_us.all.p50", 0.005),
        ("iops ±1%", "iops.all", 0.01),
        ("wa ±3%", "write_amplification", 0.03),
        ("bandwidth_mb_s.read ±3%", "bandwidth_mb_s.read", 0.03),
    ],
)
def test_a_goal_is_a_number_and_a_share(text: str, path: str, share: float) -> None:
    goal = Goal.parse(text)
    assert (goal.path, goal.share) == (path, share)


@pytest.mark.parametrize("text", ["", "read.p99", "read.p99 ±2", "read.p98 ±2%", "speed ±2%", "read.mean ±0%"])
def test_what_is_no_goal_is_said_to_be_none(text: str) -> None:
    with pytest.raises(GoalError, match="goal"):
        Goal.parse(text)


def test_a_run_doubles_until_its_goals_are_met() -> None:
    config, workload = wl.preset("pnar2"), wl.workload("ycsb/a", requests=1000)
    result = wl.run_until(config, workload, goals=["read.mean ±3%"], limit=16)
    until = result.document["until"]
    assert until["is_met"]
    sizes = [each["requests"] for each in until["checkpoints"]]
    assert sizes == [1000 * 2**n for n in range(len(sizes))]
    shares = [each["reached_shares"][0] for each in until["checkpoints"]]
    assert all(share > 0.03 for share in shares[:-1])
    assert shares[-1] <= 0.03
    plain = wl.run(config, wl.workload("ycsb/a", requests=sizes[-1])).to_dict()
    document = result.to_dict()
    del document["until"]
    assert without_wall(document) == without_wall(plain)


def test_a_limit_ends_it_and_a_trace_gets_more_seeds(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    wl.workload("ycsb/a", requests=300).write(trace, wl.preset("pnar2"))
    config = wl.preset("pnar2", pec=1000, retention_months=3)
    result = wl.run_until(config, wl.trace(trace), goals=["read.p99 ±0.001%"], limit=2, jobs=1)
    until = result.document["until"]
    assert not until["is_met"]
    assert [each["seeds"] for each in until["checkpoints"]] == [4, 8]
    assert result.document["uncertainty"]["count"] == 8


def test_the_command_line_says_which(tmp_path: Path) -> None:
    args = ("run", "pnar2", "-w", "ycsb/a", "-s", "workload.requests=500", "--until-limit", "2")
    out = tmp_path / "out"
    answer = wordline(*args, "--until", "read.mean +-50%", "--until", "read.p50 ±0.0001%", "--out", out)
    assert answer.code == 0, answer.err
    assert "read.mean +-50%: met" in answer.err
    assert "limit of 1,000 requests is reached" in answer.err or "read.p50 ±0.0001%: met" in answer.err
    assert wordline("rerun", out).code == 0
    assert wordline(*args, "--until", "read.speed ±2%").code == 2
