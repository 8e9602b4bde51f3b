"""Axes of a grid: lists of settings, crossed, zipped and repeated over seeds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..config import full_key
from ..errors import ConfigError
from .entries import OWN

__all__ = ["Settings", "cross", "grid", "seeds", "zipped"]

Settings = dict[str, Any]
"""Values by dotted configuration key."""

# More points than this would take years, and fill the memory before the first one runs.
POINTS_MAX = 1_000_000


def grid(axes: Mapping[str, Sequence[Any]]) -> list[Settings]:
    """Returns every combination of the axes' values; the last key varies fastest.

    Raises:
        ConfigError: An axis has no value, or is not a list; or there are too many points.
        UnknownKeyError: A key does not exist, or several keys have this name.
    """
    keys = [name_of(key) for key in axes]
    for key, values in axes.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise ConfigError(
                f"the grid's axis `{key}` is {values!r}: write a list of values, [{values!r}, …]", key=key
            )
        if not values:
            raise ConfigError(f"the grid's axis `{key}` is empty: give it at least one value", key=key)
    _check_count(math.prod(len(list(values)) for values in axes.values()))
    return [dict(zip(keys, values, strict=True)) for values in itertools.product(*axes.values())]


def zipped(axes: Mapping[str, Sequence[Any]]) -> list[Settings]:
    """Combines the axes side by side: all first values, all second values, and so on.

    Raises:
        ConfigError: Axes have different lengths, or no value.
        UnknownKeyError: See `grid`.
    """
    lengths = {key: len(values) for key, values in axes.items()}
    if len(set(lengths.values())) > 1 or 0 in lengths.values():
        counted = ", ".join(f"`{key}` {length}" for key, length in lengths.items())
        raise ConfigError(f"zipped axes have the same number of values, here they have {counted}; even them out")
    keys = [name_of(key) for key in axes]
    return [dict(zip(keys, values, strict=True)) for values in zip(*axes.values(), strict=True)]


def name_of(key: str) -> str:
    """Returns the dotted key of an axis; axes of a sweep that are not keys stay unchanged."""
    return key if key in OWN else full_key(key)


def seeds(count: int, first: int = 1) -> list[Settings]:
    """Returns `count` seeds, starting at `first`: the same point with other variation and other random requests.

    Raises:
        ConfigError: `count` is less than 1, or too large.
    """
    if count < 1:
        raise ConfigError(f"{count} seeds are no point; give at least 1")
    _check_count(count)
    return [{"seed": seed} for seed in range(first, first + count)]


def cross(*lists: Iterable[Mapping[str, Any]]) -> list[Settings]:
    """Returns every combination of the lists' settings, merged; the last list varies fastest.

    Raises:
        ConfigError: Two lists set the same key; or there are too many points.
    """
    all_parts = [list(each) for each in lists]
    _check_count(math.prod(map(len, all_parts)))
    merged = []
    for parts in itertools.product(*all_parts):
        settings: Settings = {}
        for part in parts:
            twice = settings.keys() & part.keys()
            if twice:
                raise ConfigError(f"`{min(twice)}` is set by two parts of the grid; leave it in one of them")
            settings |= part
        merged.append(settings)
    return merged


def _check_count(points: int) -> None:
    if points > POINTS_MAX:
        raise ConfigError(f"{points:,} points are too many for one sweep; give it at most {POINTS_MAX:,}")
