"""The policies of an SSD, from the core's list."""

from __future__ import annotations

import json
from dataclasses import dataclass

from . import _core


@dataclass(frozen=True)
class PolicyInfo:
    """A policy, and its name in a configuration.

    Attributes:
        slot: The decision that it makes, such as `gc`: its folder in the core.
        key: The key that selects it, such as `gc.policy`.
        part: `policy`; for read retry `source` or `modifier`, joined with `+`.
        name: Its name.
        help: A description in one line.
        parameters: The keys that it adds to the configuration.
        counters: What it counts of its own in a run, below `counters.policy` of the result: name and meaning.
    """

    slot: str
    key: str
    part: str
    name: str
    help: str
    parameters: tuple[str, ...]
    counters: tuple[tuple[str, str], ...] = ()


def policies(slot: str | None = None) -> list[PolicyInfo]:
    """Returns every policy, slot by slot; the first of a slot is its simplest.

    Args:
        slot: Return only policies of this slot, or of the key that selects them: `gc` or `gc.policy`.
    """
    listed = [
        PolicyInfo(
            row["slot"],
            row["key"],
            row["part"],
            row["name"],
            row["help"],
            tuple(f"{row['key'].split('.')[0]}.{parameter['name']}" for parameter in row["parameters"]),
            tuple((counter["name"], counter["help"]) for counter in row["counters"]),
        )
        for row in json.loads(_core.policies())
    ]
    return [info for info in listed if slot in (None, info.slot, info.key)]
