"""Results that must be exact: merges, lone reads, page counts of a refresh, and every point again in checked mode.

In checked mode points are shorter: blocks and footprints are small, so that a refresh of all data takes a few simulated
seconds. The characteristics of a point stay: its SSD, coding, cells, arrivals and scheduling.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wordline.api import run
from wordline.config import preset
from wordline.workload import workload

from .. import Columns, Computation, Figure, Measured, Measurement, Outcome, Point, Results, Row, grouped, of_runs, part
from ..lone import ONE_PLANE, times_us
from . import points, setups
from .blocks import counter, in_use, write_intensive
from .gains import fig_10
from .points import ERROR_RATES
from .setups import PAGE_BYTES, QLC

SCHEMES = {"slc": "slc", "mlc-1-2": "mlc", "tlc-1-2-4": "tlc", "tlc-2-3-2": "tlc", "qlc-1-2-4-8": "qlc"}


class Merge(Row):
    """A coding after some pages became invalid.

    `senses` are those of each remaining page, `slower` is the number of them that need more than before. `wrong` counts
    states that go to a lower voltage, or in which a valid page would read another value. `msb_programs` is the time of
    the adjustment, in programs of the last page; 0 if there is none.
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
    states = document["states"]
    valid = [place for place, page in enumerate(document["pages"]) if page["valid"]]

    def is_wrong(state: Mapping[str, Any], target: Mapping[str, Any]) -> bool:
        differs = any(state["word"][place] != target["word"][place] for place in valid)
        return target["state"] < state["state"] or differs or not target["kept"]

    return sum(is_wrong(state, states[state["target"] - 1]) for state in states)


def merges(_results: Results) -> list[Merge]:
    """Returns every coding with every set of invalid pages except all pages; no run is needed."""
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


def claims_of_merges(rows: Sequence[Merge]) -> Mapping[str, Measurement]:
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


STATED_US = {"ida": (118.0, 168.0, 218.0), "ida-mlc": (133.0, 183.0)}
TINY: dict[str, Any] = {
    **ONE_PLANE,
    "ssd.blocks_per_plane": 256,
    "ssd.overprovisioning": 0.5,
    "host.link_rate_mb_s": 0.0,
    "refresh.period_days": 0.0,
    "precondition.fill": 0.5,
    "host.mode": "closed",
    "host.queue_depth": 1,
    "workload.footprint_ratio": 0.5,
    "workload.read_block_bytes": PAGE_BYTES,
    "workload.update_scattered_ratio": 0.3,
    "workload.update_extent_bytes": PAGE_BYTES,
    "workload.reads_skip_updated": True,
}


@part("lone")
def lone(_quick: bool) -> Iterator[Point]:
    """Yields lone reads on one plane, plain and merged."""
    for ssd in STATED_US:
        for system, keys in (("baseline", {"refresh.at_start": "never"}), ("E0", setups.ida(0.0))):
            settings, labels = {**TINY, **keys}, {"system": system}
            yield Point(ssd, settings, "fio/random-read", requests=2_000, log_requests=True, labels=labels)


@part("refresh")
def refresh(_quick: bool) -> Iterator[Point]:
    """Yields runs with a refresh in the run, and very few other reads."""
    for rate in ERROR_RATES:
        keys = {**setups.ida(rate), "refresh.at_start": "during"}
        labels = {"system": f"E{rate * 100:.0f}"}
        yield Point("ida", {**TINY, **keys}, "fio/random-read", requests=1, check=True, labels=labels)


