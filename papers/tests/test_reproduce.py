"""`wordline reproduce`: a study's folder, its claims, and the page that lists all claims."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import wordline_papers as studies
from api_helpers import ROOT
from cli_runner import Answer, wordline
from wordline.cli import main
from wordline.errors import StudyError
from wordline_papers import (
    Claim,
    Figure,
    Part,
    Point,
    Table,
    Verdict,
    entry,
    reading_entry,
    scoreboard,
    short_forms,
)
from wordline_papers.cli.reproduce import closing
from wordline_papers.entry import Entry
from wordline_papers.figure import columns
from wordline_papers.reproduction import Reproduction, merged
from wordline_papers.study import measured


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reproduce")


@pytest.fixture(scope="module")
def answer(folder: Path, points_folder: Path) -> Answer:
    return wordline("reproduce", "validation", "--quick", "--out", folder / "out", "--cache", points_folder)


def test_the_closed_forms_hold(answer: Answer, folder: Path) -> None:
    assert answer.code == 0, answer.err
    assert "claims that hold: 5 of 5 exact" in answer.out
    document = json.loads((folder / "out" / "validation" / "claims.json").read_text())
    measured = {row["id"]: (row["measured"], row["holds"]) for row in document["claims"] if row["study"]}
    assert measured == {
        "pnar2.timing.tR": (91.0, True),
        "pnar2.timing.regular_retry": (0.0, True),
        "pnar2.timing.tdma": (16.0, True),
        "ofwar.fig3.slow": (3600.0, True),
        "ofwar.fig3.fast": (300.0, True),
    }
    assert document["command"] == "wordline reproduce validation --quick"


def test_the_folder(answer: Answer, folder: Path) -> None:
    assert answer.code == 0
    place = folder / "out" / "validation"
    table = pq.read_table(place / "results.parquet")
    assert table.num_rows == json.loads((place / "claims.json").read_text())["points"]
    assert {"ssd", "workload", "response_us.read.mean", "part"} <= set(table.column_names)
    for name in ("reads", "queue"):
        for ending in ("svg", "png", "csv"):
            assert (place / "figures" / f"{name}.{ending}").stat().st_size > 100
        with (place / "figures" / f"{name}.csv").open(newline="") as file:
            assert len(list(csv.DictReader(file))) >= 9
    with (place / "claims.csv").open(newline="") as file:
        assert next(row for row in csv.DictReader(file) if row["id"] == "pnar2.timing.tR")["measured"] == "91.0"


def test_the_queue_of_one_die_is_that_of_theory(answer: Answer, folder: Path) -> None:
    assert answer.code == 0
    with (folder / "out" / "validation" / "figures" / "queue.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    # 20,000 requests: the means of long queues still wander.
    for row in rows[:7]:
        assert float(row["simulated_us"]) == pytest.approx(float(row["formula_us"]), rel=0.06)


def test_a_second_run_takes_what_is_there(answer: Answer, folder: Path, points_folder: Path) -> None:
    assert answer.code == 0
    arguments = ("--quick", "--out", folder / "again", "--cache", points_folder)
    again = wordline("reproduce", "validation", "--json", *arguments)
    assert again.code == 0, again.err
    document = json.loads(again.out)
    points = json.loads((folder / "again" / "validation" / "claims.json").read_text())["points"]
    assert f"{points} points, {points} of them kept from before" in again.err
    assert {row["study"] for row in document["claims"]} == {"validation", ""}
    assert {"id", "measured", "holds", "synthetic", "expected", "tol"} <= set(document["claims"][0])
    for name in ("claims.csv", "figures/reads.svg", "figures/queue.png", "figures/queue.csv"):
        here, there = (folder / run / "validation" / name for run in ("out", "again"))
        assert here.read_bytes() == there.read_bytes()


def test_mistakes(tmp_path: Path) -> None:
    unknown = wordline("reproduce", "validatoin", cwd=tmp_path)
    assert unknown.code == 2
    assert "did you mean `validation`?" in unknown.err
    (tmp_path / "out" / "validation").mkdir(parents=True)
    (tmp_path / "out" / "validation" / "mine").write_text("")
    taken = wordline("reproduce", "validation", "--out", "out", cwd=tmp_path)
    assert taken.code == 2
    assert "holds no earlier result" in taken.err


def test_without_a_name_it_lists_the_studies() -> None:
    listed = wordline("reproduce", "--json")
    assert [each["name"] for each in json.loads(listed.out)] == studies.names()


def test_every_study_is_complete() -> None:
    papers = {claim.paper for claim in studies.all_claims().values()}
    for name in studies.names():
        study = studies.find(name)
        assert study.title
        assert set(study.papers) <= papers
        assert study.parts
        for note in study.notes:
            assert note[0].isupper() or note[0] == "`", f"{name}: a note is a whole sentence: {note}"
            assert note.endswith("."), f"{name}: a note is a whole sentence: {note}"


@pytest.mark.verify
@pytest.mark.parametrize("name", studies.names())
def test_every_point_of_the_short_form_resolves(name: str) -> None:
    """A short form that runs says so, too; IDA's paces take half a minute."""
    quick = studies.find(name).points(True)
    assert quick
    for point in quick:
        point.resolve()


