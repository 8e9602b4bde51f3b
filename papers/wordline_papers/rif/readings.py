"""What the slides of RiF leave open, and how the study reads it."""

from __future__ import annotations

from ..readings import Alternative, Reading
from .loops import grid
from .single_reads import lone_reads

FREQUENT = "Read-retry (i.e., ECC failure) occurs very frequently"
CHIPS = "slide on the frequency of read-retry"
TRACES = "8 real-world traces"
SETTINGS = "slide `Experiment Settings`"
SIMULATOR = "MQSim-E"
MONTHS, SPREAD = "reliability.retention_months", "reliability.retention_spread"

READINGS = (
    Reading(
        "ages",
        "How old is the data that is read?",
        (grid,),
        "evenly from nothing to a month",
        (
            Alternative("evenly from nothing to a month", FREQUENT, CHIPS, why="as if rewritten once a month"),
            Alternative("all of it half a month", FREQUENT, CHIPS, settings={MONTHS: 0.5, SPREAD: 0.0}),
            Alternative("all of it a month", FREQUENT, CHIPS, settings={MONTHS: 1.0, SPREAD: 0.0}),
            Alternative("evenly from nothing to three months", FREQUENT, CHIPS, settings={MONTHS: 1.5, SPREAD: 1.0}),
        ),
        "The slides give no age at all.",
        is_scenario=True,
    ),
    Reading(
        "read-ratio",
        "How many of a trace's requests are reads?",
        (grid,),
        "typed for each look-alike",
        (
            Alternative("typed for each look-alike", TRACES, SETTINGS,
                why="the slides name the traces, not their volumes"),
            Alternative("half of them", TRACES, SETTINGS, settings={"workload.read_ratio": 0.5}),
            Alternative("nine in ten", TRACES, SETTINGS, settings={"workload.read_ratio": 0.9}),
        ),
        is_scenario=True,
    ),
    Reading(
        "cold-ratio",
        "How many reads meet data from before the run?",
        (grid,),
        "assumed for each look-alike",
        (
            Alternative("assumed for each look-alike", TRACES, SETTINGS),
            Alternative("half of them", TRACES, SETTINGS, settings={"workload.cold_ratio": 0.5}),
            Alternative("all", TRACES, SETTINGS, settings={"workload.cold_ratio": 1.0}),
        ),
        is_scenario=True,
    ),
    Reading(
        "second-check",
        "Does the die check a page that it has sensed again?",
        (grid, lone_reads),
        "yes, up to three times",
        (
            Alternative(
                "yes, up to three times", "In-flash read-retry", "slide on the syndrome weight",
                settings={"read.on_die_retries": 3},
            ),
            Alternative(
                "no", "whether a read-retry is required", "slide `Conclusion`", settings={"read.on_die_retries": 1}
            ),
        ),
    ),
    Reading(
        "decoding",
        "How long does a page that will not decode hold the decoder?",
        (grid,),
        "20 us",
        (
            Alternative("10 us", "long ECC decoding time", "slide on waste 2", settings={"ecc.iteration_us": 0.5}),
            Alternative(
                "20 us", "long ECC decoding time", "slide on waste 2", why="tECC of PR2/AR2, by the same authors",
                settings={"ecc.iteration_us": 1.0},
            ),
            Alternative("40 us", "long ECC decoding time", "slide on waste 2", settings={"ecc.iteration_us": 2.0}),
        ),
        is_scenario=True,
    ),
    Reading(
        "channel",
        "How fast is a channel?",
        (grid,),
        "1.2 GB/s",
        (
            Alternative("0.8 GB/s", SIMULATOR, SETTINGS, settings={"channel.rate_mb_s": 800.0}),
            Alternative("1.2 GB/s", SIMULATOR, SETTINGS, settings={"channel.rate_mb_s": 1200.0}),
            Alternative(
                "2.0 GB/s", SIMULATOR, SETTINGS, why="the chip of AERO, by the same authors",
                settings={"channel.rate_mb_s": 2000.0},
            ),
        ),
        is_scenario=True,
    ),
    Reading(
        "host-path",
        "Does the host's link limit the bandwidth?",
        (grid,),
        "no",
        (
            Alternative(
                "no", "wasted channel bandwidth", "slide `Experiment Results (cont'd)`",
                why="the result is about the channels", settings={"host.link_rate_mb_s": 0.0},
            ),
            Alternative(
                "yes, PCIe 4.0 with four lanes", SIMULATOR, SETTINGS, why="the link of AERO, by the same authors",
                settings={"host.link_rate_mb_s": 7876.923},
            ),
        ),
        is_scenario=True,
    ),
)  # fmt: skip
