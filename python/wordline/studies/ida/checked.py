"""Runs every point of the study again, shortened, in checked mode, and with power cuts during the refresh.

Blocks and footprints are small, so that a refresh of all data takes a few simulated seconds. The characteristics of a
point stay: its SSD, coding, cells, arrivals and scheduling.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...api import run
from ...config import preset
from ...workload import workload
from .. import Columns, Computation, Figure, Part, Point, Results, grouped
from . import points
from .blocks import BLOCKS, ERASES
from .exact import LONE, REFRESH
from .gains import FIG_10

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
    points.FIG_8, points.FIG_9, points.AT_LOADS, points.PROGRAMS, points.IN_RUNS, points.IN_EXTENTS, points.RANDOM,
    points.EQUAL, points.TOTAL, points.FIG_11, points.TABLE_V, FIG_10, points.LITERAL, points.QLC, BLOCKS, ERASES, LONE,
    REFRESH,
)  # fmt: skip


def shortened(quick: bool) -> Iterator[Computation]:
    """Yields a computation for each point of all parts."""
    for part in PARTS:
        for point in part.points(quick):
            if isinstance(point, Point):
                arguments = {"ssd": point.ssd, "settings": dict(point.settings), "name": point.workload}
                yield Computation(cut, arguments, {"of": part.name})


def cut(ssd: str, settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Runs a shortened point unchanged; with its refresh in the run; and with refresh and power cut, once for each.

    Raises:
        RunError: A check failed.
    """
    its = workload(name, requests=REQUESTS)
    as_it_is = preset(ssd).set_all({**settings, **SHORT})
    in_the_run = as_it_is.set("refresh.at_start", "during")
    documents = [run(config, its, check=True).document for config in (as_it_is, in_the_run)]
    whole_s = documents[1]["simulated_s"]
    for share in CUTS:
        documents.append(run(in_the_run.set("power.cut_at_s", whole_s * share), its, check=True).document)
    cuts = [document["power"]["cut"] for document in documents if document["power"] is not None]
    return {
        "runs": sum(document["checked"] for document in documents),
        "reads_checked": sum(document["reads_checked"] for document in documents),
        "cuts": len(cuts),
        "programs_cut_off": sum(each["programs_cut_off"] for each in cuts),
        "adjusted_wordlines": sum(document["counters"]["ftl"]["adjusted_wordlines"] for document in documents),
    }


CHECKED = Part("checked", shortened)


def checks(results: Results) -> list[Columns]:
    """Returns the checks of each part."""
    return [
        Columns({"of": of, "points": len(its), **{name: sum(o[name] for o in its) for name in COUNTS}})
        for of, its in grouped(CHECKED.of(results), lambda o: str(o.coordinates["of"])).items()
    ]


FIGURES = (Figure("checked", (CHECKED,), checks),)
