"""The slots that a policy in Python can fill, with the methods that it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Slot:
    """A decision of the SSD.

    Attributes:
        policy: The key that selects its policy.
        name: The key that says which policy in Python it is.
        methods: What the core asks.
        defaults: Answers of methods that a policy need not have.
    """

    policy: str
    name: str
    methods: tuple[str, ...]
    defaults: Mapping[str, object]


SLOTS: dict[str, Slot] = {
    "gc": Slot("gc.policy", "gc.external", ("choose",), {}),
    "wear_levelling": Slot("wear.policy", "wear.external", ("choose",), {}),
    "refresh": Slot("refresh.policy", "refresh.external", ("looks_every", "is_due"), {}),
    "folding": Slot("slc.policy", "slc.external", ("takes", "folds"), {"idle_after": None}),
    "placement": Slot("ftl.placement", "ftl.external", ("host",), {"moved": None}),
}
"""By the name that `wordline.policies` gives them."""
