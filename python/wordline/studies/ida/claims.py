"""What the paper claims, measured."""

from __future__ import annotations

import itertools
import json
import statistics
from collections.abc import Mapping
from typing import Any

from ...config import preset
from .. import Measured, Outcome, Results
from ..claims import Measurement
from . import closed_form, gains, points
from .systems import QLC

__all__ = ["coding", "measure", "throughput_gains"]

STATED_US = {"ida": (118.0, 168.0, 218.0), "ida-mlc": (133.0, 183.0)}
NS_PER_US = 1000
SCHEMES = {"slc": "slc", "mlc-1-2": "mlc", "tlc-1-2-4": "tlc", "tlc-2-3-2": "tlc", "qlc-1-2-4-8": "qlc"}


def measure(results: Results) -> Mapping[str, Measurement]:
    """All claims of the paper."""
    return {**coding(), **exact(results), **refresh(results), **responses(results), **blocks(results)}


def merged(scheme: str, invalid: list[str]) -> dict[str, Any]:
    """A coding before and after some pages became invalid."""
    times = {"nand.read_us": QLC["nand.read_us"]}
    config = preset("ida").set_all({"coding.cell": SCHEMES[scheme], "coding.scheme": scheme, **times})
    document: dict[str, Any] = json.loads(config.core.coding(invalid))
    return document


def senses(document: Mapping[str, Any], side: str) -> dict[str, int]:
    """Senses by page."""
    return {page["page"]: page[side]["senses"] for page in document["pages"] if page["valid"]}


def coding() -> dict[str, Measurement]:
    """What the merge does to each coding with each set of invalid pages."""
    lsb, lsb_csb = (senses(merged("tlc-1-2-4", pages), "after") for pages in (["lsb"], ["lsb", "csb"]))
    low = senses(merged("qlc-1-2-4-8", ["bit1", "bit2"]), "after")
    every = [merged(scheme, list(pages)) for scheme in SCHEMES for pages in invalid_sets(scheme)]
    slower = sum(
        senses(document, "after")[page] > before
        for document in every
        for page, before in senses(document, "before").items()
    )
    share = merged("tlc-1-2-4", ["lsb"])["adjustment"]["share_of_msb_program"]
    return {
        "ida.coding.tlc.lsb_invalid": f"CSB {lsb['csb']}, MSB {lsb['msb']}",
        "ida.coding.tlc.lsb_csb_invalid": f"MSB {lsb_csb['msb']}",
        "ida.coding.qlc": f"bit4 {low['bit4']}, bit3 {low['bit3']}",
        "ida.coding.general": sum(counterexamples(document) for document in every),
        "ida.coding.senses_never_rise": slower,
        "ida.adjust.time": Measured(float(share), note="the evaluation, here as there, takes 1.0"),
    }


def invalid_sets(scheme: str) -> list[tuple[str, ...]]:
    """Every set of pages but all of them."""
    names = [page["page"] for page in merged(scheme, [])["pages"]]
    return [chosen for count in range(len(names)) for chosen in itertools.combinations(names, count)]


def counterexamples(document: Mapping[str, Any]) -> int:
    """States that a merge takes to a lower voltage, or in which a valid page would read something else."""
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


def exact(results: Results) -> dict[str, Measurement]:
    """Lone reads, and the page counts of a refresh."""
    lone = results.where(part="lone")
    worst = max(deviation_us(outcome) for outcome in lone)
    seen = sorted({us for outcome in lone for us in responses_us(outcome)})
    during = results.where(part="refresh")
    differences = [reads_of_refresh(outcome) - valid(outcome) - kept(outcome) for outcome in during]
    broken = during.one(system="E20")
    return {
        "ida.timing.unloaded": Measured(worst, note=f"times seen: {', '.join(f'{us:g}' for us in seen)} us"),
        "ida.refresh.reads": max(differences, key=abs),
        "ida.refresh.writes": counter(broken, "refresh_written_back") / kept(broken),
    }


def responses_us(outcome: Outcome) -> list[float]:
    """Response times, us, to the nanosecond."""
    if outcome.result is None:
        return []
    table = outcome.result.requests()
    times = zip(table["arrival_ns"].to_pylist(), table["completed_ns"].to_pylist(), strict=True)
    return [(end - start) / NS_PER_US for start, end in times]


def deviation_us(outcome: Outcome) -> float:
    """The largest distance of a lone read from the times that the paper's device has."""
    stated = STATED_US[outcome.coordinates["ssd"]]
    return max(min(abs(us - time) for time in stated) for us in responses_us(outcome))


def counter(outcome: Outcome, name: str) -> int:
    """A counter of the FTL."""
    return int(outcome[f"counters.ftl.{name}"])


def valid(outcome: Outcome) -> int:
    """Valid pages of the refreshed blocks."""
    return counter(outcome, "refresh_valid_pages")


def kept(outcome: Outcome) -> int:
    """Pages that stayed in adjusted wordlines."""
    return counter(outcome, "refresh_kept_pages")


def reads_of_refresh(outcome: Outcome) -> int:
    """Pages that the flash read, but for the host's."""
    return int(outcome["counters.controller.reads"]) - counter(outcome, "user_reads")


def refresh(results: Results) -> dict[str, Measurement]:
    """Table IV."""
    per_block, added, in_runs = (
        statistics.fmean(count(o) / counter(o, "refresh_jobs") for o in results.where(part=part, system="E20"))
        for part, count in (("fig8", valid), ("fig8", kept), ("runs", kept))
    )
    return {
        "ida.refresh.valid_pages": Measured(
            per_block, note="matched at the refresh; Table III's share of MSB reads is taken as the trace's mean"
        ),
        "ida.refresh.added_reads": Measured(
            added,
            note=f"pages invalid independently; {in_runs:.1f} where part of them lie in runs of whole wordlines, so "
            "that Table III's last column holds at the refresh, too (the choice was made after seeing both)",
        ),
    }


