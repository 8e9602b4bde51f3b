"""The protocol: one of five labels for each claim, from its full run and from the full runs of the readings.

Where labels meet, the first of these counts:

1. *inconsistent*: printed numbers of the paper exclude each other;
2. *undecidable*: the interval crosses the tolerance, or nothing that was run in full decides, counted or estimated;
3. *depends*: it holds under some readings that the text supports, not under others, or on a scenario;
4. *held* or *missed*, under every reading.

Each reading is varied alone, the others at their defaults. Short runs decide nothing: a reading that has no full run of
the present results is *due*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from wordline.output.numbers import NOTHING

from .claim_table import amount, answer
from .claims import Verdict, all_claims
from .over_seeds import certainty
from .reading_entry import Entry, Ran
from .readings import Reading, of_study
from .study import Study, find, names

__all__ = ["LABELS", "OF", "Count", "Label", "Standing", "count", "standing", "standings"]

Label = Literal["held", "missed", "depends", "undecidable", "inconsistent"]
LABELS: tuple[Label, ...] = ("held", "missed", "depends", "undecidable", "inconsistent")
OF = "emergent"
"""The kind of claims that the labels are for: nothing is fitted to these."""
CROSSES = "the interval crosses the tolerance"


@dataclass(frozen=True)
class Standing:
    """What is known of a claim.

    Attributes:
        verdict: Under the defaults of all readings.
        label: One of `LABELS`; None if the claim was not measured.
        why: The proof, the reason, or the readings that it depends on with what each of them gives.
        readings: Names of the readings that decide it.
        scenarios: Names of the scenarios that decide it.
        due: Readings and scenarios that reach the claim, and have no full run of the present results.
        ranges: Of each scenario that reaches the claim: the least and the largest value.
    """

    verdict: Verdict
    label: Label | None
    why: str = ""
    readings: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    due: tuple[str, ...] = ()
    ranges: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether a reading that is due may still change the label."""
        return self.label in ("held", "missed") and bool(self.due)

    @property
    def is_scenario(self) -> bool:
        """Whether it depends on scenarios alone."""
        return self.label == "depends" and not self.readings

    @property
    def text(self) -> str:
        """The label as a table has it."""
        if self.label is None:
            return answer(self.verdict)
        if self.is_scenario:
            return f"depends (scenario: {', '.join(self.scenarios)})"
        if self.label == "depends":
            return f"depends ({', '.join((*self.readings, *self.scenarios))})"
        return f"{self.label} so far" if self.is_open else self.label


@dataclass(frozen=True)
class Count:
    """The five numbers of some claims.

    Attributes:
        of: The number of claims with each label.
        scenario: How many of those that depend do so on scenarios alone.
        waiting: How many of those that are held or missed wait for readings in full.
        unmeasured: How many claims have no label.
    """

    of: Mapping[Label, int]
    scenario: int = 0
    waiting: int = 0
    unmeasured: int = 0

    @property
    def texts(self) -> tuple[str, ...]:
        """The five numbers as a table has them, in the order of `LABELS`."""
        return tuple(
            f"{self.of[label]} ({self.scenario} on scenarios alone)"
            if label == "depends" and self.scenario
            else str(self.of[label])
            for label in LABELS
        )

    @property
    def sentence(self) -> str:
        """The five numbers as a sentence has them, with what they leave out."""
        alone = f" ({self.scenario} of them on scenarios alone)" if self.scenario else ""
        verbs = {"depends": f"depend{alone}"}
        said_all = ", ".join(f"{self.of[label]} {verbs.get(label, label)}" for label in LABELS)
        waiting = f"of those held or missed {self.waiting} wait for full runs of readings" if self.waiting else ""
        unmeasured = f"{self.unmeasured} without a label, not measured or not run" if self.unmeasured else ""
        return "; ".join(filter(None, (said_all, waiting, unmeasured)))


def count(every: Iterable[Standing]) -> Count:
    """Returns the five numbers of some claims."""
    known = list(every)
    return Count(
        {label: sum(each.label == label for each in known) for label in LABELS},
        sum(each.is_scenario for each in known),
        sum(each.is_open for each in known),
        sum(each.label is None for each in known),
    )


def standings(verdicts: Mapping[str, Verdict], readings: Mapping[str, Entry]) -> dict[str, Standing]:
    """Returns the standing of every emergent claim, by id.

    Args:
        verdicts: The verdicts of the full runs, by claim.
        readings: What the readings gave, by study.
    """
    every = [find(name) for name in names()]
    return {
        name: standing(verdicts.get(name, Verdict(claim)), every, readings)
        for name, claim in all_claims().items()
        if claim.kind == OF
    }


