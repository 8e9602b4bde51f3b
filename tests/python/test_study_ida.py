"""The study of IDA: what must come out exactly, and that its grid makes sense."""

from __future__ import annotations

from wordline.studies import run_points
from wordline.studies.claims import Measured, all_claims, judge
from wordline.studies.ida import checked, claims, points, workloads


def test_what_is_exact_comes_out() -> None:
    results = run_points(list(points.lone()), jobs=1)
    results.raise_failures()
    found = {**claims.coding(), **claims.exact(results)}
    exact = {name for name, claim in all_claims().items() if claim.paper == "ida" and claim.kind == "exact"}
    assert set(found) == exact
    for name, value in found.items():
        measured = value if isinstance(value, Measured) else Measured(value)
        assert judge(all_claims()[name], measured), f"{name}: {measured}"


def test_every_workload_of_the_paper_is_there_and_scaled() -> None:
    assert len(workloads.NAMES) == 11
    for name in workloads.NAMES:
        assert workloads.scaled(name)["workload.footprint_bytes"] < workloads.footprint(name)


def test_systems_of_a_part_differ_in_nothing_but_refresh_and_coding() -> None:
    base, *others = points.figure_8(["usr_1"], 1_000)
    for point in others:
        changed = {key for key, value in point.settings.items() if base.settings.get(key) != value}
        assert changed <= {"coding.policy", "coding.ida_error_rate"}


def test_every_part_passes_its_checks_with_power_cuts() -> None:
    grid = [point for point in points.all_points(quick=True) if point.labels.get("trace", "usr_1") in ("usr_1", "hm_0")]
    results = run_points(list(checked.points_of(grid)), jobs=1)
    results.raise_failures()
    assert {row["of"] for row in checked.rows(results)} == {point.labels["part"] for point in grid}
    for outcome in results:
        assert outcome["runs"] == 2 + len(checked.CUTS)
        assert outcome["cuts"] == len(checked.CUTS), "every cut comes while the run goes on"
        merges = outcome.coordinates["settings"].get("coding.policy") == "ida"
        assert (outcome["adjusted_wordlines"] > 0) == merges
    assert sum(row["programs_cut_off"] for row in checked.rows(results)) > len(results)


def test_what_is_invalid_at_the_refresh_is_as_in_table_iv() -> None:
    means = [workloads.invalid_at_refresh(name) for name in workloads.NAMES]
    assert round(192 * (1 - sum(means) / len(means)), 1) == 117.8
