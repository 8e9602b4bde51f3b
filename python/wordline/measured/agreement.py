"""Simulated numbers beside measured ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .distance import short
from .point import NUMBERS, Numbers, Point
from .quantile import quantile

__all__ = ["Agreement", "Row", "summary"]


@dataclass(frozen=True, slots=True)
class Row:
    """A measured point and what a simulation of it gave."""

    point: Point
    simulated: Numbers

    def ratio(self, name: str) -> float | None:
        """Returns simulated over measured; None where one of them lacks the number."""
        measured, simulated = getattr(self.point.numbers, name), getattr(self.simulated, name)
        return simulated / measured if measured and simulated else None

    def counts(self, name: str) -> bool:
        """Whether a number counts in errors: its point is not in doubt, and it is no percentile of few requests."""
        return not self.point.doubt and not self.point.is_few(name)

    def to_dict(self) -> dict[str, Any]:
        """Returns it for JSON."""
        return {
            "point": self.point.name,
            "where": self.point.where,
            "labels": dict(self.point.labels),
            "doubt": self.point.doubt or None,
            "measured": self.point.numbers.to_dict(),
            "simulated": self.simulated.to_dict(),
            "ratio": {name: self.ratio(name) for name in NUMBERS},
            "few": [name for name in NUMBERS if self.point.is_few(name)],
        }


@dataclass(frozen=True)
class Agreement:
    """How far a drive is from what was measured, point by point.

    Attributes:
        drive: The configuration that was simulated.
        rows: The points.
        warnings: What is to be said of the drive under these loads, such as that it was fitted to other requests.
    """

    drive: str
    rows: list[Row]
    warnings: list[str] = field(default_factory=list)

    def ratios(self, name: str) -> list[float]:
        """Returns simulated over measured of a number, at each point that has both and whose number counts."""
        ratios = [row.ratio(name) for row in self.rows if row.counts(name)]
        return [ratio for ratio in ratios if ratio is not None]

    def errors(self, name: str) -> list[float]:
        """Returns the relative error of a number at each point where it counts."""
        return [abs(ratio - 1) for ratio in self.ratios(name)]

    def median(self, name: str) -> float | None:
        """Returns the median of the relative error, such as of `iops` or `p99_us`."""
        return quantile(self.errors(name), 0.5)

    def p90(self, name: str) -> float | None:
        """Returns the 90th percentile of the relative error."""
        return quantile(self.errors(name), 0.9)

    def summary(self) -> dict[str, dict[str, float | int | None]]:
        """Returns number of points, median and 90th percentile of the relative error of each number."""
        return summary({name: self.errors(name) for name in NUMBERS})

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it for JSON."""
        points = [row.to_dict() for row in self.rows]
        return {"drive": self.drive, "points": points, "error": self.summary(), "warnings": self.warnings}

    def __repr__(self) -> str:
        parts = [f"{name} {short(ratios, 0.5)}" for name in NUMBERS if (ratios := self.ratios(name))]
        return f"<wordline.Agreement {self.drive}: {len(self.rows)} points, median error {', '.join(parts)}>"


def summary(errors: dict[str, list[float]]) -> dict[str, dict[str, float | int | None]]:
    """Returns number of points, median and 90th percentile of errors by number."""
    return {
        name: {"points": len(each), "median": quantile(each, 0.5), "p90": quantile(each, 0.9)}
        for name, each in errors.items()
    }
