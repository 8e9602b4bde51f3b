"""What IDA leaves open, and how the study reads it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .. import Part, Point
from ..readings import Alternative, Reading
from . import points, setups
from .gains import fig_10
from .points import ALL_RATES, FIG_8, FIG_9, FIG_11, LATE_AGES, PAIR, STEPS_US, TABLE_V

# Most choices leave Fig. 11 as it is: its runs are many, and it takes the arrivals of Fig. 8.
OPEN = (FIG_8, FIG_9, TABLE_V)
TRACES = "11 read-intensive applications from the MSR Cambridge suite"
INVALID = "Ratio of MSB Whose LSB/CSB Invalid"
STRIPED = "CWDP static allocation"
READS_FIRST = "prioritizes read I/Os over write I/Os during scheduling"
DIFFERENCE = "the difference in the read latencies"
MONTHS, SPREAD = "reliability.retention_months", "reliability.retention_spread"
MLC, CSB_US = "ida-mlc", 100.0
# The presets' 64 KiB, and other numbers of pages without a common divisor with 16 chips.
EXTENTS = (8, 11, 13)


def paced(**how: Any) -> tuple[Part, ...]:  # noqa: ANN401 - arguments of `points.latency`
    """Returns Fig. 8, Fig. 9 and Table V with other arguments, their arrivals set anew."""
    steps = {step_us: {"extra": setups.read_times(step_us)} for step_us in STEPS_US}
    return (
        points.part(FIG_8.name, ALL_RATES, **how),
        points.part(FIG_9.name, PAIR, steps, "dtr_us", **how),
        points.part(TABLE_V.name, PAIR, ssd=MLC, paced_by="ida", **how),
    )


def all_at(load: float, **how: Any) -> tuple[Part, ...]:  # noqa: ANN401 - arguments of `points.latency`
    """Returns the same parts with one load for all workloads."""
    return paced(loads=dict.fromkeys(setups.NAMES, load), **how)


def csb_stays(quick: bool) -> Iterator[Point]:
    """Yields Fig. 9 with the CSB's read time kept."""
    for step_us in STEPS_US:
        times = [CSB_US - step_us, CSB_US, CSB_US + step_us / 2, CSB_US + step_us]
        yield from points.latency(quick, PAIR, extra={"nand.read_us": times}, labels={"dtr_us": step_us})


def pieces(pages: int) -> Callable[[str], Mapping[str, Any]]:
    """Returns the rewrites in pieces of some pages."""
    return functools.partial(setups.updated, extent_pages=pages)


