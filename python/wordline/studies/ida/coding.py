"""The result of the merge for each coding with each set of invalid pages."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...config import preset
from .. import Measured, Results
from ..claims import Measurement
from ..figure import Figure
from .systems import QLC

SCHEMES = {"slc": "slc", "mlc-1-2": "mlc", "tlc-1-2-4": "tlc", "tlc-2-3-2": "tlc", "qlc-1-2-4-8": "qlc"}


@dataclass(frozen=True)
class Merge:
    """A coding after some pages became invalid.

    Attributes:
        scheme: The coding.
        invalid: The pages.
        senses: Senses of each remaining page, after the merge.
        slower: Number of these pages that need more senses than before.
        wrong: Number of states that go to a lower voltage, or in which a valid page would read another value.
        msb_programs: Time of the adjustment, in programs of the last page; 0 if there is none.
    """

    scheme: str
    invalid: tuple[str, ...]
    senses: Mapping[str, int]
    slower: int
    wrong: int
    msb_programs: float


def merged(scheme: str, invalid: list[str]) -> dict[str, Any]:
    """Returns a coding before and after some pages became invalid."""
    times = {"nand.read_us": QLC["nand.read_us"]}
    config = preset("ida").set_all({"coding.cell": SCHEMES[scheme], "coding.scheme": scheme, **times})
    document: dict[str, Any] = json.loads(config.core.coding(invalid))
    return document


def senses(document: Mapping[str, Any], side: str) -> dict[str, int]:
    """Returns senses by page."""
    return {page["page"]: page[side]["senses"] for page in document["pages"] if page["valid"]}


def counterexamples(document: Mapping[str, Any]) -> int:
    """Counts states that a merge moves to a lower voltage, or in which a valid page would read another value."""
    states, pages = document["states"], document["pages"]
    wrong = 0
    for state in states:
        target = states[state["target"] - 1]
        is_lower = target["state"] < state["state"]
        differs = any(
            page["valid"] and state["word"][place] != target["word"][place] for place, page in enumerate(pages)
        )
        wrong += is_lower or differs or not target["kept"]
    return wrong


def merges(results: Results) -> list[Merge]:
    """Returns every coding with every set of invalid pages except all pages; no run is needed."""
    del results
    rows = []
    for scheme in SCHEMES:
        names = [page["page"] for page in merged(scheme, [])["pages"]]
        for count in range(len(names)):
            for invalid in itertools.combinations(names, count):
                document = merged(scheme, list(invalid))
                after, before = senses(document, "after"), senses(document, "before")
                slower = sum(after[page] > count for page, count in before.items())
                adjustment = document["adjustment"] or {"share_of_msb_program": 0.0}
                share = float(adjustment["share_of_msb_program"])
                rows.append(Merge(scheme, invalid, after, slower, counterexamples(document), share))
    return rows


def claims(rows: Sequence[Merge]) -> Mapping[str, Measurement]:
    """Senses after a merge, and the proof that it never harms."""
    by = {(row.scheme, row.invalid): row for row in rows}
    lsb, both = by["tlc-1-2-4", ("lsb",)], by["tlc-1-2-4", ("lsb", "csb")]
    low = by["qlc-1-2-4-8", ("bit1", "bit2")]
    return {
        "ida.coding.tlc.lsb_invalid": f"CSB {lsb.senses['csb']}, MSB {lsb.senses['msb']}",
        "ida.coding.tlc.lsb_csb_invalid": f"MSB {both.senses['msb']}",
        "ida.coding.qlc": f"bit4 {low.senses['bit4']}, bit3 {low.senses['bit3']}",
        "ida.coding.general": sum(row.wrong for row in rows),
        "ida.coding.senses_never_rise": sum(row.slower for row in rows),
        "ida.adjust.time": Measured(lsb.msb_programs, note="the evaluation, here as there, takes 1.0"),
    }


FIGURES: tuple[Figure[Any], ...] = (Figure("coding", (), merges, claims, is_saved=False),)
