"""The numbers of a run that a fingerprint covers: those of `covered.toml`."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

from wordline.stats.columns import PERCENTILES
from wordline.tables import Columns

__all__ = ["columns", "covered", "values"]


@functools.cache
def covered() -> dict[str, list[str]]:
    """Returns the paths of `numbers` in a document, with `*` for each item of a list or mapping, and `columns`."""
    text = resources.files(__package__).joinpath("covered.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def values(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the covered values of a run's document by path; absent ones are left out."""
    return dict(each for path in covered()["numbers"] for each in _items(document, path.split(".")))


def columns(tables: Mapping[str, Columns]) -> dict[str, tuple[str, bytes, list[str]]]:
    """Returns the covered columns of a run's tables by name."""
    split = (name.partition(".") for name in covered()["columns"])
    return {f"{table}.{name}": tables[table][name] for table, _, name in split if name in tables.get(table, {})}


def _items(place: Any, path: Sequence[str], done: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - JSON
    """Yields what is at a path, each with its own path."""
    if place is None:
        return
    if not path:
        yield done.removeprefix("."), place
    elif path[0] == "*":
        pairs = place.items() if isinstance(place, Mapping) else enumerate(place)
        for key, item in pairs:
            yield from _items(item, path[1:], f"{done}.{key}")
    elif isinstance(place, Mapping):
        item = place.get(path[0])
        if item is None and path[0] in PERCENTILES:
            # Nothing lies beyond it. Fingerprints are older than that: they have the largest value there.
            item = place.get("max")
        yield from _items(item, path[1:], f"{done}.{path[0]}")
