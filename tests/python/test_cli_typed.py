"""Parsing of arguments: assignments, comma lists, windows, and names that are nearly right."""

import pytest

from wordline.cli.assignment import alternatives, grid, split
from wordline.cli.errors import BadInputError, nearest, unknown
from wordline.cli.explain import chosen
from wordline.cli.run import parse_window
from wordline.config import parse_value


@pytest.mark.parametrize(
    ("text", "value"),
    [("4", 4), ("0.5", 0.5), ("true", True), ("ideal", "ideal"), ('"a b"', "a b"), ("[1, 2]", [1, 2]), ("3ms", "3ms")],
)
def test_a_value_is_toml_or_a_word(text: str, value: object) -> None:
    assert parse_value(text) == value
    assert type(parse_value(text)) is type(value)


def test_commas_in_brackets_and_quotes_do_not_separate() -> None:
    assert alternatives('a, [1, [2, 3]],"x,y",b') == ["a", "[1, [2, 3]]", '"x,y"', "b"]
    assert alternatives("[750.0, 2200.0]") == ["[750.0, 2200.0]"]


def test_comma_lists_make_a_grid_in_the_order_given() -> None:
    single, lists = grid(["read.retry=ideal,baseline", "ssd.channels=4", "nand.program_us=[1.0],[2.0, 3.0]"])
    assert single == ["ssd.channels=4"]
    assert list(lists.items()) == [("read.retry", ["ideal", "baseline"]), ("nand.program_us", [[1.0], [2.0, 3.0]])]


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        (["gc.d"], "no `=`"),
        (["gc.d="], "no value"),
        (["=4"], "no key"),
        (["gc.d=1,,2"], "empty"),
        (["gc.d=1,2,1"], "twice"),
        (["gc.d=1", "gc.d=2"], "set twice"),
    ],
)
def test_a_wrong_grid_says_why_and_what_to_write(assignments: list[str], message: str) -> None:
    with pytest.raises(BadInputError, match=message) as mistake:
        grid(assignments)
    assert assignments[-1] in mistake.value.message
    assert mistake.value.hint


def test_split_keeps_what_follows_the_first_equals_sign() -> None:
    assert split(" workload.name = a=b ") == ("workload.name", "a=b")


def test_a_window_is_two_rising_times() -> None:
    assert parse_window(None) is None
    assert parse_window("0:5e3") == (0.0, 5000.0)
    for wrong in ("5", "5:5", "9:1", "a:b", "-1:4", "0:inf", "nan:3", "0:nan", ":"):
        with pytest.raises(BadInputError, match="not a window"):
            parse_window(wrong)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("pnar", "pnar2"),
        ("AERO", "aero"),
        ("hm_0", "msrc/hm_0"),
        ("hm_00", "msrc/hm_0"),
        ("msr/hm_0", "msrc/hm_0"),
        ("zzzz", None),
    ],
)
def test_the_nearest_name(typed: str, meant: str | None) -> None:
    assert nearest(typed, ["mqsim", "pnar2", "aero", "msrc/hm_0", "msrc/hm_1"]) == meant


def test_an_unknown_name_suggests_and_says_where_all_are() -> None:
    mistake = unknown("preset", "pnar", ["pnar2"], "`wordline presets` lists them all")
    assert mistake.message == "unknown preset `pnar`"
    assert mistake.hint == "did you mean `pnar2`? `wordline presets` lists them all"
    assert unknown("preset", "zzz", ["pnar2"], "all: x").hint == "all: x"


def test_keys_are_chosen_by_name_or_section() -> None:
    known = ["seed", "ssd.channels", "ssd.page_bytes", "gc.policy"]
    assert chosen(known, []) == known
    assert chosen(known, ["ssd"]) == ["ssd.channels", "ssd.page_bytes"]
    assert chosen(known, ["gc.policy", "seed"]) == ["seed", "gc.policy"]
    with pytest.raises(BadInputError, match="unknown key") as mistake:
        chosen(known, ["ssd.chanels"])
    assert "did you mean `ssd.channels`?" in mistake.value.hint
    with pytest.raises(BadInputError) as mistake:
        chosen(known, ["channel"])
    assert "did you mean `ssd.channels`?" in mistake.value.hint
