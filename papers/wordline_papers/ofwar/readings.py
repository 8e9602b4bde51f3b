"""What OFWAR leaves open, and how the study reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import Figure, Measured
from ..common_readings import collected
from ..readings import Alternative, Reading
from .claims import claims
from .figures import random_writes
from .traces import QUEUED_UNTIL, STREAMS, Trace, replays, traces

PARTS = (replays, random_writes)
GC, STALE, QUEUED, COUNTS, REWRITES = (
    f"program.{key}"
    for key in ("gc_fast_first", "stale_entries", "queued_until", "fast_write_counts", "rewrites_in_flight")
)
DIES = "2 dies that share an 8-bit I/O bus"


def with_flat_lines(rows: Sequence[Trace]) -> Mapping[str, Measured]:
    """The claims on the workloads if a flat line counts as one that falls."""
    return claims(rows, flat_holds=True)


READINGS = (
    Reading(
        "streams",
        "How many pages does a channel program at once?",
        PARTS,
        "4: a chip at a time, two dies of two planes",
        (
            Alternative("1: a page at a time", "2 channels (gangs)", "section 4.2",
                why="chips of a gang that share a bus take turns in DiskSim's extension", settings={STREAMS.key: 1}),
            Alternative("2: a die at a time", DIES, "section 4.2", settings={STREAMS.key: 2}),
            Alternative("4: a chip at a time, two dies of two planes", DIES, "section 4.2",
                settings={STREAMS.key: STREAMS.usual}),
            Alternative("8: two chips", "each channel harbors 16 flash memory chips", "section 4.2",
                settings={STREAMS.key: 8}),
            Alternative("32: every die", "each channel harbors 16 flash memory chips", "section 4.2",
                settings={STREAMS.key: 32}),
        ),
        "The study's figure `streams` has 2 to 32 by workload.",
        is_scenario=True,
    ),
    Reading(
        "gc-priority",
        "When does garbage collection take a fast block before others?",
        PARTS,
        "if both have as many live pages",
        (
            Alternative("if both have as many live pages", "modified greedy strategy GC", "section 4.2",
                why="a strict priority would no longer be greedy", settings={GC: "ties"}),
            Alternative("always", "give fast-write blocks a higher priority", "section 3.2", settings={GC: "always"}),
            Alternative("never", "modified greedy strategy GC", "section 4.2", settings={GC: "never"}),
        ),
    ),
    Reading(
        "stale-entries",
        "Do entries of the rewrite queue count when their page has a newer copy?",
        PARTS,
        "yes, until they come to the top",
        (
            Alternative("yes, until they come to the top", "does not need to be moved", "section 3.2",
                settings={STALE: "count"}),
            Alternative("no", "it is rewritten already", "section 3.2", settings={STALE: "ignore"}),
        ),
    ),
    Reading(
        "queued-until",
        "When does a page leave the write queue?",
        PARTS,
        "when its program has ended",
        (
            Alternative("when its program has ended", "stores the data of write requests from the host", "section 3.2",
                why="a power failure must not lose them", settings={QUEUED: QUEUED_UNTIL}),
            Alternative("when its program begins", "fetch one host write request from the write queue", "section 3.2",
                settings={QUEUED: "begun"}),
        ),
        seen="settled after runs of both",
    ),
    Reading(
        "queue-counts",
        "What does N_th_w count?",
        PARTS,
        "pages",
        (
            Alternative("pages", "the pages in the write queue", "section 4.2", settings={COUNTS: "pages"}),
            Alternative("requests", "the number of requests in the write queue", "section 5",
                settings={COUNTS: "requests"}),
        ),
        "The definition supports the second. N_th_rw is of requests there, too; an entry of the rewrite queue is a "
        "page (section 3.2: it holds “the logical and physical address”). Counted in requests it would be reached "
        "later, as a higher N_th_rw is: more hits, fewer rewrites (Fig. 18 to 20).",
    ),
    Reading(
        "idle-rewrites",
        "How many pages does an idle channel rewrite at once?",
        PARTS,
        "one",
        (
            Alternative("one", "have a page to rewrite whenever a SSD channel is idle", "section 6.3",
                settings={REWRITES: 1}),
            Alternative("as many as it writes", "it will execute a rewrite operation", "section 3.2",
                settings={REWRITES: STREAMS.usual}),
        ),
    ),
    Reading(
        "repeats",
        "How often is a trace run?",
        PARTS,
        "once, after its writes without time",
        (
            Alternative("once, after its writes without time", "in order to invoke enough GC operations", "section 4.2",
                why="the writes before the run reach 1.15 times the host's space; short runs have none"),
            Alternative("hundreds of times", "are run hundreds of times", "section 4.2",
                missing="it takes hundreds of times as long; the figure `choices` has the real traces at the paper's "
                "thresholds, repeated until the SSD is written once more"),
        ),
        "The text supports the second.",
    ),
    Reading(
        "flat-lines",
        "Does a line that is flat within 0.01 fall?",
        (replays,),
        "no",
        (
            Alternative("no", "the hit rate of those trace significantly improves", "section 6.3",
                why="a tie is no rise"),
            Alternative("yes", why="as if nothing else could be told from chance",
                figures=(Figure("traces", (replays,), traces, with_flat_lines),)),
        ),
        "Without a difference that counts as equal, a queue that is nearly always full decides by chance.",
        seen="settled after close thresholds had scattered by 0.006",
    ),
    Reading(
        "whole-pages",
        "Are requests of part of a page widened to whole pages?",
        PARTS,
        "no",
        (
            Alternative("no", "eight 512-byte sectors", "section 4.2"),
            Alternative("yes", "with the SSD model patch", "section 4.2",
                why="DiskSim's extension accepts only whole pages", missing="traces are replayed as recorded"),
        ),
    ),
    collected(*PARTS),
)  # fmt: skip
