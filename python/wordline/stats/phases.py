"""Phases of a run's writes: fast until so much is written, as with an SLC cache, then slower, and slower again."""

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
"""Writes are slow where so many samples in sequence are: single ones vary."""
FAST_MIN = 2
"""The first rate is the mean of so many samples at least, and of WINDOW at most."""
DROP, BACK = 0.6, 0.9
"""Writes are slow below this share of the first rate, and fast again from that one on."""
BURST = 0.1
"""A fast phase of so small a part of the bytes of the next one is a write cache that fills."""
WAITED = 1.5
"""After a gap in which requests waited, latencies add up to so many times those of the sample behind it."""
BUSY_MIN = 0.5
"""The drive sets the rate of writes if so many are outstanding in the mean."""


class Phases(NamedTuple):
    """When writes become slow, and fast again.

    Attributes:
        fast_mb_s: The rate before.
        slow_mb_s: The rate after, in the mean, until it is back, falls once more or the run ends.
        written_bytes: What was written until the first drop.
        back_after_s: After how many seconds of slow writing writes were fast again; None if not within the run.
        back_bytes: What was written fast then, until the next drop or the end of the run; None if writes were not fast.
        pause_s: How long the host had paused last within the slow phase, s; None if it had not.
        third_mb_s: The rate after it has fallen once more, in the mean until the run ends; None if it has not.
        third_after_bytes: What was written until then.
    """

    fast_mb_s: float
    slow_mb_s: float
    written_bytes: int
    back_after_s: float | None
    back_bytes: int | None = None
    pause_s: float | None = None
    third_mb_s: float | None = None
    third_after_bytes: int | None = None


def phases_of(series: Columns) -> Phases | None:
    """Returns the phases of the writes, by their throughput over time; None where the rate has no such drop.

    Samples in which the host did not write all the time do not count. Where in the mean of the others fewer writes than
    BUSY_MIN were outstanding, the rate is the host's.
    """
    columns = {name: array("Q", data) for name, (_, data, _) in series.items()}
    starts, written = columns["start_ns"], columns["write_bytes"]
    places = _busy(written, columns["write_latency_sum_ns"])
    if len(places) < SAMPLES_MIN:
        return None
    length_s = (starts[1] - starts[0]) / NS_PER_S
    latencies = columns["write_latency_sum_ns"]
    if sum(latencies[place] for place in places) < BUSY_MIN * (starts[1] - starts[0]) * len(places):
        return None
    rates = [written[place] / length_s / MB for place in places]
    begin, drop = 0, _drop_of(rates)
    if drop is None:
        return None
    while (length := _drop_of(rates[drop:])) and sum(rates[begin:drop]) < BURST * sum(rates[drop : drop + length]):
        begin, drop = drop, drop + length
    fast = math.fsum(rates[begin:drop]) / (drop - begin)
    back = _back_of(rates, drop, fast)
    slow = rates[drop:back]
    # The samples at either end may be part fast, part slow.
    inner = slow[1:-1] if back is not None and len(slow) > 2 else slow[1:]
    slow_mb_s = math.fsum(inner) / len(inner)
    if slow_mb_s >= DROP * fast:
        return None
    third, lower_mb_s = _drop_of(inner) if back is None else None, None
    if third is not None:
        # The sample of the drop is in part of the phase before.
        lower = inner[third + 1 :]
        slow_mb_s, lower_mb_s = math.fsum(inner[:third]) / third, math.fsum(lower) / len(lower)
    still_fast = _share(slow[0], fast, slow_mb_s)
    back_bytes = pause_s = None
    if back is not None:
        after = next((at for at in range(back, len(rates)) if _is_slow(rates[at:], fast)), len(rates))
        end = places[after] if after < len(places) else len(written)
        pause = _pause_of(written, places[drop : back + 1])
        # The sample at the end of a pause is idle in part, and fast in the rest.
        begin_place = places[back] if pause is None else pause.stop
        back_bytes = sum(written[begin_place:end])
        pause_s = None if pause is None else _length_of(pause, written, (slow_mb_s, fast), length_s)
    slow_s = (len(slow) - still_fast - _share(slow[-1], fast, slow_mb_s)) * length_s
    return Phases(
        fast,
        slow_mb_s,
        sum(written[: places[drop]]) + round(still_fast * fast * MB * length_s),
        None if back is None else slow_s,
        back_bytes,
        pause_s,
        lower_mb_s,
        None if third is None else sum(written[: places[drop + 1 + third]]),
    )


