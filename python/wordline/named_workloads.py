"""Synthetic workloads by name: their texts, and the layers of a configuration that they replace."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

from . import _core
from .config import Config, Layer, Origin, setting
from .errors import UnknownWorkloadError
from .listed import Listed

__all__ = ["WorkloadInfo", "full_name", "info_of", "replacing", "texts", "workloads"]


@dataclass(frozen=True, slots=True)
class WorkloadInfo:
    """A named synthetic workload.

    Attributes:
        name: The argument for `workload`, such as `msrc/hm_0`.
        source: The source of its numbers.
        published: Its published values, one entry per paper.
        text: The TOML.
    """

    name: str
    source: str
    published: list[dict[str, Any]] = field(repr=False)
    text: str = field(repr=False)


def workloads() -> list[WorkloadInfo]:
    """Returns every named workload, sorted by name."""
    return Listed(map(info_of, texts()), ("name", "source"))


@functools.cache
def texts() -> dict[str, str]:
    """The texts of all named workloads."""
    return dict(_core.workload_presets())


@functools.cache
def info_of(name: str) -> WorkloadInfo:
    """Returns what is known of a named workload."""
    import tomllib

    text = texts()[name]
    table = tomllib.loads(text)
    return WorkloadInfo(name, table["source"], table.get("published", []), text)


def full_name(name: str) -> str:
    """Returns the name of a workload of which the last part may be given alone.

    Raises:
        UnknownWorkloadError: There is none.
    """
    if not isinstance(name, str):
        raise UnknownWorkloadError(f"a {type(name).__name__} is no workload's name; `workloads()` lists them")
    known = texts()
    if name in known:
        return name
    short = [full for full in known if full.rpartition("/")[2] == name]
    if len(short) == 1:
        return short[0]
    import difflib

    close = short or difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"; did you mean {' or '.join(f'`{full}`' for full in close)}?" if close else ""
    raise UnknownWorkloadError(f"unknown workload `{name}`{hint}; `wordline workloads` lists all", file=name)


@functools.lru_cache(64)
def replacing(files: tuple[Layer, ...], name: str) -> tuple[Layer, ...]:
    """Returns layers that set `[workload]` to that of a named workload, whatever files contain."""
    base, base_origins = _base()
    table, text = _table_of(info_of(name).text)
    changed_keys = [
        key
        for key, origin in Config(files).origins().items()
        if key.startswith("workload.") and origin != base_origins[key] and key.partition(".")[2] not in table
    ]
    named = [] if "name" in table else [setting("workload.name", name)]
    return (*(setting(key, base[key]) for key in changed_keys), Layer(f"workload {name}", text), *named)


@functools.cache
def _table_of(whole: str) -> tuple[dict[str, Any], str]:
    """Returns the table `[workload]` of a named workload, and its text, with the line numbers of the file."""
    import tomllib

    lines = whole.splitlines()
    start = lines.index("[workload]")
    table: dict[str, Any] = tomllib.loads(whole)["workload"]
    return table, "\n" * start + "\n".join(lines[start:])


@functools.cache
def _base() -> tuple[Config, dict[str, Origin]]:
    """The built-in base, and where its keys come from."""
    base = Config([])
    return base, base.origins()