@pytest.mark.verify
@pytest.mark.parametrize("name", studies.names())
def test_the_short_form_has_no_more_points(name: str) -> None:
    """IDA's points rest on paces that only simulation finds: minutes in the full form."""
    study = studies.find(name)
    assert len(study.points(True)) <= len(study.points(False))


def test_a_study_that_contradicts_itself_is_an_error() -> None:
    study = studies.find("validation")
    point = Point("mqsim", requests=1)
    parts = [Part("same", lambda _: [point]), Part("same", lambda _: [])]
    both = replace(study, figures=tuple(Figure("all", (part,), lambda _: []) for part in parts))
    with pytest.raises(StudyError, match="two parts are named `same`"):
        both.points(True)
    twice = Table(Figure("check", (), lambda _: [], lambda _: {"rif.order": True}), [])
    with pytest.raises(StudyError, match=r"`rif\.order` is measured by another figure"):
        measured([twice, twice])
    with pytest.raises(StudyError, match="a row is a dataclass"):
        columns(3)


def test_what_needs_no_requests_is_not_synthetic() -> None:
    point = Point("mqsim", workload="fio/random-read", requests=1)
    ran = studies.run_points([point, replace(point, labels={"part": "runs"})], jobs=1)
    figure = Figure("waste", (Part("runs", lambda _: [point]),), lambda _: [], lambda _: {"rif.channel.waste": 0.1})
    assert figure.table(ran).claims()["rif.channel.waste"].synthetic is True
    assert figure.table(ran[:1]).claims()["rif.channel.waste"].synthetic is None


def test_selecting() -> None:
    assert [study.name for study in studies.select(["all"])] == studies.names()
    assert "validation" in {study.name for study in studies.select(["ofwar"])}
    with pytest.raises(StudyError, match="known: "):
        studies.select(["nothing"])


def reproduction(name: str, found: dict[str, float]) -> Reproduction:
    study = studies.find("validation")
    verdicts = studies.claims.judged(found, name, ["rif"])
    return Reproduction(study, False, studies.Results([]), verdicts)


def test_a_papers_own_study_counts() -> None:
    others = reproduction("validation", {"pnar2.timing.tR": 1.0})
    own = reproduction("pnar2", {"pnar2.timing.tR": 91.0})
    for order in ([others, own], [own, others]):
        verdicts = {verdict.claim.id: verdict for verdict in merged(order)}
        assert verdicts["pnar2.timing.tR"].study == "pnar2"
        assert verdicts["rif.order"].holds is None


def test_several_studies_end_with_what_came_of_all() -> None:
    done = [reproduction("validation", {"pnar2.timing.tR": 1.0}), reproduction("pnar2", {"pnar2.timing.tR": 91.0})]
    assert closing(done, Path("out")).startswith("2 studies, claims that hold: 1 of 1 exact;")
    assert closing(done, Path("out")).endswith("their reports: out/*/report.html")


SHORT, OTHER = "0" * 16, "f" * 16


def test_what_was_found_stands_behind_the_claims() -> None:
    told = Table(Figure("gains", (), lambda _: [], findings=lambda _: ["Gains multiply."]), [])
    found = replace(reproduction("validation", {}), verdicts=[], tables=[told])
    assert "claims" in found.to_dict()
    text = scoreboard.page([Entry.of(found, SHORT, "c0")], {})
    assert f"## {found.study.title}" in text
    assert "- Gains multiply." in text
    without = scoreboard.page([Entry.of(replace(found, tables=()), SHORT, "c0")], {})
    assert found.study.title not in without.partition("| command |")[2]


