"""The configurations of a report: one whole, and of the others what differs."""

from __future__ import annotations

from html import escape
from typing import Any

from ..output.compare_table import setting_text
from .html import table
from .runs import Runs

__all__ = ["configurations", "patches"]

CONFIGURATIONS_MAX = 40
"""More of them have no row each."""
VALUES_MAX = 8


def configurations(runs: Runs) -> str:
    """Keys in which the runs differ, and the configuration of the first run, which the page turns into any other."""
    if not runs.entries:
        return ""
    choose = '<p><label>Run <select id="config-run"></select></label></p>' if len(runs.entries) > 1 else ""
    return (
        f"{_differences(runs)}<details><summary>All keys of a run</summary>{choose}"
        '<button type="button" data-copy="config">Copy</button>'
        f'<pre id="config" tabindex="0">{escape(runs.entries[0].result.config.to_toml())}</pre></details>'
    )


def patches(runs: Runs) -> list[Any]:
    """For each run the lines that differ from the first one's, by number; all lines where there are fewer or more."""
    whole = [entry.result.config.to_toml().split("\n") for entry in runs.entries]
    patches_of_keys: list[Any] = []
    for lines in whole:
        if len(lines) == len(whole[0]):
            pairs = enumerate(zip(lines, whole[0], strict=True))
            patches_of_keys.append({number: line for number, (line, first) in pairs if line != first})
        else:
            patches_of_keys.append(lines)
    return patches_of_keys


def _differences(runs: Runs) -> str:
    entries = runs.entries
    if len(entries) < 2:
        return ""
    resolved = [{key: setting_text(key, entry.result.config[key]) for key in entry.result.config} for entry in entries]
    keys = [key for key in resolved[0] if len({each.get(key) for each in resolved}) > 1]
    if not keys:
        return "<p>All runs have the same configuration.</p>"
    if len({tuple(each.get(key, "") for key in keys) for each in resolved}) > CONFIGURATIONS_MAX:
        return _by_key(keys, resolved)
    # A row for each configuration, not for each run.
    numbers: dict[tuple[str, ...], list[str]] = {}
    for number, each in enumerate(resolved, 1):
        numbers.setdefault(tuple(each.get(key, "") for key in keys), []).append(str(number))
    rows = [[_runs_text(of), *texts] for texts, of in numbers.items()]
    return table("Keys in which the configurations differ", ["run", *keys], rows, "texts")


def _by_key(keys: list[str], resolved: list[dict[str, str]]) -> str:
    """A row for each key: so many configurations are read one at a time, below."""
    rows = []
    for key in keys:
        values = list(dict.fromkeys(each[key] for each in resolved if key in each))
        more = f", … ({len(values)})" if len(values) > VALUES_MAX else ""
        rows.append([key, ", ".join(values[:VALUES_MAX]) + more])
    return table("Keys in which the configurations differ", ["key", "values"], rows, "texts")


def _runs_text(numbers: list[str]) -> str:
    return ", ".join(numbers) if len(numbers) <= 4 else f"{', '.join(numbers[:3])}, … ({len(numbers)})"
