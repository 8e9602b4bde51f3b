"""Two phases of a run's writes: fast until so much is written, as with an SLC cache, then slower."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..tables import Columns

__all__ = ["Phases", "phases_of", "warnings_of_phases"]

NS_PER_S, MB, GB = 1e9, 1e6, 1e9
SAMPLES_MIN = 20
WINDOW = 5
"""Samples whose mean is a rate: single ones vary."""
DROP, BACK = 0.6, 0.9
"""Writes are slow below this share of the first rate, and fast again from that one on."""


class Phases(NamedTuple):
    """When writes become slow, and fast again.

    Attributes:
        fast_mb_s: The rate before.
        slow_mb_s: The rate after, in the mean, until it is back or the run ends.
        written_bytes: What was written until then.
        back_after_s: After which time writes were fast again; None if not within the run.
    """

    fast_mb_s: float
    slow_mb_s: float
    written_bytes: int
    back_after_s: float | None


def phases_of(series: Columns) -> Phases | None:
    """Returns the phases of the writes, by their throughput over time; None where the rate has no such drop."""
    columns = {name: array("Q", data) for name, (_, data, _) in series.items()}
    starts, written = columns["start_ns"], columns["write_bytes"]
    if len(starts) < SAMPLES_MIN:
        return None
    # The last sample ends with the run.
    count = len(starts) - 1
    length_s = (starts[1] - starts[0]) / NS_PER_S
    first = _mean(written, 0)
    drop = next((at for at in range(count - WINDOW) if _mean(written, at) < DROP * first), None)
    if drop is None or not first:
        return None
    # The window reaches over the step: its samples before the step are fast ones.
    drop += next((ahead for ahead in range(WINDOW) if written[drop + ahead] < DROP * first), 0)
    back = next((at for at in range(drop + 1, count - WINDOW) if _mean(written, at) >= BACK * first), None)
    slow = written[drop : count if back is None else back]
    return Phases(
        math.fsum(written[:drop]) / drop / length_s / MB if drop else first / length_s / MB,
        math.fsum(slow) / len(slow) / length_s / MB,
        sum(written[:drop]),
        None if back is None else (back - drop) * length_s,
    )


def _mean(values: Sequence[int], start: int) -> float:
    return math.fsum(values[start : start + WINDOW]) / WINDOW


def warnings_of_phases(columns: Mapping[str, Columns], scale: float) -> list[str]:
    """Returns a line on the two phases of the writes of a drive with an SLC cache, for the whole drive.

    Args:
        columns: The run's tables.
        scale: The part of the drive that was simulated.
    """
    phases = phases_of(columns["series"]) if "series" in columns else None
    if phases is None:
        return []
    until = f"{phases.fast_mb_s:,.0f} MB/s until {phases.written_bytes / scale / GB:.3g} GB"
    of_whole = " of the whole drive" if scale < 1 else ""
    back = "" if phases.back_after_s is None else f", and fast again after {phases.back_after_s / scale:.3g} s"
    then = f"then {phases.slow_mb_s:,.0f} MB/s{back}"
    return [f"writes have two phases, of which rates over the run are a mean: {until}{of_whole} are written, {then}"]
