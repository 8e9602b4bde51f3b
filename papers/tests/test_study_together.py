"""The study `together`: its statistics, its grid, and what its quick form finds."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest

from cli_runner import Answer, wordline
from wordline_papers import find
from wordline_papers.together import effects, plan
from wordline_papers.together.plan import ALL, NONE


def noisy(seed: int, gains: dict[str, float], synergy: float) -> dict[plan.Subset, float]:
    """Times where gains multiply, but for those of retry and erase, and every seed has another SSD."""
    pair = {"retry", "erase"}
    return {
        subset: (100.0 + 7.0 * seed)
        / math.prod(gains[name] for name in subset)
        / (synergy if pair <= set(subset) else 1.0)
        * (1.0 + 0.001 * math.sin(seed * 12.9898 + 78.233 * len(subset)))
        for subset in plan.subsets()
    }


def times(synergy: float, seeds: int = 6) -> effects.Times:
    gains = {"retry": 2.0, "coding": 1.2, "program": 1.0, "erase": 1.5}
    runs = [noisy(seed, gains, synergy) for seed in range(seeds)]
    return {subset: [run[subset] for run in runs] for subset in plan.subsets()}


def test_gains_that_multiply_are_no_interaction() -> None:
    found = times(1.0)
    assert effects.alone(found, "retry").factor == pytest.approx(2.0, rel=5e-3)
    assert effects.last(found, "retry").factor == pytest.approx(2.0, rel=5e-3)
    assert effects.alone(found, "retry").sure
    for pair in effects.pairs():
        assert not effects.interaction(found, pair).sure
    assert not effects.unexplained(found).sure
    assert effects.together(found).factor == pytest.approx(2.0 * 1.2 * 1.5, rel=5e-3)


@pytest.mark.parametrize("synergy", [0.8, 1.25])
def test_an_interaction_is_found_where_it_is(synergy: float) -> None:
    found = times(synergy)
    for pair in effects.pairs():
        effect = effects.interaction(found, pair)
        assert effect.sure == (pair == ("retry", "erase"))
    effect = effects.interaction(found, ("retry", "erase"))
    assert effect.low < synergy < effect.high
    assert effects.unexplained(found).factor == pytest.approx(synergy, rel=5e-3)


def test_one_seed_proves_nothing() -> None:
    found = times(1.25, seeds=1)
    assert not effects.interaction(found, ("retry", "erase")).sure
    assert effects.alone(found, "retry").high == math.inf


def test_the_grid_has_every_combination_at_every_place() -> None:
    for quick, size in ((True, plan.QUICK), (False, plan.FULL)):
        main = plan.whole_grid.points(quick)
        places = [tuple(point.coordinates[key] for key in ("load", "pec", "seed", "subset")) for point in main]
        assert len(set(places)) == len(places) == 16 * len(plan.LOADS) * len(size.pecs) * size.seeds
    assert {part.name for part in find("together").parts} == {"grid", "same wear", "retries", "fresh"}
    assert plan.policies(NONE)["read.retry"] == "baseline"
    assert plan.policies(ALL) == {
        "read.retry": "pnar2", "coding.policy": "ida", "program.policy": "ofwar", "erase.scheme": "aero"
    }  # fmt: skip


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory, points_folder: Path) -> tuple[Answer, Path]:
    folder = tmp_path_factory.mktemp("together")
    done = wordline("reproduce", "together", "--quick", "--out", folder / "out", "--cache", points_folder)
    return done, folder / "out" / "together"


def test_its_quick_form_finds_what_the_device_model_says(answer: tuple[Answer, Path]) -> None:
    done, folder = answer
    assert done.code == 0, done.err
    assert "no claim" not in done.out
    document = json.loads((folder / "claims.json").read_text())
    assert document["claims"] == []
    assert len(document["findings"]) >= 8
    assert all(finding.split(":")[0] in done.out for finding in document["findings"])

    def rows(name: str) -> list[dict[str, str]]:
        with (folder / "tables" / f"{name}.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    # A gentler life spares retries, and makes fast programs affordable.
    fresh = {row["combination"]: float(row["retry_senses_per_read"]) for row in rows("fresh") if row["pec"] == "2500"}
    assert fresh["erase"] < fresh["program+erase"] < 1.2 * fresh["none"] < 0.8 * fresh["program"]
    wear = {(row["workload"], row["which"]): float(row["factor"]) for row in rows("wear")
            if (row["measure"], row["combination"]) == ("all", "erase")}  # fmt: skip
    assert wear["read-heavy", "shorter erases"] == pytest.approx(1.0, abs=0.05)
    assert wear["read-heavy", "gentler wear"] > 1.3
    # Reads gain from all but programs where nearly everything is a read.
    alone = {(row["workload"], row["pec"], row["technique"]): float(row["factor"]) for row in rows("gains")
             if (row["which"], row["measure"]) == ("alone", "read")}  # fmt: skip
    for technique in ("retry", "coding", "erase"):
        assert alone["read-heavy", "2500", technique] > 1.05
    assert alone["read-heavy", "2500", "program"] == pytest.approx(1.0, abs=0.02)
    for figure in ("life-all", "life-read", "alone-last", "pairs", "steps"):
        assert (folder / "figures" / f"{figure}.svg").stat().st_size > 1000
