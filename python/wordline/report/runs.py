"""The runs of a report side by side: what they share, and the few keys that tell one from another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..output.compare_table import setting_text
from ..output.numbers import NOTHING
from .entry import Entry

__all__ = ["Runs"]

TEXT_MAX = 32
"""A longer value loses its middle."""
LABEL_MAX = 34
"""Longer labels have no room beside a bar, or in the legend of each chart."""
ALL_MAX = 4
"""So many differing keys are all shown, also those that another one decides, as in a zip."""
LINES_MAX = 8
"""As many runs have a line of their own, each in its colour."""
PANELS_MAX = 12
DASHES_MAX = 3
SAID = ("workload.name", "workload.requests")
"""Keys whose values are in the first line of a report."""


@dataclass(frozen=True)
class Runs:
    """Some runs, named by what differs between them.

    Attributes:
        entries: The runs.
        shared: What was set in all of them to the same value.
        keys: The keys that tell them apart; where there are many, as few as do.
        values: For each run the text of each key's value.
    """

    entries: Sequence[Entry]
    shared: Mapping[str, str]
    keys: Sequence[str]
    values: Sequence[Mapping[str, str]]

    @staticmethod
    def of(entries: Sequence[Entry]) -> Runs:
        """Sorts out what the runs share."""
        texts = [{key: setting_text(key, value) for key, value in entry.settings.items()} for entry in entries]
        names = list(dict.fromkeys(key for each in texts for key in each))
        differing = [key for key in names if len({each.get(key, NOTHING) for each in texts}) > 1]
        shared = _set_in_all(entries) | {key: texts[0].get(key, NOTHING) for key in names if key not in differing}
        short = [key for key in differing if all(len(each.get(key, "")) <= TEXT_MAX for each in texts)]
        are_few = len(differing) <= ALL_MAX and _classes(short, texts) == _classes(differing, texts)
        keys = short if are_few else _telling(differing, texts)
        return Runs(entries, shared, keys, [{key: _short(each.get(key, NOTHING)) for key in keys} for each in texts])

    @property
    def labels(self) -> list[str]:
        """A name for each run: only what differs."""
        if not self.keys:
            return [str(entry.result.workload["name"]) for entry in self.entries]
        if len(self.keys) == 1:
            return [each[self.keys[0]] for each in self.values]
        # What a run does not have says nothing of it.
        return [
            ", ".join(f"{last(key)}={text}" for key, text in each.items() if text != NOTHING) for each in self.values
        ]

    @property
    def short_labels(self) -> list[str]:
        """The same, without the names of the keys where labels with them are long."""
        labels = self.labels
        if len(self.keys) == 1 or max(map(len, labels), default=0) <= LABEL_MAX:
            return labels
        return [", ".join(each.values()) for each in self.values] if self.keys else labels

    def values_of(self, key: str) -> list[str]:
        """The different values of a key, in the order in which they come."""
        return list(dict.fromkeys(each[key] for each in self.values))

    @property
    def view(self) -> dict[str, str | None]:
        """By which key charts are coloured, cut into panels and dashed, until the reader chooses.

        Without a key for colours each run has its own.
        """
        if len(self.entries) <= LINES_MAX:
            return {"colour": None, "panels": None, "dashes": None}
        keys = [key for key in self.keys if key != "seed"]
        colour = next((key for key in keys if len(self.values_of(key)) <= LINES_MAX), None)
        panels = next((key for key in keys if key != colour and len(self.values_of(key)) <= PANELS_MAX), None)
        left = (key for key in keys if key not in (colour, panels))
        dashes = next((key for key in left if len(self.values_of(key)) <= DASHES_MAX), None)
        return {"colour": colour, "panels": panels, "dashes": dashes}


def _set_in_all(entries: Sequence[Entry]) -> dict[str, str]:
    """What single settings, such as `--set`, have set in every run alike; requests are said elsewhere."""
    if not entries:
        return {}
    first, *others = (entry.result.config for entry in entries)
    there = [set(config.layers) for config in others]
    common = [layer for layer in first.layers if layer.is_setting and all(layer in layers for layers in there)]
    keys = dict.fromkeys(layer.text.partition(" = ")[0] for layer in common)
    # The mean over several seeds has the configuration of the first one.
    has_seeds = any("seeds" in entry.result.document["options"] for entry in entries)
    shown_elsewhere = (*SAID, *(["seed"] if has_seeds else []))
    alike = [key for key in keys if key not in shown_elsewhere and all(config[key] == first[key] for config in others)]
    return {key: setting_text(key, first[key]) for key in alike}


def last(key: str) -> str:
    """The last part of a key."""
    return key.rpartition(".")[2]


def _telling(keys: Sequence[str], texts: Sequence[Mapping[str, str]]) -> list[str]:
    """As few of the keys as tell the runs apart as well as all: the wordiest are left out first."""
    kept = list(keys)
    classes = _classes(kept, texts)
    for key in sorted(keys, key=lambda key: -max(len(each.get(key, "")) for each in texts)):
        others = [each for each in kept if each != key]
        if others and _classes(others, texts) == classes:
            kept = others
    return kept


def _classes(keys: Sequence[str], texts: Sequence[Mapping[str, str]]) -> int:
    return len({tuple(each.get(key, NOTHING) for key in keys) for each in texts})


def _short(text: str) -> str:
    return text if len(text) <= TEXT_MAX else f"{text[: TEXT_MAX // 2]}…{text[-TEXT_MAX // 2 + 1 :]}"
