"""OFWAR's emergent claims, judged from the rows of its figures."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..claims import Measured
from .draw import DEFAULT, along

__all__ = ["claims"]

Row = Mapping[str, Any]
HEAVY = ("iozone", "postmark")
# What two runs may differ by and count as equal: a hundredth of the response time and of the pages requested. Where a
# queue is nearly always full, a threshold that is a tenth higher moves up to 0.006 of the pages one way or the other.
SAME_TIME, SAME_PAGES = 0.01, 0.01
# Hit rates: the threshold of Section 6.3's text (Fig. 18's caption says 128), and what counts as equal.
HIT_THRESHOLD, SAME_HITS = 2_048, 0.001


def claims(rows: Sequence[Row], random: Sequence[Row]) -> dict[str, Measured]:
    """Every emergent claim but those about power."""
    base = [row for row in along(rows, "depth") if row["depth"] == DEFAULT["depth"]]
    main = [row for row in base if row["real"]] or [row for row in base if not row["load"].startswith("trace")]
    apart = [row for row in base if row["load"].startswith("trace")]
    made_up = not all(row["real"] for row in main)

    def mean(what: Callable[[Row], float], words: str = "") -> Measured:
        each = ", ".join(f"{row['load']} {what(row):.3f}" for row in base if not row["load"].startswith("trace"))
        others = statistics.fmean(what(row) for row in apart)
        note = f"{each}; mean of the look-alikes of Trace 1-6, of which nothing is known: {others:.3f}{words}"
        return Measured(statistics.fmean(what(row) for row in main), synthetic=made_up, note=note)

    financial = [row for row in base if row["load"].startswith("financial")]
    full = [row["load"] for row in main if row["rewrite_queue_max"] >= row["depth"]]
    why = f"; the rewrite queue runs full on {' and '.join(full)}, and writes are normal then" if full else ""
    moved = max(row["moved"] for row in base)
    found = {
        "ofwar.fig10.mean": mean(lambda row: 1.0 - row["normalized_mean"], why + swept(rows, "normalized_mean")),
        "ofwar.fig9.stddev": mean(lambda row: 1.0 - row["normalized_std"], why + swept(rows, "normalized_std")),
        "ofwar.fig10.rewrites": mean(lambda row: row["rewrites"]),
        "ofwar.fig11.extra_writes": mean(
            lambda row: row["extra_writes"],
            f"; GC finds blocks without live pages and moves {moved:.3f} more, so rewrites are all there is",
        ),
        "ofwar.fig10.financial": Measured(
            max(1.0 - row["normalized_mean"] for row in financial), synthetic=any(not row["real"] for row in financial)
        ),
        **financials(rows),
        **random_writes(random),
        **orders(rows),
    }
    return {name: found[name] for name in found}


def swept(rows: Sequence[Row], value: str) -> str:
    """What other numbers of write streams save of a value, in words: the mean of the real traces."""
    here = [row for row in along(rows, "streams") if row["real"]]
    numbers = sorted({row["streams"] for row in here})
    if len(numbers) < 2:
        return ""
    means = {n: statistics.fmean(1.0 - row[value] for row in here if row["streams"] == n) for n in numbers}
    return "; by programs at once on a channel: " + ", ".join(f"{n} {mean:.3f}" for n, mean in means.items())


def financials(rows: Sequence[Row]) -> dict[str, Measured]:
    """Fig. 15: the best threshold of the two Financial traces."""
    found = {}
    for load in ("financial1", "financial2"):
        here = [row for row in along(rows, "write") if row["load"] == load]
        best = min(here, key=lambda row: row["normalized_mean"])
        note = f"at N_th_w = {best['write']}, for {best['extra_writes']:.3f} extra writes; "
        note += f"never more than {best['write_queue_max']} pages queued"
        alone = [row for row in rows if row["load"] == load and row["streams"] == 1]
        note += "".join(
            f"; with one program at a time on a channel (DiskSim's shared bus) {1.0 - row['normalized_mean']:.3f} "
            f"for {row['extra_writes']:.3f} at N_th_w = {row['write']}"
            for row in alone
        )
        note += "" if best["real"] else "; a look-alike, whose bursts are assumed"
        found[f"ofwar.fig15.{load}"] = Measured(1.0 - best["normalized_mean"], synthetic=not best["real"], note=note)
        if load == "financial1":
            found["ofwar.fig15.financial1.extra"] = Measured(
                best["extra_writes"], synthetic=not best["real"], note=note
            )
    return found


def random_writes(random: Sequence[Row]) -> dict[str, Measured]:
    """Fig. 12: what rewrites cost where nothing can be gained."""
    slow = {row["gap"]: row["normalized_mean"] - 1.0 for row in random}
    idle = max(value for gap, value in slow.items() if gap in ("10ms", "5ms", "1ms"))
    busy = max(value for gap, value in slow.items() if gap not in ("10ms", "5ms", "1ms"))
    each = ", ".join(f"{gap.replace('_', '.')} {value:+.3f}" for gap, value in slow.items())
    over = [row["gap"].replace("_", ".") for row in random if row["rewrite_queue_max"] >= DEFAULT["depth"]]
    if over:
        each += (
            f"; at {' and '.join(over)} writes come faster than normal programs can take them, so that fast ones help "
        )
        each += "until the rewrite queue is full: the less the longer the run"
    return {
        "ofwar.fig12.idle": Measured(idle, synthetic=None, note=each),
        "ofwar.fig12.busy": Measured(busy, synthetic=None, note=each),
    }


def series(rows: Sequence[Row], key: str, load: str, value: str) -> list[float]:
    """A value of a workload along one setting."""
    here = sorted((row for row in along(rows, key) if row["load"] == load), key=lambda row: row[key])
    return [row[value] for row in here]


def hits_at(rows: Sequence[Row], threshold: int) -> dict[str, float]:
    """The hit rate of each workload where rewriting waits for more entries than a threshold."""
    return {row["load"]: row["hit_rate"] for row in along(rows, "rewrite") if row["rewrite"] == threshold}


def falls(values: Sequence[float], same: float) -> bool:
    """Never rises by more than what counts as equal."""
    return all(b <= a + same for a, b in itertools.pairwise(values))


def falls_in_all(values: Sequence[float], same: float) -> bool:
    """As `falls`, and does not end above where it began."""
    return falls(values, same) and values[-1] <= values[0]


def rises(values: Sequence[float], same: float) -> bool:
    """Never falls by more than what counts as equal."""
    return falls([-value for value in values], same)


def orders(rows: Sequence[Row]) -> dict[str, Measured]:
    """Fig. 13 to 20: what becomes of response time, extra writes and hits along each setting."""
    names = list(dict.fromkeys(row["load"] for row in rows))
    heavy, light = [n for n in names if n in HEAVY], [n for n in names if n not in HEAVY]

    def judged(wrong: Sequence[str], said: str) -> Measured:
        note = f"not so on {', '.join(wrong)}" if wrong else ""
        return Measured(said, holds=not wrong, synthetic=any(not row["real"] for row in rows), note=note)

    def ends(key: str, value: str, load: str) -> str:
        found = series(rows, key, load, value)
        return f"{load} {found[0]:.3f} to {found[-1]:.3f}"

    def mean_us(key: str, load: str) -> list[float]:
        return series(rows, key, load, "normalized_mean")

    def extra(key: str, load: str) -> list[float]:
        return series(rows, key, load, "extra_writes")

    deeper = [n for n in names if not falls(mean_us("depth", n), SAME_TIME)]
    deeper += [f"{n} (extra writes)" for n in heavy if not falls_in_all([-v for v in extra("depth", n)], SAME_PAGES)]
    fewer = [n for n in names if not falls_in_all(extra("write", n), SAME_PAGES)]
    opposite = [n for n in heavy if not mean_us("write", n)[-1] < mean_us("write", n)[0]]
    opposite += [n for n in light if not rises(mean_us("write", n), SAME_TIME)]
    waited, at_once = hits_at(rows, HIT_THRESHOLD), hits_at(rows, 0)
    hits = [n for n in names if waited[n] < at_once[n] - SAME_HITS]
    if statistics.fmean(waited.values()) <= statistics.fmean(at_once.values()):
        hits.append("the mean")
    later = [n for n in names if not falls_in_all(extra("rewrite", n), SAME_PAGES)]
    hit_words = ", ".join(f"{n} {at_once[n]:.3f} to {waited[n]:.3f}" for n in names)
    return {
        "ofwar.fig13.depth": judged(deeper, "; ".join(ends("depth", "normalized_mean", n) for n in heavy)),
        "ofwar.fig17.threshold": judged(fewer, "; ".join(ends("write", "extra_writes", n) for n in names)),
        "ofwar.fig16.opposite": judged(opposite, "; ".join(ends("write", "normalized_mean", n) for n in names)),
        "ofwar.fig18.hit_rate": judged(hits, hit_words),
        "ofwar.fig19_20.rewrite_threshold": judged(later, "; ".join(ends("rewrite", "extra_writes", n) for n in names)),
    }
