"""Erase work (`[[erase.work]]`) and erase age, fitted to the whole distributions of `aero_erase_latency.csv`.

What the text about AERO's Fig. 4 and the public table of ISPE say is fixed: the shares at the ends of loops. The other
pulses of each distribution function are free, and so are the shares of `ageing_without_pulses` and `undone_carried`. A
pattern search moves them while the distance to the data falls. It starts from the file, since the distance has many
minima, and shows how far the file is from the one beside it.

Reads wait for the last pulse of an erase, so AERO's has a term of its own, and so has the share of erases that end
with a whole pulse, in whichever loop. A distribution with few points has lumps, so each gets points between them.

The data leave out P/E counts. Between those that they have, mean erases are pulled to a smooth curve through the data
(monotone cubic: Fritsch and Carlson, 1980), so that an entry of the table which no data are near cannot go astray.
"""

from __future__ import annotations

import itertools
import re
import statistics
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .chip_file import value, with_values
from .erases import mean_ms, measured, measured_ms
from .solve import Lab

__all__ = [
    "Compared",
    "Knot",
    "between",
    "compared",
    "curve",
    "distance",
    "knots",
    "last_pulse_ms",
    "search",
    "with_knots",
    "with_midpoints",
]

# Pulses of a loop; most of all.
LOOP, MOST = 7.0, 35.0
# Schemes that end with a pulse as short as predicted, and the length of their shallow erasure.
PREDICTED, SHALLOW_MS = ("aero", "aero_cons"), 1.0
# What pulls apart from Table 1 (see `erases.py`).
APART = frozenset({("aero", 0)})
# Shares that are fitted with the table.
SHARES = tuple(f"erase.{key}.{at}" for key in ("ageing_without_pulses", "undone_carried") for at in (0, 1))
# P/E counts between those of the data. Not 1,500 cycles of ISPE, whose whole loops jump there from one to two: under
# AERO_CONS no block needs one loop at 2,000 cycles, when its blocks are about as old as ISPE's at 1,600.
BETWEEN = {"aero": (1500, 3500, 4500), "aero_cons": (1500, 3500, 4500), "ispe": (3500, 4000)}
# What counts in the distance beside the area between distributions, each squared: errors of means, of standard
# deviations, of the share of whole last pulses, and the area between the distributions of last pulses. A gentle pull on
# the shape: areas and means decide. Errors of means count once more in their fourth power, so that none is far off for
# the others' sake.
MEAN_WEIGHT, STD_WEIGHT, FULL_WEIGHT, LAST_WEIGHT, FAR_WEIGHT = 2.0, 0.05, 0.5, 0.5, 200.0
# First step of a share, and of pulses; the step is halved so often; least gain. From 1,500 cycles on, as many blocks at
# most need the same pulse: in the data the fullest has a quarter of them.
STEPS, HALVINGS, GAIN = (0.06, 1.0), 4, 1e-6
DENSEST, DENSEST_YOUNG, YOUNG = 0.25, 0.8, 3
LISTS = re.compile(r"^(share|pulses)(\s*=\s*)\[[^]]*\]", re.MULTILINE)


@dataclass(frozen=True)
class Knot:
    """The pulses that blocks need at one age: a distribution function."""

    share: tuple[float, ...]
    pulses: tuple[float, ...]

    def is_valid(self, densest: float) -> bool:
        """Whether it rises, by no more than this share within a pulse."""
        return 0.0 < self.pulses[0] <= self.pulses[-1] <= MOST and all(
            0.0 <= share <= densest * pulses
            for share, pulses in zip(_steps(self.share), _steps(self.pulses), strict=True)
        )

    def within(self, share: float) -> float:
        """The pulses within which this share of the blocks is erased."""
        points = zip(itertools.pairwise(self.share), itertools.pairwise(self.pulses), strict=True)
        for (low, high), (few, many) in points:
            if share <= high:
                return few + (many - few) * (share - low) / (high - low)
        return self.pulses[-1]


def _steps(numbers: Sequence[float]) -> list[float]:
    return [after - before for before, after in itertools.pairwise(numbers)]


@dataclass(frozen=True)
class Compared:
    """Erases of a scheme at some P/E cycles: the model's and the data's.

    Attributes:
        mean_ms: Mean pulse time, model and data.
        std_ms: Its standard deviation.
        full: Share of erases that end with a whole pulse.
        distance: Area between the distribution functions over the data's mean.
        last_ms: Mean last pulse, model and data, of a scheme that predicts it; None for the others.
        last_distance: Area between the distribution functions of last pulses over the data's mean; 0 for the others.
    """

    scheme: str
    pec: int
    mean_ms: tuple[float, float]
    std_ms: tuple[float, float]
    full: tuple[float, float]
    distance: float
    last_ms: tuple[float, float] | None = None
    last_distance: float = 0.0


