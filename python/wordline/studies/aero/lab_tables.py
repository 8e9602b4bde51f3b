"""Tables of cells: the erase-timing parameter table, and ISPE's latencies beside measured ones."""

from __future__ import annotations

import csv
from typing import Any

from .. import Results
from ..at_hand import tables_folder
from . import published as paper
from .lab_claims import differing_cells

# The public table of ISPE's latencies, where someone has put it.
MEASURED = "ispe_erase_latency.csv"


def table_1(results: Results) -> list[dict[str, Any]]:
    """The profiled table beside the printed one."""
    table = results.one(function="table", requirement_bits=paper.REQUIREMENT_BITS)
    wrong = set(differing_cells(table))
    return [
        {
            "loops": row + 1,
            "range": place,
            "t1_ms": table["complete_ms"][row][place],
            "t2_ms": table["with_margin_ms"][row][place],
            "paper_t1_ms": t1,
            "paper_t2_ms": t2,
            "same": (row + 1, place) not in wrong,
        }
        for row, cells in enumerate(paper.TABLE_1)
        for place, (t1, t2) in enumerate(cells)
    ]


def ispe_latencies(results: Results) -> list[dict[str, Any]]:
    """Percent of blocks by loops under ISPE, beside the measured ones where they are at hand."""
    there = measured()
    return [
        {
            "pec": age["pec"],
            "loops": int(loops),
            "percent": 100 * share,
            "measured_percent": there.get(
                (age["pec"], int(loops)), 0.0 if age["pec"] in {pec for pec, _ in there} else None
            ),
        }
        for age in results.one(function="latencies")["ages"]
        for loops, share in age["by_loops"].items()
    ]


def measured() -> dict[tuple[int, int], float]:
    """Percent of blocks by age and loops, as measured; empty where the table is not there."""
    path = tables_folder() / MEASURED
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {
            (int(row["pec"]), round(float(row["latency_ms"]) / paper.LOOP_MS)): float(row["percent_of_blocks"])
            for row in csv.DictReader(file)
        }
