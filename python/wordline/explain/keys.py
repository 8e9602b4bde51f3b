"""What there is to know of a key of the configuration: its meaning, its values, and who sets it and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..config import parameters, preset, presets
from ..needs import NEEDS, Need
from .words import words_of

__all__ = ["Key", "SetBy", "about", "choices_of", "condition_text", "find", "is_key", "named"]

PRESET = "preset "
SHORT = {
    "op": "ssd.overprovisioning",
    "qd": "host.queue_depth",
    "iodepth": "host.queue_depth",
    "pe": "reliability.pec",
    "p/e": "reliability.pec",
}
"""Abbreviations of the field, with the key that is meant."""
ALIKE = {"size": "byte"}
"""Words of a question, and the word of the keys for it."""


@dataclass(frozen=True)
class SetBy:
    """A preset that sets a key.

    Attributes:
        preset: Its name.
        value: The value.
        why: The source of the value, or why it was assumed.
    """

    preset: str
    value: Any
    why: str


@dataclass(frozen=True)
class Key:
    """A key.

    Attributes:
        name: The dotted key.
        row: Its declaration, see `config.parameters`.
        choices: Its words with their help, if it takes words.
        conditions: When it has an effect, one line each; empty for always.
        presets: The presets that set it.
        keys: Keys that have an effect only with some value of this one: key, and the values.
        needs: What some of its words need.
    """

    name: str
    row: Mapping[str, Any]
    choices: Mapping[str, str]
    conditions: list[str]
    presets: list[SetBy] = field(default_factory=list)
    keys: list[tuple[str, str]] = field(default_factory=list)
    needs: list[Need] = field(default_factory=list)


def about(name: str) -> Key:
    """Returns what there is to know of a key."""
    row = parameters()[name]
    conditions = [condition_text(each) for each in row["when"] if each]
    keys = [
        (other, ", ".join(map(str, each["values"])) if each["holds"] else f"not {', '.join(map(str, each['values']))}")
        for other, declared in parameters().items()
        for each in declared["when"]
        if each and each["key"] == name
    ]
    needs = [need for need in NEEDS if need.key == name]
    return Key(name, row, choices_of(row["domain"]), conditions, list(_presets(name)), keys, needs)


def _presets(name: str) -> Iterator[SetBy]:
    for each in presets():
        config = preset(each.name)
        origin = config.origin(name)
        if origin.layer.startswith(PRESET):
            yield SetBy(each.name, config[name], origin.comment)


def choices_of(domain: Any) -> dict[str, str]:  # noqa: ANN401 - JSON of the core
    """Returns the words of a key with their help; none if it takes numbers."""
    kind: str
    what: Any
    kind, what = (domain, None) if isinstance(domain, str) else next(iter(domain.items()))
    match kind:
        case "word":
            return {choice["name"]: choice["help"] for choice in what}
        case "joined":
            return {choice["name"]: choice["help"] for part in what for choice in part}
        case "either":
            return {name: text for choice in what for name, text in choices_of(choice).items()}
        case _:
            return {}


def condition_text(condition: Mapping[str, Any]) -> str:
    """Returns when a key has an effect, as text."""
    relation = "=" if condition["holds"] else "other than"
    text = f"{condition['key']} {relation} {' or '.join(map(str, condition['values']))}"
    if condition["or"]:
        other, values = condition["or"]
        text += f", or {other} {relation} {' or '.join(map(str, values))}"
    return text


def find(word: str) -> list[str]:
    """Returns the keys that a word means.

    These are the key itself; else those with this last part or section, or this value; else those with a part of it in
    their name; else those that speak of it, or of all its words.
    """
    return named(word) or _speaking_of(word)


def named(word: str) -> list[str]:
    """Returns the keys that have a word as their name, last part, section, abbreviation or value."""
    rows = parameters()
    asked = word.lower().replace("-", "_")
    if (key := SHORT.get(asked, asked)) in rows:
        return [key]
    steps: tuple[Callable[[str], bool], ...] = (
        lambda key: key.rpartition(".")[2] == asked or key.startswith(f"{asked}."),
        lambda key: asked in choices_of(rows[key]["domain"]) or word.lower() in choices_of(rows[key]["domain"]),
    )
    return next((keys for step in steps if (keys := [key for key in rows if step(key)])), [])


def is_key(word: str) -> bool:
    """Whether a word is a whole key, an abbreviation of one, a section, or a value."""
    keys = named(word)
    asked = word.lower().replace("-", "_")
    return asked in keys or (bool(keys) and all(key.rpartition(".")[2] != asked for key in keys))


def _speaking_of(word: str) -> list[str]:
    rows = parameters()
    asked = word.lower().replace("-", "_")
    steps: tuple[Callable[[str], bool], ...] = (
        lambda key: asked in key.replace("-", "_"),
        # `over-provisioning` and `page size` as one word.
        lambda key: re.sub(r"[\s_]", "", asked) in key.replace("_", ""),
        lambda key: word.lower() in rows[key]["help"].lower() or word.lower() in rows[key]["values"].lower(),
    )
    return next((keys for step in steps if (keys := [key for key in rows if step(key)])), []) or _with_words(word)


def _with_words(text: str) -> list[str]:
    """Returns the keys that speak of all words of a text, in any order; first those with most of them in their name."""
    asked = [ALIKE.get(word, word) for word in words_of(text)]
    ranks = {}
    for key, row in parameters().items():
        name = words_of(key)
        every = {*name, *words_of(f"{row['help']} {row['values']} {row['unit']}")}
        every.update(word for pair in choices_of(row["domain"]).items() for word in words_of(" ".join(pair)))
        if asked and all(_among(word, every) for word in asked):
            ranks[key] = sum(_among(word, name) for word in asked)
    return sorted(ranks, key=lambda key: -ranks[key])


def _among(word: str, known: Iterable[str]) -> bool:
    """Whether a word, or one that begins with it, is among others."""
    return any(each == word or (len(word) > 3 and each.startswith(word)) for each in known)