def compared(lab: Lab) -> list[Compared]:
    """Returns the model's erases beside each distribution of the data, but for those of weaker ECCs."""
    pecs: dict[str, list[int]] = {}
    for scheme, pec in sorted(measured()):
        if not scheme.endswith("bit"):
            pecs.setdefault(scheme, []).append(pec)
    rows = []
    for scheme, pecs_of_scheme in pecs.items():
        erased = lab.erases.erases(scheme.replace("_", "-"), pecs_of_scheme)
        for pec in pecs_of_scheme:
            ms = sorted(one for one, age in zip(erased["pulse_ms"], erased["pec"], strict=True) if age == pec)
            rows.append(_row(scheme, pec, ms, _quantiles(measured()[scheme, pec], len(ms))))
    return rows


def _row(scheme: str, pec: int, ms: Sequence[float], theirs: Sequence[float]) -> Compared:
    def pair(of: Callable[[Sequence[float]], float]) -> tuple[float, float]:
        return of(ms), of(theirs)

    row = Compared(scheme, pec, pair(statistics.fmean), pair(statistics.pstdev), pair(_full), _apart(ms, theirs))
    if scheme not in PREDICTED:
        return row
    last, their_last = (sorted(map(last_pulse_ms, each)) for each in (ms, theirs))
    means = statistics.fmean(last), statistics.fmean(their_last)
    return replace(row, last_ms=means, last_distance=_apart(last, their_last))


def _apart(ms: Sequence[float], theirs: Sequence[float]) -> float:
    """Returns the area between two distribution functions over the mean of the second; both are sorted."""
    return statistics.fmean(abs(a - b) for a, b in zip(ms, theirs, strict=True)) / statistics.fmean(theirs)


def last_pulse_ms(ms: float) -> float:
    """Returns the last pulse of an erase of this length, as the authors cut it: 1, 2.5, then 3.5 ms a loop."""
    loop_ms = 0.5 * LOOP
    if ms <= loop_ms:
        return ms - SHALLOW_MS if ms > SHALLOW_MS else ms
    return ms % loop_ms or loop_ms


def _full(ms: Sequence[float]) -> float:
    return sum(one % (0.5 * LOOP) == 0.0 for one in ms) / len(ms)


def _quantiles(rows: Sequence[tuple[float, float]], count: int) -> list[float]:
    """Returns as many latencies, evenly spread over the blocks."""
    total, up_to = sum(percent for _, percent in rows), 0.0
    quantiles: list[float] = []
    for ms, percent in sorted(rows):
        up_to += percent
        while len(quantiles) < count and (len(quantiles) + 0.5) / count <= up_to / total + 1e-12:
            quantiles.append(ms)
    return quantiles


def distance(lab: Lab) -> float:
    """Returns how far all distributions are from the data, and means between the data's P/E counts from their curve."""
    rows = [off(row) for row in compared(lab) if (row.scheme, row.pec) not in APART]
    means = [ours / curve - 1.0 for _, _, ours, curve in between(lab)]
    return statistics.fmean([*rows, *(mean**2 + FAR_WEIGHT * mean**4 for mean in means)])


def off(row: Compared) -> float:
    """Returns how far one distribution is from the data."""
    mean, std = (ours / theirs - 1.0 if theirs else 0.0 for ours, theirs in (row.mean_ms, row.std_ms))
    full = row.full[0] - row.full[1]
    far = FAR_WEIGHT * mean**4
    shape = STD_WEIGHT * std**2 + FULL_WEIGHT * full**2 + LAST_WEIGHT * row.last_distance**2
    return row.distance**2 + MEAN_WEIGHT * mean**2 + far + shape


def between(lab: Lab) -> list[tuple[str, int, float, float]]:
    """Returns mean pulse times (ms) at P/E counts that the data leave out: the model's, and on a smooth curve."""
    return [
        (scheme, pec, mean_ms(lab, scheme, pec), curve(scheme)(pec)) for scheme, pecs in BETWEEN.items() for pec in pecs
    ]


def curve(scheme: str) -> Callable[[float], float]:
    """Returns the monotone cubic through the means of the data."""
    pecs = sorted(pec for name, pec in measured() if name == scheme)
    means = [measured_ms(scheme, pec) for pec in pecs]
    widths = _steps(pecs)
    slopes = [rise / width for rise, width in zip(_steps(means), widths, strict=True)]
    inner = [
        (w1 + w2) / (w1 / s1 + w2 / s2) if s1 * s2 > 0.0 else 0.0
        for (h1, h2), (s1, s2) in zip(itertools.pairwise(widths), itertools.pairwise(slopes), strict=True)
        for w1, w2 in [(2.0 * h2 + h1, h2 + 2.0 * h1)]
    ]
    tangents = [slopes[0], *inner, slopes[-1]]

    def at(pec: float) -> float:
        i = max(i for i, start in enumerate(pecs[:-1]) if start <= pec)
        width, t = widths[i], (pec - pecs[i]) / widths[i]
        ends = (1.0 + 2.0 * t) * (1.0 - t) ** 2 * means[i] + t * t * (3.0 - 2.0 * t) * means[i + 1]
        return ends + width * t * (1.0 - t) * ((1.0 - t) * tangents[i] - t * tangents[i + 1])

    return at


