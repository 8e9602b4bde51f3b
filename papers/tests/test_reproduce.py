"""`wordline reproduce`: a study's folder, its claims, and the page that lists all claims."""

from __future__ import annotations

import csv
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import wordline_papers as studies
from api_helpers import ROOT
from cli_runner import Answer, wordline
from wordline.errors import StudyError
from wordline_papers import (
    Claim,
    Figure,
    Outcome,
    Part,
    Point,
    Store,
    Study,
    Table,
    Verdict,
    entry,
    fingerprint,
    scoreboard,
)
from wordline_papers.cli.reproduce import RUNS_MAX, closing, few_enough, short_form
from wordline_papers.entry import Entry
from wordline_papers.figure import columns
from wordline_papers.reproduction import Reproduction, merged
from wordline_papers.sources import code_hash, core_hash
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


def nothing(study: Study) -> str:
    """The fingerprint of nothing, whatever the study."""
    del study
    return fingerprint.of_content({})


def test_what_was_found_stands_behind_the_claims() -> None:
    told = Table(Figure("gains", (), lambda _: [], findings=lambda _: ["Gains multiply."]), [])
    found = replace(reproduction("validation", {}), verdicts=[], tables=[told])
    assert "claims" in found.to_dict()
    text = scoreboard.page([Entry.of(found, nothing, ROOT)])
    assert f"## {found.study.title}" in text
    assert "- Gains multiply." in text
    without = scoreboard.page([Entry.of(replace(found, tables=()), nothing, ROOT)])
    assert found.study.title not in without.partition("| command |")[2]


def test_a_report_of_many_runs_shows_one_seed() -> None:
    points = [
        Point("pnar2", seed=seed, labels={"part": "all", "number": number})
        for number in range(RUNS_MAX)
        for seed in (3, 2)
    ]
    results = studies.Results([Outcome(point) for point in points])
    shown = few_enough(results)
    assert [o.coordinates["number"] for o in shown] == list(range(RUNS_MAX))
    assert shown.values_of("seed") == [2]
    assert len(few_enough(studies.Results(results[:RUNS_MAX]))) == RUNS_MAX


def test_a_report_of_too_many_runs_shows_whole_parts() -> None:
    sizes = {"first": RUNS_MAX - 10, "too_large": 11, "fits": 10}
    points = [Point("pnar2", labels={"part": name, "number": n}) for name, size in sizes.items() for n in range(size)]
    shown = few_enough(studies.Results([Outcome(point) for point in points]))
    assert shown.values_of("part") == ["first", "fits"]
    assert len(shown) == RUNS_MAX


@pytest.mark.parametrize("name", studies.names())
def test_the_page_is_fresh(name: str, points_folder: Path) -> None:
    """Numbers of an older state of the code must not stand in the documentation."""
    is_fresh = scoreboard.fresh(studies.find(name), lambda it: short_form(it, None, Store(points_folder)))
    assert is_fresh, (
        f"papers/docs/reproduction.md is stale for {name}: its short form gives something else. "
        f"Is the extension built (`make setup`)? Then run `wordline reproduce {name} --scoreboard`"
    )


def page() -> str:
    return (ROOT / "papers" / "docs" / "reproduction.md").read_text(encoding="utf-8")


def test_the_page_is_made_of_the_entries() -> None:
    entries = entry.load(ROOT)
    assert page() == scoreboard.page(list(entries.values()))
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


