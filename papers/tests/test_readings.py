"""`wordline reproduce readings`: what the papers leave open, and what holds under each alternative."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import wordline as wl
import wordline_papers as studies
from api_helpers import ROOT
from wordline.cli import main
from wordline.cli.errors import BadInputError
from wordline.config import full_key
from wordline.errors import StudyError
from wordline_papers import (
    Measurement,
    Outcome,
    Part,
    Point,
    Store,
    Study,
    Verdict,
    of_runs,
    reading_entry,
    readings_page,
)
from wordline_papers.cli.readings import named
from wordline_papers.reading_entry import Entry, Ran, lines
from wordline_papers.reading_runs import figures_of, in_force, points_of, verdicts_of
from wordline_papers.readings import Alternative, Reading, of_study
from wordline_papers.rif import single_reads

WITH_READINGS = [study for study in map(studies.find, studies.names()) if of_study(study)]
EVERY = [
    pytest.param(study, reading, id=f"{study.name}-{reading.name}")
    for study in WITH_READINGS
    for reading in of_study(study)
]
# Quotes are short: a few words.
WORDS_MAX = 12


def reads(**settings: float) -> list[Point]:
    """A few lone reads of PR2/AR2's SSD."""
    keys = {"cells.chip": "none", "host.queue_depth": 1, "reliability.retry_steps": 4, "nand.reset_us": 5.0}
    return [Point("pnar2", {**keys, **settings}, "fio/random-read", requests=50, labels={"kind": "lone"})]