def knots(text: str) -> list[Knot]:
    """Returns the table of a chip's file."""
    work = tomllib.loads(text)["erase"]["work"]
    return [Knot(tuple(map(float, each["share"])), tuple(map(float, each["pulses"]))) for each in work]


def with_knots(text: str, table: Sequence[Knot]) -> str:
    """Returns the file with another table; everything else stays."""
    lists = iter([numbers for knot in table for numbers in (knot.share, knot.pulses)])
    head, mark, tail = text.partition("[[erase.work]]")
    return head + mark + LISTS.sub(lambda m: f"{m[1]}{m[2]}[{', '.join(f'{n:g}' for n in next(lists))}]", tail)


def with_midpoints(table: Sequence[Knot]) -> list[Knot]:
    """Returns the same distribution functions with a point more between each two."""

    def halved(numbers: Sequence[float]) -> tuple[float, ...]:
        between_two = [round((low + high) / 2.0, 4) for low, high in itertools.pairwise(numbers)]
        both = itertools.zip_longest(numbers, between_two)
        return tuple(each for pair in both for each in pair if each is not None)

    return [Knot(halved(knot.share), halved(knot.pulses)) for knot in table]


def search(text: str, lab_of: Callable[[str], Lab], told: Callable[[str], None] = lambda _: None) -> str:
    """Moves the free numbers while the distance falls; returns the file with those that it ends with."""
    best = distance(lab_of(text))
    for halving in range(HALVINGS):
        for move in _moves(text):
            for step in (1.0, -1.0):
                moved = move(text, step / 2**halving)
                distance_now = best if moved is None else distance(lab_of(moved))
                if moved is not None and distance_now < best - GAIN:
                    text, best = moved, distance_now
        told(f"step {halving + 1} of {HALVINGS}: distance {best:.5f}")
    return text


def _moves(text: str) -> list[Callable[[str, float], str | None]]:
    """Returns what moves each number by a step; it gives None where the number is fixed or at its limit."""

    def of_share(key: str) -> Callable[[str, float], str | None]:
        def move(now: str, by: float) -> str | None:
            moved = round(value(now, key) + by * STEPS[0], 4)
            return with_values(now, {key: moved}) if 0.0 <= moved <= 1.0 else None

        return move

    def of_knot(place: int, which: int, at: int) -> Callable[[str, float], str | None]:
        def move(now: str, by: float) -> str | None:
            table = knots(now)
            moved = _moved(table[place], which, at, by * STEPS[which], DENSEST_YOUNG if place < YOUNG else DENSEST)
            if moved is None:
                return None
            table[place] = moved
            return with_knots(now, table) if _hardens(table) else None

        return move

    places = [(i, which, at) for i, knot in enumerate(knots(text)) for which in (0, 1) for at in range(len(knot.share))]
    return [*map(of_share, SHARES), *(of_knot(*place) for place in places)]


def _hardens(table: Sequence[Knot]) -> bool:
    """Whether no block becomes easier to erase with age."""
    return all(
        before.within(share) <= after.within(share)
        for before, after in itertools.pairwise(table)
        for share in {*before.share, *after.share}
    )


def _moved(knot: Knot, which: int, at: int, by: float, densest: float) -> Knot | None:
    """Returns the knot with one number moved; None if that number is fixed, or the function would not be one."""
    lists = [list(knot.share), list(knot.pulses)]
    share, pulses = knot.share[at], knot.pulses[at]
    is_end = share > 0.0 and pulses % LOOP == 0.0
    if is_end or (which == 0 and share in (0.0, 1.0)):
        return None
    lists[which][at] = round(lists[which][at] + by, 4)
    moved_knot = Knot(tuple(lists[0]), tuple(lists[1]))
    return moved_knot if moved_knot.is_valid(densest) else None


def lab_in(folder: Path) -> Callable[[str], Lab]:
    """Returns what makes benches of a chip's text, with a file in this folder."""
    from ..chips import on_bench

    def lab(text: str) -> Lab:
        place = folder / "chip.toml"
        place.write_text(text, encoding="utf-8", newline="\n")
        return Lab(on_bench(str(place)))

    return lab