def test_other_code_that_gives_the_same_leaves_the_page_fresh(answer: Answer, points_folder: Path) -> None:
    assert answer.code == 0
    study, asked = studies.find("validation"), []

    def short(study: Study) -> str:
        asked.append(study.name)
        return short_form(study, 1, Store(points_folder))

    given = short(study)
    other, wrong = "0" * 16, "f" * 16
    done = reproduction("validation", {"pnar2.timing.tR": 91.0})

    def fresh(code: str, core: str, given: str) -> bool:
        its = replace(Entry.of(done, lambda _: given, ROOT), code=code, core=core)
        return its.is_fresh(study, short, ROOT)

    assert fresh(code_hash(study), core_hash(), given)
    assert fresh(code_hash(study), core_hash(), wrong)
    assert asked == ["validation"], "with the same code and core nothing is run"
    for code, core in ((other, core_hash()), (code_hash(study), other), (other, other)):
        assert fresh(code, core, given)
        assert not fresh(code, core, wrong)
    assert asked == ["validation"] * 7


def test_an_entry_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "papers" / "docs").mkdir(parents=True)
    done = reproduction("validation", {"pnar2.timing.tR": 91.0, "pnar2.timing.tdma": 17.0})
    told = Table(Figure("gains", (), lambda _: [], findings=lambda _: ["Gains multiply."]), [])
    written = Entry.of(replace(done, tables=[told]), nothing, ROOT)
    entry.save(written, tmp_path)
    assert entry.load(tmp_path) == {"validation": written}
    path = tmp_path / "papers" / "docs" / "reproduction" / "validation.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"measured": 17.0', '"measured": 16.0'), encoding="utf-8")
    (_, judged) = entry.load(tmp_path)["validation"].verdicts
    assert judged.holds, "verdicts follow the numbers"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(StudyError, match=r"validation.json.*--scoreboard"):
        entry.load(tmp_path)


def test_one_study_leaves_the_others_on_the_page(tree: Path) -> None:
    first = reproduction("validation", {"pnar2.timing.tR": 91.0})
    second = replace(reproduction("rif", {"rif.module.latency": 2.5}), study=studies.find("rif"))
    scoreboard.write([first], nothing, tree)
    written = scoreboard.write([second], nothing, tree)
    assert written is not None
    text = written.read_text(encoding="utf-8")
    assert "| `wordline reproduce validation` |" in text
    assert "| `wordline reproduce rif` |" in text


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout with the sources of the packages and nothing else."""
    for package in ("python/wordline", "papers/wordline_papers"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    (tmp_path / "papers" / "docs").mkdir(parents=True)
    return tmp_path


def test_a_written_page_is_fresh_until_something_else_comes_out(tree: Path) -> None:
    study, other = studies.find("validation"), "f" * 16
    done = replace(reproduction("validation", {"pnar2.timing.tR": 91.0}), study=study)
    written = scoreboard.write([done], nothing, tree)
    assert written == tree / "papers" / "docs" / "reproduction.md"
    assert scoreboard.fresh(study, lambda _: other, tree)
    source = tree / "papers" / "wordline_papers" / "validation" / "requests.py"
    source.write_text(source.read_text(encoding="utf-8").replace("SENSE_US = 75.0", "SENSE_US = 76.0"))
    assert scoreboard.fresh(study, nothing, tree)
    assert not scoreboard.fresh(study, lambda _: other, tree)
    assert scoreboard.write([done], nothing, tree / "python") is None


def test_hashes_are_renewed_where_the_same_comes_out(tree: Path) -> None:
    study = studies.find("validation")
    written = scoreboard.write([reproduction("validation", {"pnar2.timing.tR": 91.0})], nothing, tree)
    assert written is not None
    text = written.read_text(encoding="utf-8")
    source = tree / "papers" / "wordline_papers" / "validation" / "requests.py"
    source.write_text(source.read_text(encoding="utf-8").replace("SENSE_US = 75.0", "SENSE_US = 76.0"))
    assert scoreboard.stamp([study], lambda _: "f" * 16, tree) == ["validation"]
    assert written.read_text(encoding="utf-8") == text
    assert scoreboard.stamp([study, studies.find("rif")], nothing, tree) == ["rif"]
    renewed = written.read_text(encoding="utf-8")
    assert renewed != text
    assert scoreboard.fresh(study, lambda _: "f" * 16, tree), "with the tree's hashes nothing is run"
