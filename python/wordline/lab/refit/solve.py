"""Finding constants: one constant for each number, until none moves any more."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...config import Config
from ..chips import on_bench
from ..erase_bench import EraseBench
from ..read_bench import ReadBench
from . import chip_file

__all__ = ["Fit", "Lab", "Moved", "refit"]

# A number that comes as close as this is met; so many looks at most; a constant is kept to so many digits.
CLOSE, LOOKS, DIGITS = 1e-3, 24, 4
# Constants lean on each other; after this many rounds they stand still.
ROUNDS = 8


@dataclass(frozen=True)
class Lab:
    """A chip with some constants, on the benches.

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
        """The 120 blocks of a set of AERO's."""
        return EraseBench(self.config)


@dataclass(frozen=True)
class Fit:
    """A constant and the number that it follows from.

    Attributes:
        key: The constant in the chip's file.
        bracket: It lies in between; the search starts in the middle.
        measure: The number, on the bench.
        target: What it is to be.
        source: Who says so.
    """

    key: str
    bracket: tuple[float, float]
    measure: Callable[[Lab], float]
    target: float
    source: str


@dataclass(frozen=True)
class Moved:
    """A constant as the file has it and as the fit finds it.

    Attributes:
        fit: What was fitted.
        was: The file's.
        found: The fit's.
        measured: The number that it gives.
    """

    fit: Fit
    was: float
    found: float
    measured: float

    @property
    def moved(self) -> bool:
        """The file says something else."""
        return abs(self.found - self.was) > 1e-9 * abs(self.was)


def refit(text: str, fits: Sequence[Fit], told: Callable[[str], None] = lambda _: None) -> list[Moved]:
    """Fits the constants of a chip to their numbers.

    The search starts from the middle of the brackets, never from what the file says, so that it finds the same again.

    Args:
        text: The chip's TOML file.
        fits: What follows from what.
        told: Hears of each round.
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
    """Regula falsi after Illinois: few looks for what is smooth, and sure of what is not."""

    def off(constant: float) -> float:
        return fit.measure(_lab(text, {**values, fit.key: constant}, place)) - fit.target

    (low, high), slack = fit.bracket, CLOSE * abs(fit.target)
    off_low, off_high = off(low), off(high)
    if off_low * off_high > 0.0:
        # Out of reach: the end that comes closer.
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
    place.write_text(chip_file.with_values(text, values), encoding="utf-8")
    return Lab(on_bench(str(place)))


def _rounded(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")
