"""The papers' claims: the file is well-formed, and rows are judged as its head says."""

from __future__ import annotations

from collections import Counter

import pytest

import wordline_papers as studies
from api_helpers import ROOT
from wordline.errors import StudyError
from wordline_papers import Claim, Measured, Verdict, all_claims, claim_table, scoreboard
from wordline_papers.claims import Measurement, judge, judged, parse, said

TEXT = (ROOT / "papers" / "wordline_papers" / "claims.toml").read_text(encoding="utf-8")


def test_the_file_is_well_formed() -> None:
    claims = parse(TEXT, "claims.toml")
    assert claims == all_claims()
    assert list(claims) == list(dict.fromkeys(claims))
    assert set(Counter(claim.paper for claim in claims.values())) == {"pnar2", "ida", "ofwar", "rif", "aero"}
    assert len(claims) >= 150
    for claim in claims.values():
        assert claim.about
        assert claim.about[-1] != "."
        assert claim.section, claim.id
        assert claim.unit or isinstance(claim.value, str), claim.id


GOOD = {"id": "p.a", "section": "1", "about": "x", "kind": "exact", "op": "=", "value": 1.0}


def entry_text(**changes: object) -> str:
    fields = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    return "[[claim]]\n" + "".join(f"{key} = {value!r}\n" for key, value in fields.items())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[claim]", "f.toml: "),
        (entry_text(kind=None), "p.a: no `kind`"),
        (entry_text(colour="red"), "p.a: unknown field `colour`"),
        (entry_text(kind="guess"), "kind = 'guess' is none of exact"),
        (entry_text(op="<"), "op = '<' is none of"),
        (entry_text(unit="furlong"), "unit = 'furlong'"),
        (entry_text(op="order"), "is a text that says what must hold"),
        (entry_text(op="<=", value="small"), "value of a bound is a number"),
        (entry_text(tol=-1.0), "tol is a number"),
        (entry_text(value="a", tol=1.0), "tol is a number"),
        (entry_text() + entry_text(), "comes twice"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    with pytest.raises(StudyError, match=message.replace("[", r"\[")):
        parse(text.replace("True", "true"), "f.toml")


def claim(op: str = "=", value: float | str = 10.0, tol: float = 1.0, kind: str = "exact", unit: str = "us") -> Claim:
    return Claim("pnar2.x", "1", "x", kind, op, value, tol, unit)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("op", "value", "tol", "measured", "holds"),
    [
        ("=", 10.0, 1.0, 11.0, True),
        ("=", 10.0, 1.0, 11.1, False),
        ("=", 10.0, 1.0, 8.9, False),
        ("=", 0.3, 0.0, 0.1 + 0.2, True),
        ("=", 10.0, 1.0, float("nan"), False),
        ("<=", 10.0, 1.0, -50.0, True),
        ("<=", 10.0, 1.0, 11.0, True),
        ("<=", 10.0, 1.0, 11.5, False),
        (">=", 10.0, 1.0, 9.0, True),
        (">=", 10.0, 1.0, 8.5, False),
        ("=", "CSB 1", 0.0, "CSB 1", True),
        ("=", "CSB 1", 0.0, "CSB 2", False),
        ("=", 10.0, 1.0, None, None),
    ],
)
def test_judging(op: str, value: float | str, tol: float, measured: float | str | None, holds: bool | None) -> None:
    assert judge(claim(op, value, tol), Measured(measured)) is holds


def test_judging_orders() -> None:
    order = claim("order", "a > b", 0.0)
    assert judge(order, Measured("a 2, b 1", holds=True)) is True
    assert judge(order, Measured("a 1, b 2", holds=False)) is False
    assert judge(order, Measured(None)) is None
    with pytest.raises(StudyError, match="say whether it holds"):
        judge(order, Measured(2.0))
    with pytest.raises(StudyError, match="was measured"):
        judge(claim(), Measured("text"))


def test_verdicts() -> None:
    measured: dict[str, Measurement] = {
        "pnar2.timing.tR": 91,
        "pnar2.fig14.synergy": False,
        "pnar2.fig14.pr2.avg": Measured(0.5, note="too much load"),
        "pnar2.retry.fresh": Measured(None, synthetic=True, note="the device model has no such condition"),
    }
    full = {name: said(name, given, synthetic=True) for name, given in measured.items()}
    table = {verdict.claim.id: verdict for verdict in judged(full, "mine", ["rif"])}
    assert len(table) == 4 + sum(each.paper == "rif" for each in all_claims().values())
    exact, order, setting = (table[name] for name in list(measured)[:3])
    assert (exact.holds, exact.synthetic, exact.study) == (True, None, "mine")
    assert (order.holds, order.measured, order.synthetic) == (False, "does not hold", True)
    assert (setting.holds, setting.synthetic, setting.note) == (False, True, "too much load")
    assert (table["pnar2.retry.fresh"].holds, table["pnar2.retry.fresh"].synthetic) == (None, True)
    assert table["rif.order"] == Verdict(all_claims()["rif.order"])
    assert exact.to_dict()["expected"] == 91.0
    with pytest.raises(StudyError, match=r"no claim `pnar2\.nothing`"):
        judged({"pnar2.nothing": 1.0}, "mine", [])
    with pytest.raises(StudyError, match="a truth was measured"):
        judged({"pnar2.timing.tR": True}, "mine", [])


def test_verdicts_as_text() -> None:
    measured = {"pnar2.fig14.pr2.avg": 0.18, "pnar2.rpt.range": 0.1, "pnar2.timing.tR": 91.0}
    table = judged({name: said(name, value, synthetic=True) for name, value in measured.items()}, "mine", [])
    texts = {verdict.claim.id: claim_table.cells(verdict)[3:] for verdict in table}
    assert texts == {
        "pnar2.timing.tR": ("91 us", "91 us", "0.5 us", "yes", "-"),
        "pnar2.rpt.range": ("≥ 40.0 %", "10.0 %", "0.5 points", "NO", "-"),
        "pnar2.fig14.pr2.avg": ("17.7 %", "18.0 %", "2 points", "yes", "synthetic"),
    }
    assert claim_table.summary(table) == "claims that hold: 1 of 1 exact, 0 of 1 calibration, 1 of 1 setting"
    assert claim_table.amount(7600, "pec") == "7,600 pec"
    assert claim_table.amount(None, "us") == "-"


def test_the_page_says_what_holds_by_construction_and_why_a_claim_is_not_measured() -> None:
    page = (ROOT / scoreboard.PAGE).read_text(encoding="utf-8")
    known = studies.all_claims()
    every = [studies.find(name) for name in studies.names()]
    constants, unmeasured = (
        {claim: why for study in every for claim, why in getattr(study, which).items()}
        for which in ("constants", "unmeasured")
    )
    assert constants.keys() | unmeasured.keys() <= known.keys()
    for claim, what in constants.items():
        assert f"- `{claim}`: holds by construction: it reads back {what}" in page
    left = {line.split("`")[1] for line in page.splitlines() if line.startswith("|") and "| not measured |" in line}
    assert left
    for claim in left:
        assert f"- `{claim}`: not measured: {unmeasured[claim]}" in page, claim


def test_every_claim_on_the_page_has_the_papers_own_number() -> None:
    page = (ROOT / scoreboard.PAGE).read_text(encoding="utf-8")
    for claim in studies.all_claims().values():
        shown = claim_table.expected(studies.Verdict(claim))
        assert shown
        assert f"| {claim.kind} | {shown.replace('|', chr(92) + '|')} |" in page, claim.id
