"""The chip lab: AERO's measurements on its chips (Sections 3, 5 and 7.2), computed from the device model.

What takes a `seed` draws from it how the blocks under test differ. Fig. 4's blocks are evenly spread instead.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wordline.config import Config, preset
from wordline.lab import EraseBench

from .. import Computation, Part

# Fig. 4 shows ages up to 5K P/E cycles; m-ISPE is tried at each.
PECS = (0, 500, 1000, 2000, 2500, 3000, 3500, 4500, 5000)
# Blocks of Fig. 4 and 9: a set of 120 would give visible steps.
MANY = 4000
SHALLOW_BLOCKS = 1000
# Section 5.5, and the chip that provides read errors for chips without published ones.
CHIPS = ("tlc-48l", "tlc-2d", "mlc-48l")


def bench(**settings: Any) -> EraseBench:  # noqa: ANN401 - values of keys
    """Returns the bench of the preset `aero`; keys with `_` for their first dot."""
    return EraseBench(_config(settings), errors_of=_config({}))


def _config(settings: dict[str, Any]) -> Config:
    return preset("aero").set_all({key.replace("_", ".", 1): value for key, value in settings.items()})


def _rows(table_columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Returns columns as rows."""
    return [dict(zip(table_columns, values, strict=True)) for values in zip(*table_columns.values(), strict=True)]


def latencies() -> dict[str, Any]:
    """Fig. 4: shares of blocks by their smallest erase latency, by loops, and its spread, at each age."""
    rows, ages = [], []
    for curve in bench().latencies(PECS, MANY):
        ms, loops = curve["latency_ms"], curve["loops"]
        steps = sorted(set(ms))
        rows += [
            {"pec": int(curve["pec"]), "latency_ms": step, "share": _share(each <= step for each in ms)}
            for step in steps
        ]
        by_loops = {str(count): _share(each == count for each in loops) for count in range(1, 6)}
        ages.append({"pec": int(curve["pec"]), "std_ms": statistics.pstdev(ms), "by_loops": by_loops})
    return {"curve": rows, "ages": ages}


def fail_bits(chip: str, seed: int = 1) -> dict[str, Any]:
    """Fig. 7 and 11a: fail bits in the last loop, the decrease per pulse (delta), and most with one to go (gamma)."""
    rates = bench(seed=seed, cells_chip=chip).fail_bits()
    rows = _rows(rates)
    gammas = [row["fail_bits"] for row in rows if row["needed_pulses"] - row["pulses"] == 1]
    deltas = []
    for before, after in itertools.pairwise(rows):
        same = (before["loops"], before["needed_pulses"]) == (after["loops"], after["needed_pulses"])
        # The step before the last one ends at gamma, and does not follow the line.
        if same and after["needed_pulses"] - after["pulses"] >= 2:
            deltas.append(before["mean"] - after["mean"])
    return {"rows": rows, "deltas": deltas, "gammas": gammas}


def ranges(seed: int = 1) -> dict[str, Any]:
    """Fig. 8: shares of erases by the pulses they need, in each fail-bit range."""
    by_loops = bench(seed=seed).ranges()
    rows = _rows(by_loops)
    totals: dict[tuple[int, int], int] = {}
    for row in rows:
        place = (row["loops"], row["range"])
        totals[place] = totals.get(place, 0) + row["erases"]
    return {"rows": [{**row, "share": row["erases"] / totals[row["loops"], row["range"]]} for row in rows]}


def shallow(seed: int = 1) -> dict[str, Any]:
    """Fig. 9: shallow erasures of 0.5 to 2 ms in young blocks."""
    return {"rows": bench(seed=seed).shallow((100, 500), (1, 2, 3, 4), SHALLOW_BLOCKS)}


def margins(chip: str, seed: int = 1) -> dict[str, Any]:
    """Fig. 10 and 11b: largest M_RBER with and without the last loop."""
    by_loops = bench(seed=seed, cells_chip=chip).margins()
    fresh = by_loops.pop("fresh_bits")
    rows = _rows(by_loops)
    return {"rows": rows, "fresh_bits": max(fresh)}


def table(requirement_bits: float, seed: int = 1) -> dict[str, Any]:
    """Table 1 by profiling; the size of the table, and of the flags of an SSD of 1 TB (Section 6)."""
    times_ms = bench(seed=seed, erase_rber_requirement_bits=requirement_bits).table()
    # Section 6: blocks of "around 10 MB".
    return {**times_ms, "flags_bytes": EraseBench.flags_bytes(10**12, 10**7)}


def lifetime(scheme: str, requirement_bits: float, mispredict_rate: float, seed: int = 1) -> dict[str, Any]:
    """Fig. 13, 16 and 17: M_RBER over life with the wear that a scheme causes."""
    keys = {"erase_rber_requirement_bits": requirement_bits, "erase_mispredict_rate": mispredict_rate}
    return bench(seed=seed, **keys).lifetime(scheme)


def erases(scheme: str, pecs: Sequence[int], seed: int = 1) -> dict[str, Any]:
    """Erase latency under a scheme, with its own wear: the share of blocks by latency."""
    erased = bench(seed=seed).erases(scheme, pecs)
    rows = []
    for pec in pecs:
        ms = [each for each, age in zip(erased["latency_ms"], erased["pec"], strict=True) if age == pec]
        rows += [
            {"pec": pec, "latency_ms": round(step, 3), "share": _share(each == step for each in ms)}
            for step in sorted(set(ms))
        ]
    return {"rows": rows}


def m_ispe(seed: int = 1) -> dict[str, Any]:
    """Section 5.1: blocks for which m-ISPE recovers a wrong N_ISPE or last pulse."""
    erased = bench(seed=seed).erases_after_ispe("m-ispe", PECS, 500)
    wrong = 0
    for pulses, needed, loops in zip(erased["pulses"], erased["needed_pulses"], erased["loops"], strict=True):
        whole = math.ceil(needed - 1e-6)
        wrong += ((pulses + 6) // 7, 1 + (pulses - 1) % 7) != (loops, whole - 7 * (loops - 1))
    return {"wrong": wrong, "blocks": len(erased["pulses"])}


def stress(seed: int = 1) -> dict[str, Any]:
    """Section 3.1: the share of stress from erases; Section 5.1: what m-ISPE's ramps add to M_RBER at 5K cycles."""
    lab = bench(seed=seed)
    erased = lab.erases("ispe", PECS)
    whole, split = (lab.m_rber_in_pieces(5000, pulses) for pulses in (7, 1))
    return {
        "erase_share": 1.0 - lab.program_stress() / statistics.fmean(erased["stress"]),
        "m_rber_added": split / whole - 1.0,
    }


def _share(flags: Iterable[bool]) -> float:
    known = list(flags)
    return sum(known) / len(known)


def alone(function: Callable[[], dict[str, Any]]) -> Part:
    """Returns the points of a bench that needs only its function."""
    return Part(function.__name__, lambda _: [Computation(function, version=1)])


def on_each_chip(function: Callable[[str], dict[str, Any]]) -> Part:
    """Returns the points of a bench on each kind of chip."""
    return Part(function.__name__, lambda _: [Computation(function, {"chip": chip}, version=1) for chip in CHIPS])
