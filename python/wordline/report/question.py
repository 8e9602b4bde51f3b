"""The first line of a report: what was asked, of which SSD, with which requests, when and how."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Sequence
from html import escape

from .. import _core
from ..output.drive_name import drive_name, scaled
from ..output.numbers import NOTHING, count
from .entry import Entry
from .runs import Runs

__all__ = ["first_line"]

NAMED_MAX = 6
"""More values of a key, or more workloads, are counted; more keys are named without their values."""


def first_line(runs: Runs, command: Sequence[str], asked: str = "") -> str:
    """The HTML of the line; `asked` stands in place of what the runs say."""
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
    made = f"Made {now} by Wordline {escape(_core.__version__)}"
    if command:
        made += f": <code>{escape(shlex.join(command))}</code>"
    of_runs = f"{_asked(runs)} {_requests(runs.entries)}" if runs.entries else ""
    return f'<p class="asked">{escape(asked) or of_runs} {made}</p>'


def _asked(runs: Runs) -> str:
    ssd, workload = _named([_ssd(entry) for entry in runs.entries], "SSDs"), _workloads(runs.entries)
    if len(runs.entries) == 1 or not runs.keys:
        return f"How {ssd} serves {workload}."
    # The values of many keys would hide the question.
    has_values = len(runs.keys) <= NAMED_MAX
    keys = [f"<b>{escape(key)}</b>" + (f" ({_values(runs.values_of(key))})" if has_values else "") for key in runs.keys]
    told = f"{', '.join(keys[:-1])} and {keys[-1]}" if len(keys) > 1 else keys[0]
    return f"What {told} {'change' if len(keys) > 1 else 'changes'} for {ssd} under {workload}."


def _values(values: Sequence[str]) -> str:
    values = [value for value in values if value != NOTHING]
    return escape(", ".join(values)) if len(values) <= NAMED_MAX else f"{len(values)} values"


def _ssd(entry: Entry) -> str:
    """The SSD, with the part of it that was simulated, unless that is what the runs differ in."""
    config = entry.result.config
    return drive_name(config) + ("" if "ssd.scale" in entry.settings else scaled(config))


def _named(names: Sequence[str], what: str) -> str:
    different = list(dict.fromkeys(names))
    if len(different) > NAMED_MAX:
        return f"<b>{len(different)} {what}</b>"
    return ", ".join(f"<b>{escape(name)}</b>" for name in different)


def _workloads(entries: Sequence[Entry]) -> str:
    return _named([str(entry.result.workload["name"]) for entry in entries], "workloads")


def _requests(entries: Sequence[Entry]) -> str:
    """How many requests a run has, and whether anybody really asked them."""
    made_up = {entry.result.synthetic for entry in entries}
    numbers = sorted({round(entry.result.document["requests"]["all"]) for entry in entries})
    many = count(numbers[0]) if len(numbers) == 1 else f"{count(numbers[0])} to {count(numbers[-1])}"
    kind = "synthetic" if made_up == {True} else "of a real trace" if made_up == {False} else "synthetic, or of a trace"
    seeds = {len(entry.result.document["options"].get("seeds", ())) for entry in entries} - {0}
    times = f", under {max(seeds)} seeds each" if seeds else ""
    return f'{many} requests a run{times}, <strong class="kind">{kind}</strong>.'
