"""Fits constants: each to one number, again and again until none moves."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..._core import EraseBench, ReadBench
from ...config import Config
from ..chips import on_bench
from . import chip_file

__all__ = ["Fit", "Lab", "Moved", "refit"]

# Relative distance at which a number counts as met; most evaluations for a constant; significant digits of a constant.
CLOSE, LOOKS, DIGITS = 1e-3, 24, 4
# Constants depend on each other; they no longer move after this many rounds.
ROUNDS = 8


@dataclass(frozen=True)
class Lab:
    """The benches of a chip with some constants.

    Attributes:
        config: Its configuration.
    """

    config: Config

    @cached_property
    def reads(self) -> ReadBench:
        """A block of each of the 160 chips."""
        return ReadBench(self.config, blocks=1)

    @cached_property
    def erases(self) -> EraseBench:
        """The 120 blocks of one of AERO's sets."""
        return EraseBench(self.config)


@dataclass(frozen=True)
class Fit:
    """A constant and the number that determines it.

    Attributes:
        key: The constant in the chip's file.
        bracket: Limits of the constant; the search starts in the middle.
        measure: Computes the number on the benches.
        target: The value that it must have.
        source: The source of this value.
    """

    key: str
    bracket: tuple[float, float]
    measure: Callable[[Lab], float]
    target: float
    source: str


@dataclass(frozen=True)
class Moved:
    """A constant in the file, and the result of its fit.

    Attributes:
        fit: The constant and its number.
        was: The value in the file.
        fitted: The value that the fit found.
        measured: The number with this value.
    """

    fit: Fit
    was: float
    fitted: float
    measured: float

    @property
    def moved(self) -> bool:
        """True if the file has another value."""
        return abs(self.fitted - self.was) > 1e-9 * abs(self.was)


def refit(text: str, fits: Sequence[Fit], told: Callable[[str], None] = lambda _: None) -> list[Moved]:
    """Fits the constants of a chip to their numbers.

    The search starts from the middle of the brackets and ignores the values in the file, so it is repeatable.

    Args:
        text: The chip's TOML file.
        fits: The constants with their numbers.
        told: Gets a line of text after each round.
    """
    values = {fit.key: _rounded(sum(fit.bracket) / 2) for fit in fits}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "chip.toml"
        for number in range(ROUNDS):
            before = dict(values)
            for fit in fits:
                values[fit.key] = _solved(text, fit, values, place)
            moved = [key for key in values if abs(values[key] - before[key]) > CLOSE * abs(before[key])]
            told(f"round {number + 1}: {len(moved)} of {len(fits)} constants moved")
            if not moved:
                break
        lab = _lab(text, values, place)
        return [Moved(fit, chip_file.value(text, fit.key), values[fit.key], fit.measure(lab)) for fit in fits]


def _solved(text: str, fit: Fit, values: Mapping[str, float], place: Path) -> float:
    """Finds a constant by regula falsi (Illinois variant): fast for smooth functions, and safe for others."""

    def off(constant: float) -> float:
        return fit.measure(_lab(text, {**values, fit.key: constant}, place)) - fit.target

    (low, high), slack = fit.bracket, CLOSE * abs(fit.target)
    off_low, off_high = off(low), off(high)
    if off_low * off_high > 0.0:
        # The number is out of reach: take the closer end.
        return _rounded(low if abs(off_low) < abs(off_high) else high)
    for _ in range(LOOKS):
        middle = low + (high - low) * off_low / (off_low - off_high) if off_low != off_high else 0.5 * (low + high)
        off_middle = off(middle)
        if abs(off_middle) <= slack or _rounded(low) == _rounded(high):
            return _rounded(middle)
        if (off_middle > 0.0) == (off_high > 0.0):
            high, off_high, off_low = middle, off_middle, 0.5 * off_low
        else:
            low, off_low, off_high = middle, off_middle, 0.5 * off_high
    return _rounded(0.5 * (low + high))


def _lab(text: str, values: Mapping[str, float], place: Path) -> Lab:
    place.write_text(chip_file.with_values(text, values), encoding="utf-8", newline="\n")
    return Lab(on_bench(str(place)))


def _rounded(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")
