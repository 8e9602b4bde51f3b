"""`wordline explain coding`: Fig. 5 and 6 of IDA come out of it, in characters, as JSON and as a figure."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli_runner import wordline
from wordline.output.coding_drawing import drawing

FIG_5 = ("coding", "--set", "coding.scheme=tlc-1-2-4", "--invalid", "lsb")
FIG_6 = ("coding", "--set", "coding.scheme=qlc-1-2-4-8", "--invalid", "bit1,bit2")


def explained(*arguments: str) -> dict[str, Any]:
    answer = wordline("explain", *arguments, "--json")
    assert (answer.code, answer.err) == (0, "")
    document: dict[str, Any] = json.loads(answer.out)
    return document


def pages(document: dict[str, Any], when: str) -> dict[str, list[int]]:
    return {page["page"]: page[when]["read_voltages"] for page in document["pages"]}


def test_fig_5_of_ida() -> None:
    document = explained(*FIG_5)
    assert [state["word"] for state in document["states"]] == ["111", "110", "100", "101", "001", "000", "010", "011"]
    assert [state["target"] for state in document["states"]] == [8, 7, 6, 5, 5, 6, 7, 8]
    assert pages(document, "before") == {"lsb": [4], "csb": [2, 6], "msb": [1, 3, 5, 7]}
    assert pages(document, "after") == {"lsb": [], "csb": [6], "msb": [5, 7]}
    assert document["adjustment"]["share_of_msb_program"] == pytest.approx(0.5)
    assert (document["adjustment"]["from"], document["adjustment"]["to"]) == (5, 8)


def test_fig_6_of_ida() -> None:
    document = explained(*FIG_6)
    assert [state["state"] for state in document["states"] if state["kept"]] == [13, 14, 15, 16]
    counts = {page["page"]: (page["before"]["senses"], page["after"]["senses"]) for page in document["pages"]}
    assert (counts["bit4"], counts["bit3"]) == ((8, 2), (4, 1))


def test_times_are_those_of_the_preset() -> None:
    document = explained("coding", "ida", "--invalid", "lsb,csb")
    msb = document["pages"][2]
    assert (msb["before"]["read_us"], msb["after"]["read_us"]) == (150.0, 50.0)
    assert document["adjustment"]["adjust_us"] == pytest.approx(0.25 * 2300)


def test_the_drawing_shows_both_rows_and_every_move() -> None:
    lines = drawing(explained(*FIG_5), unicode=True)
    before, after = (line for line in lines if "│" in line)
    assert before.split() == ["│111│", "│110│", "│100│", "│101│", "│001│", "│000│", "│010│", "│011│"]
    assert after.split() == ["│-01│", "│-00│", "│-10│", "│-11│"]
    arrows = [line for line in lines if "▶" in line]
    assert [line.split()[-1] for line in arrows] == ["S8", "S7", "S6", "S5"]
    # An arrow ends below the state where it leads, and the box of the row below stands there.
    names = next(line for line in lines if "S1 " in line)
    assert [line.index("▶") for line in arrows] == [names.index(f"S{state}") for state in (8, 7, 6, 5)]
    assert [after.index(f"│-{bits}│") for bits in ("11", "10", "00", "01")] == [line.index("▶") - 2 for line in arrows]
    marks = next(line for line in reversed(lines) if line.startswith("msb ") and "┃" in line)
    labels = lines[lines.index(marks) - 2]
    assert [labels.index(f"V{voltage}") + 1 for voltage in (5, 7)] == [i for i, c in enumerate(marks) if c == "┃"]
    assert any("csb: 2 senses, 75 us before, 1 sense, 75 us after" in line for line in lines)
    plain = drawing(explained(*FIG_5), unicode=False)
    assert all(line.isascii() for line in plain)
    assert len(plain) == len(lines)


def test_a_narrow_terminal_gets_a_list() -> None:
    lines = drawing(explained(*FIG_6), unicode=True, width=80)
    assert "S1 1111  → S16" in lines
    assert max(map(len, lines)) <= 100


def test_without_invalid_pages_every_set_is_listed() -> None:
    answer = wordline("explain", "coding", "--set", "coding.scheme=tlc-2-3-2")
    assert (answer.code, answer.err) == (0, "")
    rows = [line.split() for line in answer.out.splitlines()]
    assert ["none", "2", "3", "2", "-"] in rows
    assert any(row[:4] == ["lsb", "-", "1", "2"] for row in rows)


def test_a_table_of_ones_own() -> None:
    document = explained("coding", "--set", 'coding.scheme=["11", "01", "00", "10"]', "--invalid", "msb")
    assert document["scheme"] == "table"
    assert [state["target"] for state in document["states"]] == [4, 3, 3, 4]


def test_the_figure_comes_with_its_data(tmp_path: Path) -> None:
    for name in ("fig5.svg", "fig6.png"):
        answer = wordline("explain", *(FIG_5 if "5" in name else FIG_6), "--plot", tmp_path / name)
        assert answer.code == 0, answer.err
        assert (tmp_path / name).stat().st_size > 1000
    text = (tmp_path / "fig5.svg").read_text(encoding="utf-8")
    assert all(part in text for part in ("S8", "-11", "csb: 1 sense", "msb: 2 senses"))
    data = (tmp_path / "fig5.data.csv").read_text(encoding="utf-8").splitlines()
    assert data[0] == "state,word,target,read_before,read_after"
    assert data[5] == "5,001,5,msb,msb"
    assert len(data) == 9


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--set", "coding.scheme=tlc-1-2-4", "--invalid", "upper"), "this coding has lsb, csb, msb"),
        (("--set", "coding.scheme=tlc-9"), "tlc-1-2-4"),
        (("--set", 'coding.scheme=["11", "10", "01", "00"]'), "S3 may be `00`"),
        (("--plot", "coding.doc"), "not a format of figures"),
    ],
)
def test_mistakes_say_how_to_mend_them(arguments: tuple[str, ...], said: str) -> None:
    answer = wordline("explain", "coding", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_a_configuration_is_explained_with_and_without_the_word() -> None:
    answers = [wordline("explain", *words, "pnar2", "--key", "gc") for words in ((), ("config",))]
    assert answers[0].out == answers[1].out
    assert answers[0].code == 0
