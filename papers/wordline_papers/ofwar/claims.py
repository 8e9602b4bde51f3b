"""OFWAR's emergent claims on the ten workloads."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence

from .. import Measured
from ..claims import all_claims, judge
from .traces import DEPTH, REWRITE, STREAMS, WRITE, Axis, Trace, along, usual

HEAVY = ("iozone", "postmark")
# Section 6.3: the one with many hits where rewriting does not wait.
MOST_HITS = "iozone"
# The usual thresholds are too high for these (Section 6.2): without fast writes their lines may be flat.
SPARED = "financial"
# Differences that count as equal: a hundredth of the response time and of the requested pages. If a queue is nearly
# always full, a threshold that is a tenth higher moves up to 0.006 of the pages one way or the other.
SAME_TIME, SAME_PAGES = 0.01, 0.01
# Hit rates: the threshold in Section 6.3's text (Fig. 18's caption says 128), and the difference that counts as equal.
HIT_THRESHOLD, SAME_HITS = 2_048, 0.001
Value = Callable[[Trace], float]


def saved(row: Trace) -> float:
    """Returns the saving of the mean response time."""
    return 1.0 - row.normalized_mean


def saved_std(row: Trace) -> float:
    """Returns the saving of the standard deviation of the response time."""
    return 1.0 - row.normalized_std


def claims(rows: Sequence[Trace], *, flat_holds: bool = False) -> Mapping[str, Measured]:
    """Returns every emergent claim on the workloads; see `orders` for flat lines."""
    base = usual(rows)
    named = [row for row in base if row.tells]
    main = [row for row in named if row.real] or named
    apart = [row for row in base if row.load.startswith("trace")]
    made_up = not all(row.real for row in main)

    def mean(what: Value, words: str = "") -> Measured:
        each = ", ".join(f"{row.load} {what(row):.3f}" for row in named)
        others = statistics.fmean(what(row) for row in apart)
        note = f"{each}; mean of the look-alikes of Trace 1-6, of which nothing is known: {others:.3f}{words}"
        return Measured(statistics.fmean(what(row) for row in main), synthetic=made_up, note=note)

    financial = [row for row in base if row.load.startswith("financial") and row.tells]
    full = [row.load for row in main if row.rewrite_queue_max >= row.depth]
    why = f"; the rewrite queue runs full on {' and '.join(full)}, and writes are normal then" if full else ""
    moved = max(row.moved for row in base)
    return {
        "ofwar.fig10.mean": mean(saved, why + swept(rows, saved)),
        "ofwar.fig9.stddev": mean(saved_std, why + swept(rows, saved_std)),
        "ofwar.fig10.rewrites": mean(lambda row: row.rewrites),
        "ofwar.fig11.extra_writes": mean(
            lambda row: row.extra_writes,
            f"; GC finds blocks without live pages and moves {moved:.3f} more, so rewrites are all there is",
        ),
        "ofwar.fig10.financial": Measured(
            max(saved(row) for row in financial),
            synthetic=any(not row.real for row in financial),
            note=f"on {' and '.join(row.load for row in financial)}",
        ),
        "ofwar.fig10.none_slower": none_slower(main, apart),
        **financials(rows),
        **orders([row for row in rows if row.tells], flat_holds=flat_holds),
    }


def none_slower(main: Sequence[Trace], apart: Sequence[Trace]) -> Measured:
    """Section 5: rewrites make no workload slower. Trace 1 to 6 are not public; their look-alikes are in the note."""
    slower = [row.load for row in main if row.normalized_mean > 1.0]
    each = ", ".join(f"{row.load} {row.normalized_mean:.3f}" for row in main)
    worst = max(row.normalized_mean for row in apart)
    note = f"without Trace 1-6, which are not public; the slowest of their look-alikes {worst:.3f}"
    note += f"; not so on {', '.join(slower)}" if slower else ""
    return Measured(f"{each} times Baseline", holds=not slower, synthetic=not all(row.real for row in main), note=note)


def swept(rows: Sequence[Trace], value: Value) -> str:
    """Describes the savings with other numbers of write streams: the mean of the real traces."""
    here = [row for row in along(rows, STREAMS) if row.real]
    numbers = sorted({row.streams for row in here})
    if len(numbers) < 2:
        return ""
    means = {n: statistics.fmean(value(row) for row in here if row.streams == n) for n in numbers}
    return "; by programs at once on a channel: " + ", ".join(f"{n} {mean:.3f}" for n, mean in means.items())


def financials(rows: Sequence[Trace]) -> dict[str, Measured]:
    """Fig. 15: the best threshold of the Financial traces; of the second only if it is at hand."""
    measured = {}
    for load in dict.fromkeys(row.load for row in rows if row.load.startswith("financial") and row.tells):
        best = min((row for row in along(rows, WRITE) if row.load == load), key=lambda row: row.normalized_mean)
        note = f"at N_th_w = {best.write}, for {best.extra_writes:.3f} extra writes; "
        note += f"never more than {best.write_queue_max} pages queued"
        alone = [row for row in rows if row.load == load and row.streams == 1]
        note += "".join(
            f"; with one program at a time on a channel (DiskSim's shared bus) {saved(row):.3f} "
            f"for {row.extra_writes:.3f} at N_th_w = {row.write}"
            for row in alone
        )
        claim = all_claims()[f"ofwar.fig15.{load}"]
        needs_one = not judge(claim, Measured(saved(best))) and any(judge(claim, Measured(saved(row))) for row in alone)
        note += ": the paper's saving needs one at a time" if needs_one else ""
        note += "" if best.real else "; a look-alike, whose bursts are assumed"
        measured[f"ofwar.fig15.{load}"] = Measured(saved(best), synthetic=not best.real, note=note)
        measured[f"ofwar.fig15.{load}.extra"] = Measured(best.extra_writes, synthetic=not best.real, note=note)
    return measured


def series(rows: Sequence[Trace], axis: Axis, load: str, value: Value) -> list[float]:
    """Returns a value of a workload along one setting."""
    here = sorted((row for row in along(rows, axis) if row.load == load), key=axis.of)
    return [value(row) for row in here]


def hits_at(rows: Sequence[Trace], threshold: int) -> dict[str, float]:
    """Returns the hit rate of each workload if rewriting waits for more entries than a threshold."""
    return {row.load: row.hit_rate for row in along(rows, REWRITE) if row.rewrite == threshold}


def falls(values: Sequence[float], same: float) -> bool:
    """Returns True if it never rises by more than the difference that counts as equal."""
    return all(b <= a + same for a, b in itertools.pairwise(values))


def relative(values: Sequence[float]) -> list[float]:
    """Returns values as shares of the first; as they are where that is 0."""
    return [value / values[0] if values[0] else value for value in values]


def is_flat(values: Sequence[float], same: float) -> bool:
    """Returns True if no two values differ by more than what counts as equal."""
    return max(values) - min(values) <= same


def orders(rows: Sequence[Trace], *, flat_holds: bool = False) -> dict[str, Measured]:
    """Fig. 13 to 20: response time, extra writes and hits along each setting.

    Args:
        rows: The workloads along each setting.
        flat_holds: Whether a line that the paper has falling may also be flat: its ends differ by no more than what
            counts as equal. A tie is no fall, so it may not.
    """
    names = list(dict.fromkeys(row.load for row in rows))
    heavy, light = [n for n in names if n in HEAVY], [n for n in names if n not in HEAVY]

    def judged(wrong: Sequence[str], comment: str) -> Measured:
        note = f"not so on {', '.join(wrong)}" if wrong else ""
        return Measured(comment, holds=not wrong, synthetic=any(not row.real for row in rows), note=note)

    def times(axis: Axis, load: str) -> list[float]:
        return series(rows, axis, load, lambda row: row.normalized_mean)

    def extra(axis: Axis, load: str) -> list[float]:
        return series(rows, axis, load, lambda row: row.extra_writes)

    def ends(of: Callable[[Axis, str], list[float]], axis: Axis, loads: Sequence[str]) -> str:
        return "; ".join(f"{load} {of(axis, load)[0]:.3f} to {of(axis, load)[-1]:.3f}" for load in loads)

    def drops(values: Sequence[float], same: float) -> bool:
        """Returns True if the last is below the first by more than what counts as equal."""
        return values[-1] < values[0] - same or (flat_holds and values[-1] <= values[0] + same)

    def falls_in_all(values: Sequence[float], same: float) -> bool:
        return falls(values, same) and drops(values, same)

    def not_so(lines: Sequence[tuple[str, Sequence[float]]], same: float = SAME_PAGES) -> list[str]:
        return [n for n, line in lines if not (falls if n.startswith(SPARED) else falls_in_all)(line, same)]

    def risen(values: Sequence[float]) -> list[float]:
        return [-value for value in values]

    deeper = [n for n in heavy if not falls_in_all(times(DEPTH, n), SAME_TIME)]
    deeper += [n for n in light if not falls(times(DEPTH, n), SAME_TIME)]
    deeper += [f"{n} (extra writes)" for n in heavy if not falls_in_all(risen(extra(DEPTH, n)), SAME_PAGES)]
    fewer = not_so([(n, extra(WRITE, n)) for n in names])
    opposite = [n for n in heavy if not drops(times(WRITE, n), SAME_TIME)]
    opposite += not_so([(n, risen(times(WRITE, n))) for n in light])
    waited, at_once = hits_at(rows, HIT_THRESHOLD), hits_at(rows, 0)
    hits = not_so([(n, risen([at_once[n], waited[n]])) for n in names], SAME_HITS)
    # Fig. 19 and 20 are normalised, so a difference counts in shares of the first value.
    later = not_so([(n, relative(extra(REWRITE, n))) for n in names])
    later += [f"{n} (response time)" for n in heavy if not falls_in_all(risen(times(REWRITE, n)), SAME_TIME)]
    later += [f"{n} (response time)" for n in light if not is_flat(relative(times(REWRITE, n)), SAME_TIME)]
    others = [n for n in names if n != MOST_HITS]
    most = [n for n in others if at_once[n] >= at_once[MOST_HITS] - SAME_HITS]
    hit_words = ", ".join(f"{n} {at_once[n]:.3f} to {waited[n]:.3f}" for n in names)
    return {
        "ofwar.fig13.depth": judged(deeper, ends(times, DEPTH, heavy)),
        "ofwar.fig17.threshold": judged(fewer, ends(extra, WRITE, names)),
        "ofwar.fig16.opposite": judged(opposite, ends(times, WRITE, names)),
        "ofwar.fig18.hit_rate": judged(hits, hit_words),
        "ofwar.fig18.iozone": judged(most, ", ".join(f"{n} {at_once[n]:.3f}" for n in names)),
        "ofwar.fig19_20.rewrite_threshold": judged(
            later, f"pages: {ends(extra, REWRITE, names)}; response times: {ends(times, REWRITE, names)}"
        ),
    }
