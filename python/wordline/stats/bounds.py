"""What a number of a result may be at most or at least, and whether a run meets it: `read.p99.9=300us`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .. import _core
from .names import path_of, without_unit
from .run import dig, interval_of

__all__ = ["Bound", "Verdict", "meets"]

TIME = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(us|ms|s)")
UNITS_US = {"us": 1.0, "ms": 1e3, "s": 1e6}

Verdict = Literal["yes", "no", "not sure"]
"""`not sure`: the number itself is within the bound, and its interval (95 %) reaches beyond it or is not known."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What a number may be.

    Attributes:
        name: The number's name, as it was given.
        path: Its dotted path in the document.
        limit: The bound itself, in the unit of the document.
        is_most: Whether the number may be at most this; else at least.
    """

    name: str
    path: str
    limit: float
    is_most: bool

    @staticmethod
    def parse(text: str, *, is_most: bool) -> Bound:
        """Parses `NAME=VALUE`. Times are in us, as in results, or have a unit: `300us`, `1ms`.

        Raises:
            ValueError: There is no name or no number.
        """
        name, _, value = (part.strip() for part in text.partition("="))
        if not (name and value):
            raise ValueError("it is no NAME=VALUE")
        time = TIME.fullmatch(value)
        limit = _core.number(value, name) if time is None else float(time[1]) * UNITS_US[time[2]]
        if limit is None:
            raise ValueError(f"{value} is no number")
        return Bound(name, path_of(name) or without_unit(name), float(limit), is_most)

    def verdict(self, document: Mapping[str, Any]) -> Verdict:
        """Returns whether a run meets it; a number that is not known does not."""
        value = dig(document, self.path)
        if not isinstance(value, int | float) or not self._holds(value):
            return "no"
        interval = interval_of(document, self.path)
        if interval is None:
            # Numbers without an interval are counted, but for those of a run that is too short to have any.
            return "not sure" if self.path.startswith("response_us.") else "yes"
        end = interval.high if self.is_most else interval.low
        return "yes" if end is not None and self._holds(end) else "not sure"

    def _holds(self, value: float) -> bool:
        return value <= self.limit if self.is_most else value >= self.limit


def meets(document: Mapping[str, Any], bounds: tuple[Bound, ...]) -> Verdict:
    """Returns whether a run meets all bounds."""
    verdicts = {each.verdict(document) for each in bounds}
    return "no" if "no" in verdicts else "not sure" if "not sure" in verdicts else "yes"
