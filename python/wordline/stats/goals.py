"""The wanted width of an interval: `read.p99.99 ±2%`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import GoalError
from .columns import PERCENTILES
from .names import path_of
from .run import interval_of

__all__ = ["Goal"]

EXAMPLE = 'write it as "read.p99.99 ±2%", "write.mean +-5%", "iops ±1%" or "wa ±3%"'
FORM = re.compile(r"\s*(?P<name>[\w.]+)\s*(?:±|\+-|\+/-)\s*(?P<percent>\d+(?:\.\d+)?)\s*%\s*")
WHOLE = ("iops", "bandwidth_mb_s", "response_us", "write_amplification", "write_amplification_pages")
"""Numbers that have intervals within a run."""


@dataclass(frozen=True, slots=True)
class Goal:
    """The largest allowed width of an interval (95 %).

    Attributes:
        text: The text of the goal.
        path: The number's dotted path in the document.
        share: The largest allowed longer side of the interval, as a share of the number, such as 0.02.
    """

    text: str
    path: str
    share: float

    @staticmethod
    def parse(text: str) -> Goal:
        """Parses a goal.

        Raises:
            GoalError: The text is not a goal; the message shows the format.
        """
        match = FORM.fullmatch(text)
        if match is None:
            raise GoalError(f"goal `{text}`: {EXAMPLE}")
        share = float(match["percent"]) / 100.0
        if share <= 0:
            raise GoalError(f"goal `{text}`: no interval has no width; give more than 0 %")
        return Goal(" ".join(text.split()), _path(text, match["name"]), share)

    def state(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the number, its interval's longer side as a share, and whether the goal is met."""
        interval = interval_of(document, self.path)
        side = None if interval is None else interval.relative_half_width
        known = side is not None and side != float("inf")
        return {
            "goal": self.text,
            "path": self.path,
            "value": None if interval is None else interval.value,
            "reached_share": side if known else None,
            "is_met": bool(known and side is not None and side <= self.share),
        }


def _path(text: str, name: str) -> str:
    short = path_of(name)
    if short is not None and short.partition(".")[0] in WHOLE and not short.endswith(".max"):
        return short
    head, _, rest = name.partition(".")
    if head in WHOLE and (rest or head.startswith("write_amplification")):
        return name
    known = ", ".join(["mean", *PERCENTILES])
    raise GoalError(f"goal `{text}`: no number `{name}`; all, read or write, then a dot and one of {known}; {EXAMPLE}")