def claims(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """The mean read, as if a claim were about it: half of the die's time would not hold."""
    mean = float(rows[0]["response_us.read.mean"])
    assert rows[0].coordinates["reliability.retry_steps"] == 4
    return {"pnar2.timing.tR": 91.0 if mean > 400.0 else mean, "pnar2.timing.tdma": 16.0}


def halved(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """The same claims, computed in another way."""
    return {**claims(rows), "pnar2.timing.tR": 45.5}


LONE = Part("lone", lambda _: reads())
TINY = Study("tiny", "a tiny study", ("pnar2",), (), (of_runs("reads", LONE, claims=claims),))
STEPS = Reading(
    "steps",
    "How many steps does a read take?",
    (LONE,),
    "four",
    (
        Alternative("four", "four steps", "section 1", settings={"reliability.retry_steps": 4}),
        Alternative("none", "no steps", "section 2", settings={"reliability.retry_steps": 0}),
        Alternative("four, halved", "half", "figure 1", figures=(of_runs("reads", LONE, claims=halved),)),
        Alternative("four, by another part", "four", "section 3", parts=(Part("lone", lambda _: reads()),)),
        Alternative("a mind-reader's", why="it would be nice", missing="the core reads no minds"),
    ),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("points"))


@pytest.fixture(scope="module")
def entry(store: Store) -> Entry:
    found = {
        each.name: verdicts_of(TINY, STEPS, each, jobs=1, store=store)
        for each in STEPS.alternatives
        if not each.missing
    }
    return Entry("tiny", {"steps": Ran(quick=True, commit="c0", alternatives=found)})


def test_an_alternative_changes_a_verdict(entry: Entry) -> None:
    found = lines(STEPS, entry.alternatives("steps"))
    assert {name: (line.held, line.measured) for name, line in found.items()} == {
        "four": (1, 1),
        "none": (0, 1),
        "four, halved": (0, 1),
        "four, by another part": (1, 1),
        "a mind-reader's": (None, 0),
    }
    assert found["none"].lost == ("pnar2.timing.tR",)
    # The claim on the transfer is the same under all of them, so the reading does not move it.
    assert [each.claim.id for each in entry.alternatives("steps")["none"]] == ["pnar2.timing.tR", "pnar2.timing.tdma"]
    assert not any(line.gained for line in found.values())


def test_seen_from_the_other_default_the_claim_is_gained(entry: Entry) -> None:
    found = lines(replace(STEPS, default="none"), entry.alternatives("steps"))
    assert found["four"].gained == ("pnar2.timing.tR",)
    assert found["four"].lost == ()


def test_only_points_with_the_settings_of_the_default_change() -> None:
    both = Part("lone", lambda _: [*reads(), *reads(**{"reliability.retry_steps": 2})])  # type: ignore[arg-type]
    study = replace(TINY, figures=(of_runs("reads", both, claims=claims),))
    points = points_of(study, replace(STEPS, parts=(both,)), STEPS.alternatives[1], quick=True)
    assert [each.settings["reliability.retry_steps"] for each in points if isinstance(each, Point)] == [0, 2]
    assert [each.coordinates["reliability.retry_steps"] for each in points] == [4, 2]


def test_a_default_that_no_point_has_is_an_error() -> None:
    usual = Alternative("four", settings={"reliability.retry_steps": 7})
    with pytest.raises(StudyError, match="reading steps: no point has the settings of its default"):
        points_of(TINY, replace(STEPS, alternatives=(usual,)), usual, quick=True)


def test_a_part_in_place_of_another_has_settings_of_its_own() -> None:
    usual = Alternative("four", settings={"reliability.retry_steps": 4})
    own = Alternative("two", parts=(Part("lone", lambda _: reads(**{"reliability.retry_steps": 2})),))  # type: ignore[arg-type]
    points = points_of(TINY, replace(STEPS, alternatives=(usual, own)), own, quick=True)
    assert [each.settings["reliability.retry_steps"] for each in points if isinstance(each, Point)] == [2]


def test_a_default_without_alternative_is_an_error() -> None:
    with pytest.raises(StudyError, match="its default `five` is none of its alternatives"):
        _ = replace(STEPS, default="five").usual


def test_an_entry_is_read_back(entry: Entry, tmp_path: Path) -> None:
    (tmp_path / "papers" / "docs" / "reproduction").mkdir(parents=True)
    reading_entry.save(entry, tmp_path)
    back = reading_entry.load(tmp_path)["tiny"]
    assert lines(STEPS, back.alternatives("steps")) == lines(STEPS, entry.alternatives("steps"))
    (tmp_path / reading_entry.FOLDER / "tiny.json").write_text("{}")
    with pytest.raises(StudyError, match=r"tiny\.json"):
        reading_entry.load(tmp_path)


@pytest.mark.parametrize("study", WITH_READINGS, ids=lambda study: study.name)
def test_names_are_unique(study: Study) -> None:
    readings = of_study(study)
    assert len({reading.name for reading in readings}) == len(readings)
    for reading in readings:
        assert len({each.name for each in reading.alternatives}) == len(reading.alternatives) > 1


def test_an_alternative_runs_where_its_file_is_at_hand(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    measured = Alternative("measured", why="it was measured", file=table)
    assert not measured.can_run
    table.write_text("")
    assert measured.can_run
    assert not replace(measured, missing="the core").can_run


def test_every_paper_has_readings() -> None:
    assert [study.name for study in WITH_READINGS] == ["aero", "ida", "ofwar", "pnar2", "rif"]


@pytest.mark.parametrize(("study", "reading"), EVERY)
def test_readings_resolve(study: Study, reading: Reading) -> None:
    config = wl.config()
    assert reading.usual in reading.alternatives
    assert not reading.usual.missing
    names = {part.name for part in study.parts}
    assert {part.name for part in reading.parts} <= names
    for each in reading.alternatives:
        assert each.quote or each.why
        assert bool(each.quote) == bool(each.where)
        assert len(each.quote.split()) <= WORDS_MAX
        assert {full_key(key) for key in each.settings} <= set(config)
        assert {part.name for part in each.parts} <= {part.name for part in reading.parts}
        assert {figure.name for figure in each.figures} <= {figure.name for figure in figures_of(study, reading)}
        runs_differently = bool(each.settings or each.parts or each.figures or each.missing)
        assert runs_differently or each is reading.usual


@pytest.mark.parametrize(("study", "reading"), EVERY)
def test_the_default_is_what_the_study_does(study: Study, reading: Reading) -> None:
    if reading.usual.settings:
        # The last part: to make the points of IDA's others takes simulations.
        points = reading.parts[-1].points(quick=True)
        assert any(in_force(point, reading.usual.settings) for point in points), study.name


def test_the_page_equals_what_its_entries_give() -> None:
    every = [studies.find(name) for name in studies.names()]
    made = readings_page.page(reading_entry.load(ROOT), every)
    assert (ROOT / readings_page.PAGE).read_text(encoding="utf-8") == made, (
        "run `wordline reproduce readings STUDY --scoreboard`"
    )


def test_entries_are_of_readings_that_exist() -> None:
    for name, its in reading_entry.load(ROOT).items():
        known = {reading.name: reading for reading in of_study(studies.find(name))}
        for reading, ran in its.ran.items():
            runnable = {each.name for each in known[reading].alternatives if not each.missing}
            assert {known[reading].default} < set(ran.alternatives) <= runnable


def test_the_command(
    tmp_path: Path, points_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    second = next(reading for reading in of_study(studies.find("rif")) if reading.name == "second-check")
    # Its lone reads, without the bandwidth runs.
    monkeypatch.setattr("wordline_papers.rif.readings.READINGS", (replace(second, parts=(single_reads.lone_reads,)),))
    place = tmp_path / "out"
    ask = ["reproduce", "readings", "rif", "--quick", "--out", str(place), "--cache", str(points_folder)]
    assert main(ask) == 0
    assert "rif second-check" in capsys.readouterr().out
    with (place / "readings" / "readings.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["alternative"], row["default"]) for row in rows] == [
        ("yes, up to three times", "True"),
        ("no", "False"),
    ]
    assert all(int(row["held"]) <= int(row["measured"]) for row in rows)
    with (place / "readings" / "claims.csv").open(newline="") as file:
        assert {row["claim"] for row in csv.DictReader(file)} == {"rif.module.latency", "rif.timing.on_die"}
    assert "“In-flash read-retry”" in (place / "readings" / "readings.md").read_text(encoding="utf-8")
    assert main([*ask, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [row["alternative"] for row in printed["readings"]] == ["yes, up to three times", "no"]


def test_a_reading_and_an_alternative_may_be_measured_alone() -> None:
    ofwar = studies.find("ofwar")
    (alone,) = named(ofwar, ["gc-priority"], ["never"])
    assert [each.name for each in alone.alternatives] == ["if both have as many live pages", "never"]
    with pytest.raises(BadInputError, match="study ofwar has no reading nonsense"):
        named(ofwar, ["nonsense"], [])
    with pytest.raises(BadInputError, match="there is no alternative `sometimes`"):
        named(ofwar, ["gc-priority"], ["sometimes"])


def test_a_reading_may_be_measured_for_some_figures_alone() -> None:
    aero = studies.find("aero")
    (every,), (alone,) = named(aero, ["wear"]), named(aero, ["wear"], figures=["table4"])
    assert [each.name for each in figures_of(aero, alone)] == ["table4"]
    points = {reading.only: len(points_of(aero, reading, reading.usual, quick=True)) for reading in (every, alone)}
    assert points["table4",] < points[()]
    with pytest.raises(BadInputError, match="reading iops-depth has no figure fig14"):
        named(aero, ["iops-depth"], figures=["fig14"])


def test_what_was_measured_of_other_readings_stays(entry: Entry) -> None:
    before = Entry("ofwar", {"gc-priority": entry.ran["steps"], "gone": entry.ran["steps"]})
    after = Entry("ofwar", {"queue-counts": replace(entry.ran["steps"], commit="c1")})
    assert {name: ran.commit for name, ran in after.over(before).ran.items()} == {
        "gc-priority": "c0",
        "queue-counts": "c1",
    }


def test_a_study_without_readings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "readings", "validation", "--quick", "--out", str(tmp_path / "out")]) == 2
    assert "study validation has no readings" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_settings_are_fitted_to_is_counted_apart() -> None:
    gap, gain = (studies.all_claims()[f"pnar2.fig14.{name}"] for name in ("gap_to_norr", "pnar2.avg"))
    assert (gap.kind, gain.kind) == ("setting", "emergent")

    def verdicts(*, gap_holds: bool, gain_holds: bool) -> list[Verdict]:
        return [
            Verdict(gap, 2.4 if gap_holds else 4.8, gap_holds, study="tiny"),
            Verdict(gain, 0.29 if gain_holds else 0.4, gain_holds, study="tiny"),
        ]

    found = lines(
        STEPS, {"four": verdicts(gap_holds=False, gain_holds=True), "none": verdicts(gap_holds=True, gain_holds=False)}
    )
    assert [(found[name].held, found[name].measured) for name in ("four", "none")] == [(1, 1), (0, 1)]
    assert [(found[name].settings_held, found[name].settings_measured) for name in ("four", "none")] == [(0, 1), (1, 1)]
    # The fitted claim is no gain of the alternative.
    assert (found["none"].gained, found["none"].lost) == ((), ("pnar2.fig14.pnar2.avg",))
    shown = readings_page.cells(STEPS, STEPS.alternatives[1], found["none"], None)
    assert shown[3:5] == ("0 of 1", "1 of 1")