READINGS = (
    Reading(
        "load",
        "How busy are the chips?",
        OPEN,
        "each workload's as Table V needs it",
        (
            Alternative("each workload's as Table V needs it", "response time improvements brought by IDA-Coding-E20",
                "Table V", why="fitted to these eleven settings"),
            Alternative("all at 78 %", TRACES, "section IV-D", parts=all_at(0.78),
                why="fitted: Fig. 8 and 9 come out; one factor for all with this mean gives nearly the same"),
            Alternative("all at 60 %", TRACES, "section IV-D", parts=all_at(0.6)),
            Alternative("all at 70 %", TRACES, "section IV-D", parts=all_at(0.7)),
            Alternative("all at 85 %", TRACES, "section IV-D", parts=all_at(0.85)),
            Alternative("all at 78 % with programs", TRACES, "section IV-D", parts=all_at(0.78, counted="all")),
        ),
        "The text names no load. Only Table V gives a number for each workload.",
        is_scenario=True,
    ),
    Reading(
        "ssd",
        "What do chips share?",
        OPEN,
        "nothing: a link each, a command at a time",
        (
            Alternative("nothing: a link each, a command at a time", "DiskSim simulator [28] with the SSD extensions",
                "section IV-A", why="there a chip is one server, held for tR and 48 us"),
            Alternative("Table II: four chips of two dies a channel", "4 memory channels, each combining 4 flash chips",
                "section IV-B", parts=paced(base=setups.TABLE_II)),
        ),
        "Table II supports the second. The study keeps the first as a deviation, because of the simulator.",
    ),
    Reading(
        "programs",
        "Does a read wait for a program that has begun?",
        (*OPEN, fig_10),
        "no",
        (
            Alternative("no", READS_FIRST, "section IV-B", why="and without time to suspend",
                settings={"program.suspend": True}),
            Alternative("yes", READS_FIRST, "section IV-B", why="the paper describes no suspension",
                settings={"program.suspend": False}),
            Alternative("no, but a suspension takes 100 us", READS_FIRST, "section IV-B",
                settings={"program.suspend": True, "nand.program_suspend_us": 100.0}),
        ),
        "The paper mentions no suspension: its words support the second at least as well.",
    ),
    Reading(
        "invalid-together",
        "Which pages are invalid together at the refresh?",
        OPEN,
        "each page by itself",
        (
            Alternative("each page by itself", "# Valid Pages / # Total Pages", "Table IV"),
            Alternative("whole wordlines among them", INVALID, "Table III", parts=paced(updated=setups.as_presets)),
        ),
    ),
    Reading(
        "pieces",
        "How many pages are rewritten together?",
        OPEN,
        f"{setups.EXTENT_PAGES}",
        (
            Alternative(f"{setups.EXTENT_PAGES}", STRIPED, "section IV-B", why="so that no chip has more to read"),
            *(Alternative(f"{pages}", STRIPED, "section IV-B", parts=paced(updated=pieces(pages)))
                for pages in EXTENTS),
        ),
        is_scenario=True,
    ),
    Reading(
        "arrivals",
        "How do requests bunch?",
        OPEN,
        "in bursts",
        (
            Alternative("in bursts", TRACES, "section IV-D", why="as the look-alikes do elsewhere"),
            Alternative("at random", TRACES, "section IV-D", parts=paced(arriving=setups.AT_RANDOM)),
        ),
        is_scenario=True,
    ),
    Reading(
        "refresh",
        "When are the blocks refreshed?",
        (*OPEN, fig_10),
        "before the run, without time",
        (
            Alternative("before the run, without time", "fix the refresh period from 3 days to 3 months",
                "section IV-B", settings={"refresh.at_start": "before"}),
            Alternative("all of them in the run", "increase the latency of each refresh operation", "section V-D",
                settings={"refresh.at_start": "during"}),
        ),
        "Section V-D counts refresh in the run; the study does not.",
    ),
    Reading(
        "merged-msb",
        "How long does a merged MSB take to read?",
        (*OPEN, FIG_11, fig_10),
        "two senses if the LSB is invalid, one if the CSB is, too",
        (
            Alternative("two senses if the LSB is invalid, one if the CSB is, too", "from 4 to 2 for reading MSB",
                "Fig. 5", settings={"coding.ida_read_time": "senses"}),
            Alternative("as long as an LSB", "takes the same time as an LSB read", "section V-A",
                why="sections V-D and V-E say so too; no merge of states gives it if only the LSB is invalid",
                settings={"coding.ida_read_time": "lsb"}),
        ),
        "Section I and Fig. 5 support the first, sections V-A, V-D and V-E the second. The technique's page has both.",
    ),
    Reading(
        "late-errors",
        "What errors do pages of merged wordlines have late in life?",
        (FIG_11,),
        "those of the states that are left",
        (
            Alternative("those of the states that are left", "at higher voltage levels", "section III-B",
                why="the highest states lose charge fastest", settings={"coding.ida_errors": "states"}),
            Alternative("those of plain wordlines", "in terms of the number of extra sensing", "section V-F",
                why="the paper models no penalty of merged wordlines", settings={"coding.ida_errors": "plain"}),
        ),
    ),
    Reading(
        "late-ages",
        "How old are the data that are read late in life?",
        (FIG_11,),
        "evenly from nothing to a month",
        (
            Alternative("evenly from nothing to a month", "fix the refresh period from 3 days to 3 months",
                "section IV-B", why="the preset's period is a month", settings=LATE_AGES),
            Alternative("all of it half a month", "fix the refresh period from 3 days to 3 months", "section IV-B",
                settings={SPREAD: 0.0}),
            Alternative("evenly from nothing to three months", "fix the refresh period from 3 days to 3 months",
                "section IV-B", settings={MONTHS: 1.5}),
        ),
        "The paper gives a range of refresh periods, and no age of the data that are read.",
        is_scenario=True,
    ),
    Reading(
        "read-times",
        "Which read time stays in Fig. 9?",
        (FIG_9,),
        "the LSB's",
        (
            Alternative("the LSB's", DIFFERENCE, "section V-E"),
            Alternative("the CSB's", DIFFERENCE, "section V-E", parts=(Part(FIG_9.name, csb_stays),)),
        ),
    ),
    Reading(
        "closed-loop",
        "In which order does Fig. 10's SSD serve requests?",
        (fig_10,),
        "reads first",
        (
            Alternative("reads first", READS_FIRST, "section IV-B", settings={"schedule.policy": "read-first"}),
            Alternative("in their order", "all the tested workloads experience", "section V-D",
                settings={"schedule.policy": "fifo"}),
        ),
    ),
)  # fmt: skip