def throughput(results: Results) -> Measured:
    """Fig. 10, at the study's queue depth."""
    closed = results.where(part="fig10")
    means = {
        depth: statistics.fmean(throughput_gains(results, depth).values())
        for depth in sorted(closed.values_of("queue_depth"))
    }
    others = ", ".join(f"{depth}: {gain:.3f}" for depth, gain in means.items() if depth != points.QUEUE_DEPTH)
    return Measured(
        means[points.QUEUE_DEPTH],
        note=f"queue depth {points.QUEUE_DEPTH} ({others}); a saturated device gains what it saves of its work, and "
        "programs, which IDA does not shorten, are much of it",
    )


def throughput_gains(results: Results, queue_depth: int) -> dict[str, float]:
    """Gain in throughput of E20 over the baseline, a fraction by workload."""
    found = results.where(part="fig10", queue_depth=queue_depth)
    ours, base = (
        {o.coordinates["trace"]: o["bandwidth_mb_s.all"] for o in found.where(system=system)}
        for system in ("E20", "baseline")
    )
    return {trace: ours[trace] / base[trace] - 1.0 for trace in base}


def late(results: Results) -> Measured:
    """Fig. 11."""
    ages = {pec: gains.mean_gain(results, "E20", part="fig11", pec=pec) for pec in gains.late(results)}
    return Measured(
        statistics.fmean(ages.values()) if ages else None,
        note="mean of the P/E cycles at which reads are retried and every chip keeps up with the arrivals of Fig. 8: "
        + ", ".join(f"{pec} {gain:.3f}" for pec, gain in ages.items()),
    )


def responses(results: Results) -> dict[str, Measurement]:
    """Figures 8 to 11 and Table V."""
    e = {name: gains.mean_gain(results, name, part="fig8") for name in ("E0", "E20", "E50", "E80")}
    order = " > ".join(f"{value:.3f}" for value in e.values())
    best = sorted(gains.by_workload(results, "E0", part="fig8").items(), key=lambda item: -item[1])[:2]
    falls = e["E0"] > e["E20"] > e["E50"] > e["E80"] > 0
    return {
        "ida.fig8.e0": Measured(e["E0"], note=readings(results)),
        "ida.fig8.e20": e["E20"],
        "ida.fig8.e50": Measured(e["E50"], note="what breaks is lost to the gain in proportion; the paper loses less"),
        "ida.fig8.e80": e["E80"],
        "ida.fig8.order": Measured(f"{order} > 0", holds=falls),
        "ida.fig8.best": Measured(
            best[1][1], note="; ".join(f"{n} {g:.3f}" for n, g in best) + ": at much the same load, all gain much alike"
        ),
        "ida.fig9.dtr30": gains.mean_gain(results, "E20", part="fig9", dtr_us=30.0),
        "ida.fig9.dtr70": gains.mean_gain(results, "E20", part="fig9", dtr_us=70.0),
        "ida.fig10.throughput": throughput(results),
        "ida.fig11.late": late(results),
        "ida.tableV.mlc": gains.mean_gain(results, "E20", part="tableV"),
    }


def readings(results: Results) -> str:
    """The loads of the workloads, and what E0 saves where the load, or the SSD, is read in another way."""
    loads = [gains.load(o) for o in results.where(part="fig8", system="baseline")]
    others: dict[str, dict[str, Any]] = {
        "requests at random, not in bursts": {"part": "random"},
        "each workload at the mean load": {"part": "equal"},
        "programs counted in the load": {"part": "total"},
        f"updates of {points.EXTENTS[0]} pages, which end on the same chips": {
            "part": "extents",
            "extent_pages": points.EXTENTS[0],
        },
        "Table II to the letter": {"part": "literal"},
        "reads wait for programs": {"part": "programs"},
    }
    shown = "; ".join(f"{name}: {gains.mean_gain(results, 'E0', **labels):.3f}" for name, labels in others.items())
    alone = closed_form.rows(points.LOAD, [0.0], [])[0]["gain"]
    return (
        f"reads hold the chips {min(loads):.3f} to {max(loads):.3f} of the time, mean {statistics.fmean(loads):.3f}; "
        + shown
        + f"; one chip by itself, read at random (M/G/1): {alone:.3f}"
    )


def blocks(results: Results) -> dict[str, Measurement]:
    """Blocks in use, and what IDA costs a write-intensive workload afterwards."""
    found = results.where(part="blocks", system="E20")
    more = [o["blocks.in_use_at_start"] - o["blocks.in_use_before_refresh"] for o in found]
    of_ssd = [extra / o["blocks.all"] for extra, o in zip(more, found, strict=True)]
    of_own = [extra / o["blocks.in_use_before_refresh"] for extra, o in zip(more, found, strict=True)]
    written = results.where(part="erases")
    rise = []
    for trace in written.values_of("trace"):
        ours, base = (written.one(system=system, trace=trace) for system in ("E20", "baseline"))
        rise += [counter(ours, name) / max(counter(base, name), 1) - 1.0 for name in ("gc_jobs", "erases")]
    return {
        "ida.blocks.in_use": statistics.fmean(of_ssd),
        "ida.blocks.workload": statistics.fmean(of_own),
        "ida.blocks.erases": Measured(
            max(rise), note="the larger rise of GC invocations and erases over the workloads"
        ),
    }