def page() -> str:
    return (ROOT / "papers" / "docs" / "reproduction.md").read_text(encoding="utf-8")


def test_the_page_is_made_of_the_entries() -> None:
    entries = entry.load(ROOT)
    made = scoreboard.page(list(entries.values()), short_forms.load(), reading_entry.load(ROOT))
    assert page() == made, "run `wordline reproduce all --short-forms`"
    assert list(entries) == sorted(studies.names()), "an entry of a study that does not exist, or a study without one"


def test_the_page_has_every_claim() -> None:
    assert [name for name in studies.all_claims() if f"| `{name}` |" not in page()] == []


@pytest.mark.parametrize("claim", studies.all_claims().values(), ids=lambda claim: claim.id)
def test_the_page_says_of_a_claim_what_the_file_says(claim: Claim) -> None:
    (line,) = (line for line in page().splitlines() if line.startswith(f"| `{claim.id}` |"))
    wanted = scoreboard.line(Verdict(claim))
    fields = {"section": 2, "about": 3, "kind": 4, "paper": 5, "tolerance": 7}
    cut = re.compile(r"(?<!\\)\|")
    here, there = (cut.split(text) for text in (line, wanted))
    assert {name: here[n] for name, n in fields.items()} == {name: there[n] for name, n in fields.items()}


def test_an_entry_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "papers" / "docs").mkdir(parents=True)
    done = reproduction("validation", {"pnar2.timing.tR": 91.0, "pnar2.timing.tdma": 17.0})
    told = Table(Figure("gains", (), lambda _: [], findings=lambda _: ["Gains multiply."]), [])
    written = Entry.of(replace(done, tables=[told]), SHORT, "c0")
    entry.save(written, tmp_path)
    assert entry.load(tmp_path) == {"validation": written}
    path = tmp_path / "papers" / "docs" / "reproduction" / "validation.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"measured": 17.0', '"measured": 16.0'), encoding="utf-8")
    (_, judged) = entry.load(tmp_path)["validation"].verdicts
    assert judged.holds, "verdicts follow the numbers"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(StudyError, match=r"validation.json.*--scoreboard"):
        entry.load(tmp_path)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout without an entry."""
    (tmp_path / "papers" / "docs").mkdir(parents=True)
    return tmp_path


def test_one_study_leaves_the_others_on_the_page(tree: Path) -> None:
    first = reproduction("validation", {"pnar2.timing.tR": 91.0})
    second = replace(reproduction("rif", {"rif.module.latency": 2.5}), study=studies.find("rif"))
    scoreboard.write([first], {"validation": SHORT}, tree)
    written = scoreboard.write([second], {"rif": SHORT}, tree)
    text = written.read_text(encoding="utf-8")
    assert "| `wordline reproduce validation` |" in text
    assert "| `wordline reproduce rif` |" in text


def test_the_page_says_when_a_full_run_is_due(tree: Path) -> None:
    done = reproduction("validation", {"pnar2.timing.tR": 91.0})
    written = scoreboard.write([done], {"validation": SHORT}, tree)
    assert written == tree / "papers" / "docs" / "reproduction.md"
    assert short_forms.load(tree) == {"validation": SHORT}
    assert scoreboard.DUE not in written.read_text(encoding="utf-8")
    assert "validation" not in scoreboard.due(tree)
    assert "rif" in scoreboard.due(tree), "it has no run at all"
    scoreboard.renew({"validation": OTHER}, tree)
    (line,) = (line for line in written.read_text(encoding="utf-8").splitlines() if scoreboard.DUE in line)
    assert line.startswith("| `wordline reproduce validation` |")
    assert "validation" in scoreboard.due(tree)
    scoreboard.write([replace(done, quick=True)], {"validation": SHORT}, tree)
    assert "validation" in scoreboard.due(tree), "a short run is none"


def test_the_list_of_studies_says_what_is_due(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(scoreboard, "due", lambda _: ["rif"])
    assert main(["reproduce"]) == 0
    assert capsys.readouterr().err == f"rif: {scoreboard.DUE}\n"