def claims_of_reads(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """The largest difference between a lone read and the times of the paper's device."""
    seen, worst = set[float](), 0.0
    for outcome in rows:
        times, stated = set(times_us(outcome)), STATED_US[outcome.coordinates["ssd"]]
        worst = max(worst, *(min(abs(us - time) for time in stated) for us in times))
        seen |= times
    return {
        "ida.timing.unloaded": Measured(worst, note=f"times seen: {', '.join(f'{us:g}' for us in sorted(seen))} us")
    }


def claims_of_refreshes(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """Reads in excess of valid and kept pages; and writes if a fifth of the pages break."""
    differences = [
        counter(o, "controller.reads")
        - sum(counter(o, f"ftl.{name}") for name in ("user_reads", "refresh_valid_pages", "refresh_kept_pages"))
        for o in rows
    ]
    broken = next(outcome for outcome in rows if outcome.coordinates["system"] == "E20")
    return {
        "ida.refresh.reads": max(differences, key=abs),
        "ida.refresh.writes": counter(broken, "ftl.refresh_written_back") / counter(broken, "ftl.refresh_kept_pages"),
    }


# One block on each of the 64 planes is 12 MiB.
SHORT: dict[str, Any] = {
    "ssd.blocks_per_plane": 24,
    "ssd.pages_per_block": 24,
    "ssd.overprovisioning": 0.5,
    "precondition.fill": 0.5,
    "workload.footprint_bytes": 0,
    "workload.footprint_ratio": 0.5,
    "workload.write_footprint_bytes": 0,
    "host.warmup_requests": 0,
}
REQUESTS = 150
COUNTS = ("runs", "reads_checked", "cuts", "programs_cut_off", "adjusted_wordlines")
# Times of power cuts, as shares of the time of the same run without them.
CUTS = (0.15, 0.4, 0.75)
PARTS = (
    points.FIG_8, points.FIG_9, points.IN_RUNS, points.FIG_11, points.TABLE_V, fig_10, points.QLC, in_use,
    write_intensive, lone, refresh,
)  # fmt: skip


@part("checked")
def shortened(quick: bool) -> Iterator[Computation]:
    """Yields a computation for each point of all parts; if quick, for the first one of each system of a part."""
    for each in PARTS:
        runs = [point for point in each.points(quick) if isinstance(point, Point)]
        if quick:
            runs = [first for first, *_ in grouped(runs, lambda point: point.labels.get("system")).values()]
        for point in runs:
            arguments = {"ssd": point.ssd, "settings": dict(point.settings), "name": point.workload}
            yield Computation(cut, arguments, {"of": each.name}, version=1)


def cut(ssd: str, settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Runs a shortened point unchanged; with its refresh in the run; and with refresh and power cut, once for each.

    Raises:
        RunError: A check failed.
    """
    load = workload(name, requests=REQUESTS)
    as_it_is = preset(ssd).set_all({**settings, **SHORT})
    in_the_run = as_it_is.set("refresh.at_start", "during")
    documents: list[Any] = [run(config, load, check=True).document for config in (as_it_is, in_the_run)]
    whole_s = documents[1]["simulated_s"]
    for share in CUTS:
        documents.append(run(in_the_run.set("power.cut_at_s", whole_s * share), load, check=True).document)
    cuts = [document["power"]["cut"] for document in documents if document["power"] is not None]
    return {
        "runs": sum(document["checked"] for document in documents),
        "reads_checked": sum(document["reads_checked"] for document in documents),
        "cuts": len(cuts),
        "programs_cut_off": sum(each["programs_cut_off"] for each in cuts),
        "adjusted_wordlines": sum(document["counters"]["ftl"]["adjusted_wordlines"] for document in documents),
    }


def checks(results: Results) -> list[Columns]:
    """Returns the checks of each part."""
    return [
        Columns({"of": of, "points": len(outcomes), **{name: sum(o[name] for o in outcomes) for name in COUNTS}})
        for of, outcomes in grouped(shortened.of(results), lambda o: str(o.coordinates["of"])).items()
    ]


FIGURES = (
    Figure("coding", (), merges, claims_of_merges, is_saved=False),
    of_runs("lone", lone, claims=claims_of_reads),
    of_runs("refresh", refresh, claims=claims_of_refreshes),
    Figure("checked", (shortened,), checks),
)
