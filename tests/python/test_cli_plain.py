"""What is read without typer is what typer reads."""

from __future__ import annotations

import functools
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer.main import get_command

from wordline.cli import with_typer
from wordline.cli.commands import COMMANDS, Place, find, load
from wordline.cli.declared import Command, Option, parameters
from wordline.cli.plain import read
from wordline.cli.run import run

NAMED = [
    (name, *topic) for name, place in COMMANDS.items() for topic in (zip(place) if isinstance(place, dict) else [()])
]
WORDS = ("mqsim", "a.toml", "", "7", "007", "0", "-1", "1.5", "٣", "9" * 30, "a b", "a\nb", "-", "--", "gc.d=1", "é")


def typers(name: tuple[str, ...], words: list[str]) -> dict[str, Any]:
    """The values that typer gives a command."""
    seen: list[dict[str, Any]] = []

    def recording(place: Place) -> Command:
        @functools.wraps(load(place))
        def record(**values: Any) -> None:  # noqa: ANN401 - what the command takes
            seen.append(values)

        return record

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(with_typer, "load", recording)
        get_command(with_typer.build(name[0])).main([*name, *words], prog_name="wordline", standalone_mode=False)
    return seen[0]


def whole(command: Command, values: dict[str, Any]) -> dict[str, Any]:
    """The values with the defaults of what was not given."""
    defaults = {name: each.default for name, each in signature(command).parameters.items()}
    return {**defaults, **values}


@st.composite
def command_lines(draw: st.DrawFn) -> tuple[tuple[str, ...], list[str]]:
    """Command lines, many of them with mistakes."""
    name = draw(st.sampled_from(NAMED))
    command, _ = find(list(name))
    assert command is not None
    names = [n for each in parameters(command) if isinstance(each.declared, Option) for n in each.declared.names]
    return name, draw(st.lists(st.sampled_from([*names, *WORDS]), max_size=6))


@settings(max_examples=400, deadline=None)
@given(command_lines())
@example((("run",), ["--mqsim", "a.xml", "b.xml", "--json", "--set", "a=1", "-s", "b=2"]))
@example((("run",), ["mqsim", "--limit", "7", "--skip", "0", "--out", "there", "--check"]))
@example((("trace", "convert"), ["in.csv", "--to", "native", "out.bin"]))
@example((("reproduce",), ["all", "--full", "a", "--full", "b", "--jobs", "2"]))
@example((("characterize",), ["--blocks", "1000"]))
def test_typer_reads_the_same(line: tuple[tuple[str, ...], list[str]]) -> None:
    name, words = line
    command, rest = find([*name, *words])
    assert command is not None
    assert rest == words
    values = read(command, words)
    if values is not None:
        assert whole(command, values) == typers(name, words)


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ([], {}),
        (["pnar2", "--json"], {"ssd": "pnar2", "json": True}),
        (["--mqsim", "a", "b"], {"mqsim": (Path("a"), Path("b"))}),
        (["-s", "a=1", "p", "--set", "b=2"], {"ssd": "p", "sets": ["a=1", "b=2"]}),
        (["p", "--limit", "12", "-o", "x"], {"ssd": "p", "limit": 12, "out": Path("x")}),
    ],
)
def test_what_is_plain(words: list[str], values: dict[str, Any]) -> None:
    assert read(run, words) == values


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["p", "q"],
        ["p", "--unknown"],
        ["p", "--limit"],
        ["p", "--limit", "0"],
        ["p", "--limit", "two"],
        ["p", "--limit=2"],
        ["p", "--limit", "2", "--limit", "3"],
        ["-sa=1"],
        ["--mqsim", "a"],
        ["--out", "-x"],
        ["--", "p"],
    ],
)
def test_what_is_left_to_typer(words: list[str]) -> None:
    assert read(run, words) is None


def test_what_must_be_given_is_missed() -> None:
    command, rest = find(["ldpc", "--quick"])
    assert command is not None
    assert read(command, rest) is None
    assert read(command, [*rest, "--out", "x"]) == {"quick": True, "out": Path("x")}


def test_a_command_is_found_by_its_name_alone() -> None:
    assert find(["run", "x"]) == (run, ["x"])
    assert find(["explain", "coding"])[0] is not None
    for words in ([], ["rn"], ["--version"], ["trace"], ["trace", "x"], ["explain", "mqsim"]):
        assert find(words)[0] is None