def standing(verdict: Verdict, studies: Sequence[Study], readings: Mapping[str, Entry]) -> Standing:
    """Returns the standing of a claim."""
    name = verdict.claim.id
    for study in studies:
        if name in study.inconsistent:
            return Standing(verdict, "inconsistent", study.inconsistent[name])
    for study in studies:
        if name in study.undecidable:
            estimated = _estimated(verdict, of_study(study), readings.get(study.name))
            if estimated is None:
                return Standing(verdict, "undecidable", study.undecidable[name])
            verdict = estimated
    if verdict.holds is None:
        return Standing(verdict, None)
    if certainty(verdict) == "barely":
        return Standing(verdict, "undecidable", CROSSES)
    declared = [reading for study in studies if study.name == verdict.study for reading in of_study(study)]
    return _by_readings(verdict, declared, readings.get(verdict.study))


def _estimated(verdict: Verdict, declared: Sequence[Reading], entry: Entry | None) -> Verdict | None:
    """Returns what an estimate in full says of a claim that counting does not decide; None without one."""
    for reading in declared:
        ran = entry.ran.get(reading.name) if entry and reading.is_estimate else None
        if ran is not None and not ran.quick and reading.default in (columns := _columns(ran, verdict)):
            return columns[reading.default]
    return None


def _by_readings(verdict: Verdict, declared: Sequence[Reading], entry: Entry | None) -> Standing:
    """Returns the standing of a claim that the full run decides under the defaults."""
    deciding: dict[str, str] = {}
    due, ranges = [], {}
    for reading in declared:
        if not reading.is_open or not _reaches(reading, verdict, declared, entry):
            continue
        ran = entry.ran.get(reading.name) if entry else None
        is_known = ran is not None and is_current(reading, ran, verdict)
        columns = _columns(ran, verdict) if ran is not None and is_known else {}
        columns = {name: found for name, found in columns.items() if name in reading.supported}
        if len(columns) < len(reading.supported):
            due.append(reading.name)
        if len({each.holds for each in columns.values()}) > 1:
            deciding[reading.name] = _sides(columns)
        if reading.is_scenario and columns:
            ranges[reading.name] = _range(columns.values())
    scenarios = {reading.name for reading in declared if reading.is_scenario}
    label: Label = "depends" if deciding else "held" if verdict.holds else "missed"
    return Standing(
        verdict,
        label,
        "; ".join(f"{name}: {sides}" for name, sides in deciding.items()),
        tuple(name for name in deciding if name not in scenarios),
        tuple(name for name in deciding if name in scenarios),
        tuple(due),
        ranges,
    )


def is_current(reading: Reading, ran: Ran, verdict: Verdict) -> bool:
    """Says whether the runs of a reading are full and agree with the full run of the study.

    They agree if the default gives the same verdict in both: otherwise results have changed since one of them.
    """
    columns = _columns(ran, verdict)
    return not ran.quick and reading.default in columns and columns[reading.default].holds == verdict.holds


def _columns(ran: Ran, verdict: Verdict) -> dict[str, Verdict]:
    """Returns a claim's verdict under each alternative of a reading that was run."""
    name = verdict.claim.id
    return {other: each for other, own in ran.alternatives.items() for each in own if each.claim.id == name}


def _reaches(reading: Reading, verdict: Verdict, declared: Sequence[Reading], entry: Entry | None) -> bool:
    """Says whether a reading can move a claim.

    One that was run reaches the claims whose measurements differ between its alternatives, in short runs, too. One that
    was not, or not for the claim's figure, may reach the claims of others that decide about parts of its own.
    """
    if entry is None:
        return True
    ran = entry.ran.get(reading.name)
    columns = _columns(ran, verdict) if ran is not None else {}
    if set(reading.supported) <= columns.keys():
        return len({str(each.measured) for each in columns.values()}) > 1
    own = {part.name for part in reading.parts}
    return any(
        _columns(entry.ran[other.name], verdict)
        for other in declared
        if other.name in entry.ran and own >= {part.name for part in other.parts}
    )


def _sides(columns: Mapping[str, Verdict]) -> str:
    """Returns what holds under which alternatives, with the values."""

    def side(is_held: bool) -> str:
        of_side = [(name, each) for name, each in columns.items() if each.holds is is_held]
        return ", ".join(f"“{name}” ({_value(each)})" for name, each in of_side)

    return f"holds under {side(True)}; not under {side(False)}"


def _range(columns: Iterable[Verdict]) -> str:
    """Returns the least and the largest value of a claim over some columns."""
    values = [each for each in columns if isinstance(each.measured, int | float)]
    if not values:
        return NOTHING
    ends = (min(values, key=_number), max(values, key=_number))
    return " to ".join(_value(each) for each in ends)


def _number(verdict: Verdict) -> float:
    return float(verdict.measured or 0.0)


def _value(verdict: Verdict) -> str:
    return amount(verdict.measured, verdict.claim.unit)
