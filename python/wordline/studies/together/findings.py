"""What came out, in sentences made of the numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import Results
from . import times
from .plan import NAMES

__all__ = ["findings"]

Row = dict[str, Any]


def findings(results: Results) -> list[str]:
    """How much all save, which pairs do not multiply, where AERO's gain comes from, what fast pages cost."""
    gains, pairs = times.gain_rows(results), times.pair_rows(results)
    pecs = sorted({row["pec"] for row in gains})
    age = pecs[len(pecs) // 2]
    return [
        *overall([row for row in gains if row["pec"] == age and row["measure"] == "all"]),
        *of_pairs([row for row in pairs if row["measure"] == "all" and row["others"] == "none"]),
        *of_wear([row for row in times.wear_rows(results) if row["pec"] == age and row["combination"] == "erase"]),
        of_fresh([row for row in times.fresh_rows(results) if row["pec"] == age]),
        of_lost(times.counts_rows(results)),
    ]


def shown(row: Row) -> str:
    """A factor with its interval, where it has one."""
    has_interval = row["high"] < float("inf")
    return f"{row['factor']:.2f}" + (f" ({row['low']:.2f} to {row['high']:.2f})" if has_interval else "")


def overall(rows: list[Row]) -> Iterator[str]:
    """All four against the product of the four."""
    for load in dict.fromkeys(row["workload"] for row in rows):
        by = {(row["which"], row["technique"]): row for row in rows if row["workload"] == load}
        every, beyond = by["all", "all"], by["beyond", "all"]
        alone = ", ".join(f"{NAMES[name]} {by['alone', name]['factor']:.2f}" for name in NAMES)
        last = ", ".join(f"{NAMES[name]} {by['last', name]['factor']:.2f}" for name in NAMES)
        product = every["factor"] / beyond["factor"]
        yield (
            f"{load}, {every['pec']} P/E cycles: all four answer requests {shown(every)} times as fast; the product of "
            f"what each brings alone would be {product:.2f}. Alone: {alone}. Last: {last}."
        )


def of_pairs(rows: list[Row]) -> Iterator[str]:
    """How many pairs surely save less, or more, than the product, and which most."""
    if any(row["high"] == float("inf") for row in rows):
        return
    sure = [row for row in rows if row["sure"]]
    less, more = ([row for row in sure if (row["factor"] < 1.0) == is_less] for is_less in (True, False))
    yield (
        f"Of {len(rows)} pairs (six in each workload at each age) {len(less)} surely bring less than the product of "
        f"what each brings, and {len(more)} more."
    )
    for found, worst, word in ((less, min, "least"), (more, max, "most")):
        if found:
            row = worst(found, key=lambda each: each["factor"])
            pair = " and ".join(NAMES[name] for name in row["pair"].split(" x "))
            place = f"{row['workload']}, {row['pec']} P/E cycles"
            yield f"Together {word}: {pair}, {place}: {shown(row)} times the product."


def of_wear(rows: list[Row]) -> Iterator[str]:
    """Shorter erases, and what they spare."""
    for load in dict.fromkeys(row["workload"] for row in rows):
        by = {row["which"]: row for row in rows if row["workload"] == load and row["measure"] == "all"}
        shorter, gentler = by["shorter erases"], by["gentler wear"]
        yield (
            f"AERO's gain, {load}, {shorter['pec']} P/E cycles: {shown(shorter)} by shorter erases, {shown(gentler)} "
            "by the retries that its gentler life spares."
        )


def of_fresh(rows: list[Row]) -> str:
    """What reads of fast pages take."""
    steps = {row["combination"]: row["retry_senses_per_read"] for row in rows}
    return (
        f"A page that was just written takes {steps['none']:.1f} retry senses a read at {rows[0]['pec']} P/E cycles, "
        f"written fast {steps['program']:.1f}; on blocks that AERO erased {steps['erase']:.1f} and "
        f"{steps['program+erase']:.1f}."
    )


def of_lost(rows: list[Row]) -> str:
    """Pages that no retry read."""
    lost = {row["pec"]: 0.0 for row in rows}
    for row in rows:
        lost[row["pec"]] += row["uncorrectable_pages"] + row["lost_pages"]
    counts = ", ".join(f"{count:.0f} at {pec}" for pec, count in sorted(lost.items()))
    return f"Pages that no retry could read, over all combinations and workloads of a seed: {counts} P/E cycles."