def _busy(written: Sequence[int], latency_ns: Sequence[int]) -> list[int]:
    """Returns the samples in which the host had writes outstanding from beginning to end.

    The last sample ends with the run. A sample beside an idle one may be idle in part.
    """
    count = len(written) - 1
    idle = [not written[place] for place in range(count)]
    for place in range(count - 2, -1, -1):
        if not written[place]:
            after = place + 1
            waited = latency_ns[after] > WAITED * latency_ns[after + 1] > 0 if written[after] else not idle[after]
            idle[place] = not waited
    return [place for place in range(count) if not any(idle[max(place - 1, 0) : place + 2])]


def _drop_of(rates: Sequence[float]) -> int | None:
    for at in range(FAST_MIN, len(rates) - WINDOW):
        first = rates[: min(at, WINDOW)]
        if max(rates[at : at + WINDOW]) < DROP * math.fsum(first) / len(first):
            return at
    return None


def _back_of(rates: Sequence[float], drop: int, fast: float) -> int | None:
    """Returns the first sample at the fast rate. Those beside it count, too: one alone is chance."""
    for at in range(drop + WINDOW, len(rates) - 1):
        if rates[at] >= BACK * fast and math.fsum(rates[at - 1 : at + 2]) / 3 >= DROP * fast:
            return at
    return None


def _is_slow(rates: Sequence[float], fast: float) -> bool:
    """Whether the next samples are slow; so near the end of the run, those that are left."""
    return max(rates[:WINDOW]) < DROP * fast


def _pause_of(written: Sequence[int], places: Sequence[int]) -> range | None:
    """Returns the idle samples of the last pause between some busy ones."""
    idle = {place for place in range(places[0], places[-1]) if not written[place]} - set(places)
    if not idle:
        return None
    begin = last = max(idle)
    while begin - 1 in idle:
        begin -= 1
    return range(begin, last + 1)


def _length_of(pause: range, written: Sequence[int], rates_mb_s: tuple[float, float], length_s: float) -> float:
    """Returns the length of a pause, s: its idle samples, and what the rates leave of the one before and after."""
    beside = zip((pause.start - 1, pause.stop), rates_mb_s, strict=True)
    busy_s = sum(min(written[place] / (rate * MB), length_s) for place, rate in beside)
    return (len(pause) + 2) * length_s - busy_s


def _share(rate: float, fast: float, slow: float) -> float:
    """Returns the part of a sample that was fast."""
    return min(max((rate - slow) / (fast - slow), 0.0), 1.0)


def warnings_of_phases(columns: Mapping[str, Columns], scale: float) -> list[str]:
    """Returns a line on the phases of the writes of a drive with an SLC cache, for the whole drive.

    Args:
        columns: The run's tables.
        scale: The part of the drive that was simulated.
    """
    phases = phases_of(columns["series"]) if "series" in columns else None
    if phases is None:
        return []
    of_whole = " of the whole drive" if scale < 1 else ""
    text = f"{_until(phases.fast_mb_s, phases.written_bytes, scale)}{of_whole} are written, "
    if phases.third_mb_s is None or phases.third_after_bytes is None:
        count, rest = "two", f"then {phases.slow_mb_s:,.0f} MB/s{_back_text(phases, scale)}"
    else:
        slow = _until(phases.slow_mb_s, phases.third_after_bytes, scale)
        count, rest = "three", f"then {slow}, then {phases.third_mb_s:,.0f} MB/s in the mean"
    return [f"writes have {count} phases, of which rates over the run are a mean: {text}{rest}"]


def _until(rate_mb_s: float, written_bytes: int, scale: float) -> str:
    return f"{rate_mb_s:,.0f} MB/s until {_size(written_bytes / scale)}"


def _back_text(phases: Phases, scale: float) -> str:
    if phases.back_after_s is None:
        return ""
    if phases.pause_s is None or phases.back_bytes is None:
        return f", and fast again after {phases.back_after_s / scale:.3g} s"
    # A part of a drive empties its cache sooner; the idle time before it begins is the same.
    of_part = " of this part" if scale < 1 else ""
    again = _size(phases.back_bytes / scale)
    return f", and fast again for {again} after a pause{of_part} of {phases.pause_s:.2g} s"


def _size(count: float) -> str:
    size_gb = count / GB
    return f"{f'{size_gb:,.0f}' if size_gb >= 100 else f'{size_gb:.3g}'} GB"
