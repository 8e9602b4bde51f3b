"""Which published works a run used."""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

__all__ = ["Work", "works_of"]

# What says when a work is used; everything else is a field of its entry.
CONDITIONS = ("keys", "presets", "workloads", "formats")


@dataclass(frozen=True)
class Work:
    """A published work.

    Attributes:
        key: Its BibTeX key.
        kind: BibTeX's type of entry, such as `inproceedings`.
        fields: The entry's fields, in BibTeX's own notation.
    """

    key: str
    kind: str
    fields: Mapping[str, str]


def works_of(
    config: Mapping[str, Any],
    presets: Iterable[str] = (),
    workloads: Iterable[str] = (),
    formats: Iterable[str] = (),
) -> list[Work]:
    """The works that a run used, in the order of the data file; Wordline itself comes first.

    Args:
        config: The run's configuration, by dotted key.
        presets: Names of presets that it was made from.
        workloads: Names of synthetic workloads that it ran.
        formats: Formats of traces that it ran.
    """
    named = {"presets": list(presets), "workloads": list(workloads), "formats": list(formats)}
    used = [key for key, entry in _entries().items() if _is_used(entry, config, named)]
    return [_wordline(), *(_work(key, _entries()[key]) for key in used)]


def _is_used(entry: Mapping[str, Any], config: Mapping[str, Any], named: Mapping[str, list[str]]) -> bool:
    for key, words in entry.get("keys", {}).items():
        if key in config and set(str(config[key]).split("+")) & set(words):
            return True
    return any(
        fnmatch.fnmatchcase(name, pattern)
        for condition, names in named.items()
        for pattern in entry.get(condition, ())
        for name in names
    )


def _entries() -> dict[str, dict[str, Any]]:
    text = resources.files(__package__).joinpath("papers.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _work(key: str, entry: Mapping[str, Any]) -> Work:
    fields = {name: str(value) for name, value in entry.items() if name not in CONDITIONS and name != "type"}
    return Work(key, entry["type"], fields)


def _wordline() -> Work:
    from .._core import __version__

    fields = {
        "author": "{The Wordline authors}",
        "title": "{Wordline}: an {SSD} Simulator whose {NAND} Behaves Like {NAND}",
        "version": __version__,
        "url": "https://github.com/wordline-ssd/wordline",
    }
    return Work("wordline", "software", fields)
