"""Results are those of papers/short_forms.toml; what moves them renews it, and raises a revision if need be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import wordline_papers as studies
from api_helpers import small
from wordline.sweeps import identity
from wordline.sweeps.outcome import Values
from wordline_papers import Computation, Figure, Part, Point, Store, Study, checkout, fingerprint, short_forms
from wordline_papers.device import calibration

# Seconds together, and every kind of technique. `make verify` runs all.
IN_EVERY_TEST = ("device", "together", "validation")
RENEW = "other results than papers/short_forms.toml; if they are right, run `wordline reproduce all --short-forms`"


def test_every_study_has_one() -> None:
    assert sorted(short_forms.load()) == studies.names()


@pytest.mark.parametrize(
    "name",
    [name if name in IN_EVERY_TEST else pytest.param(name, marks=pytest.mark.verify) for name in studies.names()],
)
def test_results_are_those_of_the_file(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And those that this user's store has under the same revision."""
    monkeypatch.delenv("WORDLINE_CACHE", raising=False)
    found = fingerprint.of_study(studies.find(name), store=Store(studies.default_folder()), keep=False)
    assert found.fingerprint == short_forms.load()[name], f"{name}: {RENEW}"
    assert found.forgotten == (), "raise REVISION in python/wordline/sweeps/revision.py, or a computation's version"


@pytest.mark.parametrize("name", studies.names())
def test_computations_name_a_version(name: str) -> None:
    points = studies.find(name).points(quick=True)
    assert [str(each) for each in points if isinstance(each, Computation) and each.version is None] == []


def of_points(*points: Point | Computation) -> Study:
    part = Part("all", lambda _: points)
    return Study("tiny", "Nothing", (), (), (Figure("all", (part,), lambda _: [], is_saved=False),))


def test_a_revision_that_was_forgotten_is_found(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    sense = Computation(calibration.sense, version=1)
    study = of_points(Point(small(), workload="fio/random-mix", requests=300), sense)
    first = fingerprint.of_study(study, jobs=1, store=store)
    assert first.forgotten == ()
    assert fingerprint.of_study(study, jobs=1, store=store) == first
    key = identity.key(sense)
    assert key is not None
    # As if the function had given something else when this was stored.
    store.put(key, Values({"more": 1}))
    again = fingerprint.of_study(study, jobs=1, store=store)
    assert again.fingerprint == first.fingerprint, "it is computed anew"
    assert len(again.forgotten) == 1
    assert "sense" in again.forgotten[0]
    raised = of_points(replace(sense, version=2))
    assert fingerprint.of_study(raised, jobs=1, store=store).forgotten == ()


def test_a_store_is_only_looked_at_if_asked(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    fingerprint.of_study(of_points(Computation(calibration.sense, version=1)), jobs=1, store=store, keep=False)
    assert not store.folder.exists()


def test_the_commit_says_if_the_tree_has_changes(tmp_path: Path) -> None:
    assert checkout.commit(tmp_path) == "unknown"
    assert len(checkout.commit().rstrip("+")) >= 7
