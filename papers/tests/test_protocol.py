"""The protocol: which label a claim gets from its full run and from the full runs of the readings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from wordline.stats.interval import Interval
from wordline_papers import Part, Study, Verdict, all_claims, protocol
from wordline_papers.protocol import LABELS, OF, Standing, count, standing
from wordline_papers.reading_entry import Entry, Ran
from wordline_papers.readings import Alternative, Reading

# 11.9 % within 4 points.
CLAIM = all_claims()["pnar2.fig14.ar2.avg"]
PART = Part("grid", lambda _: [])
STUDY = Study("tiny", "a tiny study", ("pnar2",), (), ())
BOTH = (Alternative("this", "words", "section 1"), Alternative("that", "words", "section 2"))
READING = Reading("choice", "Which?", (PART,), "this", BOTH)
SCENARIO = replace(READING, name="bursts", alternatives=(*BOTH, Alternative("none")), is_scenario=True)


def verdict(measured: float | None, low: float | None = None, high: float | None = None) -> Verdict:
    """A verdict of the tiny study, with an interval if ends are given."""
    holds = None if measured is None else abs(measured - 0.119) <= 0.04
    interval = None if low is None else Interval(measured or 0.0, low, high, "seeds", 5)
    return Verdict(CLAIM, measured, holds, study="tiny", interval=interval)


def ran(values: Mapping[str, float], *, quick: bool = False) -> Ran:
    """A reading that was run, with the claim's value under each alternative."""
    return Ran(quick, "c0", {name: [verdict(value)] for name, value in values.items()})


def label(
    monkeypatch: pytest.MonkeyPatch, of: Verdict, *readings: Reading, study: Study = STUDY, **runs: Ran
) -> Standing:
    """The standing of the claim in a study with these readings."""
    monkeypatch.setattr(protocol, "of_study", lambda _: readings)
    return standing(of, [study], {"tiny": Entry("tiny", runs)})


def test_a_claim_that_holds_under_every_reading_is_held_and_under_none_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    held = label(monkeypatch, verdict(0.12), READING, choice=ran({"this": 0.12, "that": 0.13}))
    missed = label(monkeypatch, verdict(0.3), READING, choice=ran({"this": 0.3, "that": 0.4}))
    assert (held.label, held.text, missed.label, missed.text) == ("held", "held", "missed", "missed")


def test_a_claim_that_readings_decide_depends_on_them_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    found = label(monkeypatch, verdict(0.12), READING, choice=ran({"this": 0.12, "that": 0.3}))
    assert (found.label, found.text) == ("depends", "depends (choice)")
    assert found.why == "choice: holds under “this” (12.0 %); not under “that” (30.0 %)"


def test_a_scenario_is_a_range_and_counts_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"this": 0.12, "that": 0.13, "none": 0.3}
    found = label(monkeypatch, verdict(0.12), SCENARIO, bursts=ran(values))
    assert (found.label, found.text, dict(found.ranges)) == (
        "depends", "depends (scenario: bursts)", {"bursts": "12.0 % to 30.0 %"},
    )  # fmt: skip
    # The same alternative without any words for it decides nothing where the choice is no scenario.
    reading = replace(SCENARIO, is_scenario=False)
    assert label(monkeypatch, verdict(0.12), reading, bursts=ran(values)).label == "held"
    both = count([found, label(monkeypatch, verdict(0.12), READING, choice=ran({"this": 0.12, "that": 0.3}))])
    assert (both.of["depends"], both.scenario) == (2, 1)
    assert both.texts[LABELS.index("depends")] == "2 (1 on scenarios alone)"
    assert both.sentence == "0 held, 0 missed, 2 depend (1 of them on scenarios alone), 0 undecidable, 0 inconsistent"


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param({}, id="never"),
        pytest.param({"choice": ran({"this": 0.12, "that": 0.3}, quick=True)}, id="short"),
        pytest.param({"choice": ran({"this": 0.3, "that": 0.4})}, id="results-of-before"),
    ],
)
def test_without_full_runs_of_the_present_results_a_reading_is_due_and_decides_nothing(
    monkeypatch: pytest.MonkeyPatch, runs: dict[str, Ran]
) -> None:
    other = replace(READING, name="other")
    found = label(monkeypatch, verdict(0.12), READING, other, other=ran({"this": 0.12, "that": 0.12}), **runs)
    assert (found.label, found.text, found.due) == ("held", "held so far", ("choice",))
    assert count([found]).waiting == 1


def test_an_alternative_that_was_not_run_leaves_the_reading_due(monkeypatch: pytest.MonkeyPatch) -> None:
    third = replace(READING, alternatives=(*BOTH, Alternative("third", is_of_authors=True)))
    found = label(monkeypatch, verdict(0.12), third, choice=ran({"this": 0.12, "that": 0.13}))
    assert found.due == ("choice",)


def test_a_reading_that_ran_for_other_figures_alone_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(READING, name="other")
    elsewhere = Ran(quick=False, commit="c0", alternatives={"this": (), "that": ()})
    runs = {"choice": elsewhere, "other": ran({"this": 0.12, "that": 0.12})}
    found = label(monkeypatch, verdict(0.12), READING, other, **runs)
    assert (found.text, found.due) == ("held so far", ("choice",))


def test_labels_meet_in_the_order_of_the_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = {"choice": ran({"this": 0.12, "that": 0.3})}
    crossing = verdict(0.12, 0.05, 0.19)
    assert label(monkeypatch, verdict(0.12, 0.11, 0.13), READING, **runs).label == "depends"
    found = label(monkeypatch, crossing, READING, **runs)
    assert (found.label, found.why) == ("undecidable", protocol.CROSSES)
    few = replace(STUDY, undecidable={CLAIM.id: "two reads lie beyond"})
    assert label(monkeypatch, verdict(0.12), READING, study=few, **runs).label == "undecidable"
    both = replace(few, inconsistent={CLAIM.id: "the proof"})
    found = label(monkeypatch, crossing, READING, study=both, **runs)
    assert (found.label, found.why) == ("inconsistent", "the proof")


def test_an_estimate_in_full_decides_what_counting_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    few = replace(STUDY, undecidable={CLAIM.id: "two reads lie beyond"})
    bracket = replace(SCENARIO, is_estimate=True)
    values = {"this": 0.12, "that": 0.13, "none": 0.14}
    short = label(monkeypatch, verdict(0.3), bracket, study=few, bursts=ran(values, quick=True))
    assert (short.label, short.why) == ("undecidable", "two reads lie beyond")
    found = label(monkeypatch, verdict(0.3), bracket, study=few, bursts=ran(values))
    assert (found.label, found.verdict.measured) == ("held", 0.12)
    mixed = label(monkeypatch, verdict(0.3), bracket, study=few, bursts=ran({**values, "none": 0.3}))
    assert mixed.text == "depends (scenario: bursts)"


def test_what_was_not_measured_has_no_label(monkeypatch: pytest.MonkeyPatch) -> None:
    found = label(monkeypatch, verdict(None), READING)
    assert (found.label, found.text) == (None, "not measured")
    assert count([found]).unmeasured == 1


def test_every_emergent_claim_is_counted_once() -> None:
    every = protocol.standings({}, {})
    emergent = [claim for claim in all_claims().values() if claim.kind == OF]
    assert len(every) == len(emergent)
    counted = count(every.values())
    assert sum(counted.of.values()) + counted.unmeasured == len(emergent)
