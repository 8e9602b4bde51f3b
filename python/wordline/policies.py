"""The policies that an SSD can be given, as the core lists them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from . import _core


@dataclass(frozen=True)
class PolicyInfo:
    """A policy, and how a configuration names it.

    Attributes:
        slot: The decision that it makes, such as `gc`: the folder of the core that it is in.
        key: The key that names it, such as `gc.policy`.
        part: `policy`; of read retry `source` or `modifier`, which `+` joins.
        name: Its name.
        help: What it does, in one line.
        parameters: The keys that it adds to the configuration.
    """

    slot: str
    key: str
    part: str
    name: str
    help: str
    parameters: tuple[str, ...]


def policies(slot: str | None = None) -> list[PolicyInfo]:
    """Every policy, slot by slot; the first of a slot is its plainest.

    Args:
        slot: Those of this slot alone.
    """
    listed = [
        PolicyInfo(
            row["slot"],
            row["key"],
            row["part"],
            row["name"],
            row["help"],
            tuple(f"{row['key'].split('.')[0]}.{parameter['name']}" for parameter in row["parameters"]),
        )
        for row in json.loads(_core.policies())
    ]
    return [info for info in listed if slot in (None, info.slot)]
