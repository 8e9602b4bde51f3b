"""What a text promises is there: commands and options, keys, extras, targets; in help, errors, comments and pages."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import typer

import wordline as wl
from docs_playground import ROOT
from wordline.cli.app import build

SOURCES = sorted(
    path
    for pattern in (
        "python/wordline/**/*.py", "crates/*/src/**/*.rs", "papers/**/*.py", "presets/**/*.toml", "examples/**/*.toml",
        "examples/**/*.py", "docs/**/*.md", "papers/**/*.md", "*.md", "tools/*.py", "Makefile", "schemas/*.json",
    )
    for path in ROOT.glob(pattern)
    if not {"node_modules", "site", "target", ".venv"} & set(path.relative_to(ROOT).parts)
)  # fmt: skip
# `wordline` as a command within backquotes, in a block to run, or in a comment.
COMMAND = re.compile(
    r"`(?:\.venv/bin/)?wordline ([a-z-][^`\n]*)`|^[#/! ]*[$#!] +wordline ([a-z]+ [^\n]*)$", re.MULTILINE
)
EXTRA = re.compile(r"wordline\[([a-z,]+)\]")
TARGET = re.compile(r"`make (?:-s )?([a-z][a-z-]*)[`\s]")
KEY = re.compile(r"`([a-z]+\.[a-z_0-9]+)(?: ?= ?[^`]*)?`")
# Files, fields of results and of chips, and what shows a mistake.
NO_KEYS = re.compile(r"\.(rs|py|toml|json|md|xml|flows|synthetic)$|^(ftl\.gc_jobs|read\.drift|ssd\.chanels)$")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def commands() -> Any:  # noqa: ANN401 - typer has its own copy of click's types
    return typer.main.get_command(build())


def mentioned(text: str) -> Iterator[list[str]]:
    """The words of each command that a text names."""
    for quoted, line in COMMAND.findall(text):
        said = (quoted or line).partition(" | ")[0].replace("...", "").rstrip(".:,;\\")
        try:
            yield shlex.split(said)
        except ValueError:
            yield said.split()


def missing(words: list[str]) -> str | None:
    """What of a command is not there."""
    command = commands()
    for number, word in enumerate(words):
        if hasattr(command, "commands"):
            if word.startswith("-"):
                break
            # `explain` is `explain config`, if no other word follows.
            found = command.commands.get(word, command.commands.get("config") if words[0] == "explain" else None)
            if found is None:
                return f"command {word}"
            command = found
            continue
        words = words[number:]
        break
    else:
        return None
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    known |= {"--help", "-h"}
    options = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
    return next((option for option in options if option not in known), None)


def test_commands_that_are_named_exist() -> None:
    every = [(name_of(path), words) for path in SOURCES for words in mentioned(text_of(path))]
    assert [(name, shlex.join(words), what) for name, words in every if (what := missing(words))] == []


def test_enough_commands_are_found() -> None:
    assert sum(1 for path in SOURCES for _ in mentioned(text_of(path))) > 300


def test_a_command_that_is_not_there_is_found() -> None:
    assert missing(["presets", "--chip"]) == "--chip"
    assert missing(["reproduze", "all"]) == "command reproduze"
    assert missing(["trace", "stats", "x"]) == "command stats"
    assert missing(["trace", "stat", "x", "--json"]) is None


def test_extras_and_targets_that_are_named_exist() -> None:
    project: dict[str, Any] = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    extras = {
        (name_of(path), name) for path in SOURCES for found in EXTRA.findall(text_of(path)) for name in found.split(",")
    }
    assert {each for each in extras if each[1] not in {*project["optional-dependencies"], "extra"}} == set()
    known = set(re.findall(r"^([a-z-]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    targets = {(name_of(path), target) for path in SOURCES for target in TARGET.findall(text_of(path))}
    assert {each for each in targets if each[1] not in known} == set()


def test_keys_that_are_named_exist() -> None:
    config = wl.config()
    sections = {key.partition(".")[0] for key in config if "." in key}
    sources = [path for path in SOURCES if path.suffix in (".py", ".rs")]
    named = [(name_of(path), key) for path in sources for key in KEY.findall(text_of(path))]
    named = [each for each in named if each[1].partition(".")[0] in sections and not NO_KEYS.search(each[1])]
    assert [each for each in named if each[1] not in config] == []
