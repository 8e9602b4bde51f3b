"""The files that a run reads, and whether something that is about to be written would take the place of one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .config import Config
from .files import is_same

if TYPE_CHECKING:
    from .document import Document

__all__ = ["Input", "clash", "inputs_of", "inputs_of_run"]

Input = tuple[str, str]
"""A path, and who names it."""


def inputs_of(config: Config, forms: Sequence[Mapping[str, Any]] = ()) -> list[Input]:
    """Returns the files of a configuration, and those of flows in the form of a result."""
    named = [(path, "the configuration") for path in config.sources()]
    named += [(path, key) for key, path in config.files()]
    for form in forms:
        named += [(path, "the workload") for path in form.get("paths", ())]
        if "fio" in form:
            named.append((form["fio"]["file"], "the workload"))
    return named


def inputs_of_run(config: Config, document: Document) -> list[Input]:
    """Returns the files that a run has read, with the state that it began with."""
    state = document["options"].get("load_state")
    began_with = [] if state is None else [(state["path"], "load_state")]
    return [*inputs_of(config, document["workload"]["flows"]), *began_with]


def clash(target: str | os.PathLike[str], named: Iterable[Input]) -> str | None:
    """Returns why something must not be written: it would take the place of one of these files, or of its folder.

    Links are resolved, symbolic and hard ones. None if it would not.
    """
    place = Path(os.path.realpath(target))
    for path, owner in named:
        other = Path(os.path.realpath(path))
        if is_same(place, other):
            return f"would replace {path}, which {owner} names"
        if place.is_dir() and any(is_same(place, parent) for parent in other.parents):
            return f"holds {path}, which {owner} names"
    return None
