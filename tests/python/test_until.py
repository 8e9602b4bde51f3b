"""Runs as long as the answer needs: fixed checkpoints, goals, limits."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordline as wl
from cli_runner import without_wall, wordline
from wordline.errors import ConfigError, GoalError
from wordline.progress import ProgressCallback
from wordline.stats.goals import Goal
from wordline.sweeps import Point, Until, run_points


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
    # A number that still changes is not known.
    assert all(share is None or share > 0.03 for share in shares[:-1])
    assert shares[-1] <= 0.03
    plain = wl.run(config, wl.workload("ycsb/a", requests=sizes[-1])).to_dict()
    document = result.to_dict()
    del document["until"]
    assert without_wall(document) == without_wall(plain)


def test_points_of_a_group_have_the_same_length() -> None:
    ssd, reads = wl.preset("pnar2"), wl.workload("ycsb/a")
    goals = {"tight": ("read.mean ±1%",), "loose": ("read.mean ±90%",)}
    points = [
        Point(ssd, {}, reads, requests=1000, until=Until(goals[name], group=group), labels={"place": place})
        for place, (name, group) in enumerate([("tight", 1), ("loose", 1), ("loose", 2)])
    ]
    lengths = [int(each["requests.all"]) for each in run_points(points, jobs=1)]
    alone = wl.run_until(ssd, wl.workload("ycsb/a", requests=1000), goals=goals["tight"])
    assert lengths[:2] == [alone.all.count, alone.all.count]
    assert lengths[2] < lengths[0]
    assert alone.all.count > 1000


def test_a_comparison_runs_on_as_one() -> None:
    ssd, reads = wl.preset("pnar2", pec=1000, retention_months=3), wl.workload("ycsb/a", requests=500)
    grid = {"read.retry": ["ideal", "baseline"]}
    found = wl.compare(ssd, reads, grid, jobs=1, goals=["read.mean ±20%"], limit=8)
    lengths = {each.document["until"]["checkpoints"][-1]["requests"] for each in found}
    assert len(lengths) == 1
    plain = wl.compare(ssd, wl.workload("ycsb/a", requests=lengths.pop()), grid, jobs=1)
    assert [each["response_us.read.mean"] for each in found] == [each["response_us.read.mean"] for each in plain]


def test_only_what_can_run_on_gets_goals(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    wl.workload("ycsb/a", requests=300).write(trace, wl.preset("pnar2"))
    grid = {"read.retry": ["ideal", "baseline"]}
    with pytest.raises(ConfigError, match="seeds"):
        wl.compare(wl.preset("pnar2"), wl.trace(trace), grid, jobs=1, goals=["read.mean ±20%"])
    with pytest.raises(ConfigError, match="seeds"):
        wl.compare(wl.preset("pnar2"), wl.workload("ycsb/a"), grid, jobs=1, seeds=2, goals=["read.mean ±20%"])
    with pytest.raises(GoalError, match="p98"):
        wl.compare(wl.preset("pnar2"), wl.workload("ycsb/a"), grid, jobs=1, goals=["read.p98 ±20%"])


def test_an_interrupt_keeps_the_last_checkpoint() -> None:
    def interrupt(_: wl.Progress) -> None:
        raise KeyboardInterrupt

    # Long enough for the second run to tell of its progress, also on a fast machine.
    first = 150_000
    config, workload = wl.preset("pnar2"), wl.workload("ycsb/a", requests=first)

    def progress(size: int, _: int) -> ProgressCallback | None:
        return interrupt if size > first else None

    result = wl.run_until(config, workload, goals=["read.mean ±0.001%"], progress=progress, keep_partial=True)
    assert result.document["partial"]
    assert [each["requests"] for each in result.document["until"]["checkpoints"]] == [first]
    with pytest.raises(KeyboardInterrupt):
        wl.run_until(config, workload, goals=["read.mean ±0.001%"], progress=progress)


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
