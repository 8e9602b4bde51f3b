"""`--at-most` and `--at-least`: which row of a comparison is the first that meets a bound, and how sure that is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli_runner import wordline
from test_cli_run import SMALL
from wordline.output.best import best
from wordline.output.bounds import answer, document_of
from wordline.stats.bounds import Bound, meets

TAIL = Bound.parse("read.p99.9=300us", is_most=True)
KEY = "ssd.overprovisioning"


def run_of(p999_us: float | None, side_us: float | None = None, iops: float = 100.0) -> dict[str, Any]:
    """A document with a percentile, and the interval around it, if it is known."""
    ends = (None if side_us is None or p999_us is None else {"low": p999_us - side_us, "high": p999_us + side_us}) or {
        "low": None,
        "high": None,
    }
    return {
        "requests": {"all": 200_000, "read": 200_000},
        "iops": {"all": iops},
        "response_us": {"read": {"p999": p999_us, "max": 900.0}},
        "uncertainty": {"method": "batches", "count": 16, "values": {"response_us": {"read": {"p999": ends}}}},
    }


def said(*runs: dict[str, Any], bounds: tuple[Bound, ...] = (TAIL,)) -> str:
    return answer([({KEY: 0.1 * number}, run) for number, run in enumerate(runs, 1)], bounds)


@pytest.mark.parametrize(
    ("text", "limit"), [("read.p99.9=300", 300), ("read.p99.9 = 0.3ms", 300), ("iops=100k", 1e5), ("wa=2.5", 2.5)]
)
def test_a_bound_has_the_unit_of_results_or_its_own(text: str, limit: float) -> None:
    assert Bound.parse(text, is_most=True).limit == pytest.approx(limit)


@pytest.mark.parametrize("text", ["read.p99.9", "read.p99.9=", "=3", "wa=much", "read.p99<300"])
def test_what_is_no_bound_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no"):
        Bound.parse(text, is_most=True)


def test_a_row_meets_a_bound_for_sure_if_its_whole_interval_does() -> None:
    verdicts = [meets(run, (TAIL,)) for run in (run_of(280, 10), run_of(280, 30), run_of(280), run_of(320, 30))]
    assert verdicts == ["yes", "not sure", "not sure", "no"]
    assert meets(run_of(None), (TAIL,)) == "no"
    least = Bound.parse("iops=100", is_most=False)
    assert (meets(run_of(280, 10), (TAIL, least)), meets(run_of(280, 10, iops=99), (TAIL, least))) == ("yes", "no")


def test_the_answer_is_a_sentence() -> None:
    wanted = "read p99.9 at most 300 us"
    assert said(run_of(400, 9), run_of(280, 9)) == (f"{wanted}: {KEY}=0.2 (280.0 ±9) is the first row that meets it")
    assert said(run_of(400), run_of(280)).endswith("meets it, but how well it is known is not: -n takes more")
    assert said(run_of(295, 9), run_of(280, 9)) == (
        f"{wanted}: {KEY}=0.1 (295.0 ±9) is the first row that meets it, but its interval (95 %) reaches beyond: "
        f"{KEY}=0.2 (280.0 ±9) is the first that surely does"
    )
    assert said(run_of(500, 9), run_of(400, 9)) == f"{wanted}: no row meets it; {KEY}=0.2 (400.0 ±9) is nearest"


def test_of_a_trace_there_is_no_more() -> None:
    assert said({**run_of(280), "workload": {"synthetic": False}}).endswith("is not: a longer trace would tell")


def test_a_sorted_comparison_says_which_is_best_and_which_may_be_by_chance() -> None:
    def of(*runs: dict[str, Any], name: str = "read.p99.9") -> str:
        loads = ({**each, "workload": {"flows": [number]}} for number, each in enumerate(runs))
        rows = [({KEY: 0.1 * number}, each) for number, each in enumerate(loads, 1)]
        return best(rows, (name, ("response_us", "read", "p999")))

    assert of(run_of(280, 9), run_of(400, 9)) == f"least read.p99.9: {KEY}=0.1"
    assert of(run_of(280, 9), run_of(285, 9), run_of(400, 9)).endswith(f"{KEY}=0.1; by chance it may also be {KEY}=0.2")
    assert of(run_of(280, 9), run_of(400)).endswith(f"; not known whether it may be {KEY}=0.2: the run is too short")
    assert of(run_of(400, 9), run_of(280, 9), name="read.p99.9:desc") == f"most read.p99.9: {KEY}=0.1"
    assert of(run_of(None), run_of(None)) == "least read.p99.9: no row has such a number"


def test_json_has_the_verdict_of_each_row() -> None:
    assert document_of([({KEY: 0.1}, run_of(280, 9))], ()) == {}
    assert document_of([({KEY: 0.1}, run_of(400, 9)), ({KEY: 0.2}, run_of(280, 9))], (TAIL,)) == {
        "bounds": [{"number": "response_us.read.p999", "bound": "at most", "limit": 300.0}],
        "meets": ["no", "yes"],
    }


def test_a_comparison_names_the_first_row_and_shows_the_number(tmp_path: Path) -> None:
    config = tmp_path / "small.toml"
    config.write_text(SMALL)
    asked = ("compare", config, "--set", "host.queue_depth=1,4", "--columns", "wa", "--at-least", "iops=1")
    answer = wordline(*asked)
    assert answer.code == 0, answer.err
    assert "IOPS" in answer.out.splitlines()[0]
    assert answer.out.splitlines()[-1].startswith("IOPS at least 1: host.queue_depth=1 (")
    assert json.loads(wordline(*asked, "--json").out)["meets"] == ["yes", "yes"]
    wrong = wordline(*asked, "--at-most", "read.p99<3")
    assert (wrong.code, "write it as read.p99.9=300us" in wrong.err) == (2, True)


def test_a_sort_by_a_number_ends_with_the_best_row(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    load, rates = ("-w", "fio/random-read", "-n", "400"), ("--set", "channel.rate_mb_s=50,1200")
    grid = ("compare", tmp_path / "small.toml", *load, *rates)
    printed = wordline(*grid, "-j", "1", "--columns", "read.mean", "--sort", "read.mean").out
    assert "\nleast read.mean: channel.rate_mb_s=1200" in printed
    assert "least" not in wordline(*grid, "-j", "1", "--sort", "channel.rate_mb_s").out


def test_a_sweep_names_it_too(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    study = tmp_path / "study.toml"
    study.write_text('ssd = "small.toml"\n[grid]\n"host.queue_depth" = [1, 4]\n')
    answer = wordline("sweep", study, "--at-least", "iops=1e9", "--out", tmp_path / "out")
    assert "IOPS at least" in answer.out, answer.err
    assert "no row meets it; host.queue_depth=" in answer.out
