"""What each simulator says to Wordline's features: which of them its file sets, and why it has none of the others.

A key that turns something on (a choice, a switch, or a number that is 0 by default) has a word of each simulator. A
test asks for all of them, so that a new feature is not forgotten in the importers.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

__all__ = ["SIMULATORS", "word"]

SET = "set by its file"
NO_CELLS = "it has no model of cells, of their wear and of errors"
NO_ECC = "decoding takes no time and never fails"
WHOLE_PAGES = "its pages have an entry each, and are programmed one by one"
NO_POWER = "its power is never lost"
ONE_STREAM = "it knows one kind of host data"
NO_FIRMWARE = "its processor takes no time"

# What none of them has, by key or by section.
NONE_HAS: Mapping[str, str] = {
    "cells.*": NO_CELLS,
    "coding.ida*": NO_CELLS,
    "coding.policy": NO_CELLS,
    "ecc.*": NO_ECC,
    "erase.*": NO_CELLS,
    "read.*": NO_CELLS,
    "refresh.*": NO_CELLS,
    "reliability.*": NO_CELLS,
    "channel.retry*": NO_CELLS,
    "channel.set_feature*": NO_CELLS,
    "channel.reset*": NO_CELLS,
    "channel.order": "data and commands do not compete there",
    "channel.data_out_ns": "set with the times of its bus",
    "nand.on_die_check": NO_CELLS,
    "journal.*": "its mapping table is never lost",
    "power.*": NO_POWER,
    "slc.*": "it has no SLC cache",
    "program.*": WHOLE_PAGES,
    "nand.program_wordline_us": WHOLE_PAGES,
    "nand.max_programs": "its power has no limit",
    "nand.resume_us": "a suspended operation goes on at once",
    "ftl.unit_bytes": WHOLE_PAGES,
    "ftl.parity": "it has no parity over dies",
    "ftl.open_timeout_ms": WHOLE_PAGES,
    "ftl.sector_map": WHOLE_PAGES,
    "ftl.coalesce": WHOLE_PAGES,
    "ftl.transfer": WHOLE_PAGES,
    "ftl.map_transfer": WHOLE_PAGES,
    "ftl.placement": ONE_STREAM,
    "ftl.unmapped_read": "reads of what was never written find data",
    "ftl.closing": "no host closes its open blocks",
    "zones.*": "its namespace takes writes anywhere",
    "fdp.*": "FEMU alone has placement handles, and its fdp.* are named",
    "cache.keeps_unwritten": "it has no such choice",
    "gc.pacing": "its GC does not wait for the host",
    "gc.frontier": "GC writes behind the data of the host or apart, as here",
    "gc.victims": "its victims have invalid pages",
    "gc.copyback": "data that GC moves cross the channel",
    "gc.preemptible": "its GC goes on once it has begun",
    "controller.*": NO_FIRMWARE,
    "host.arbitration": "it has one queue",
    "host.job_ns": "the host takes no time",
    "host.cores": "the host takes no time",
    "host.reap_ns": "the host takes no time",
    "host.switch_ns": "the host takes no time",
    "host.complete_ns": "the host takes no time",
    "host.link": "NVMe",
    "host.link_request_ns": "the link has a rate alone",
    "host.submit_ns": "the host takes no time",
    "host.link_rate_mb_s": "its link takes no time",
    "host.duration_s": "it is about a run",
    "host.mode": "it is about a run",
    "host.warmup_requests": "it is about a run",
    "host.wrap": "it is about a run",
    "metrics.*": "it is about a run",
    "workload.*": "it is about a run",
    "precondition.*": "it is about a run",
    "schedule.unit": "a die takes one command at a time",
    "schedule.max_read_burst": "it counts no reads in a row",
    "schedule.suspend*": "nothing is suspended",
    "nand.cache_register": "a page register each",
    "nand.program_spread": "a time for all programs",
    "wear.*": "it levels no wear",
    "dram.timing": "linear, or that of MQSim",
    "dram.*": "its DRAM takes no time",
    "ssd.capacity": "the blocks say it",
    "cache.flush*": "pages leave its cache as here",
    "cache.write_back": "writes are complete in its cache",
    "ftl.group": "planes collect blocks of their own",
    "ftl.mapping": "the whole table is in DRAM",
    "cache.mode": "it has no cache",
    "nand.multiplane": "planes work one by one",
}
# What is different in one of them.
OWN: Mapping[str, Mapping[str, str]] = {
    "FEMU": {
        "ftl.group": SET,
        "ftl.mapping": SET,
        "cache.mode": SET,
        "host.link_rate_mb_s": SET,
        "host.submit_ns": SET,
        "ftl.placement": "fdp.* are named: reclaim unit handles are `ftl.placement` and `ftl.streams` here",
        "reliability.factory_bad": "nand_bad_blocks is reported alone",
        "gc.preemptible": "a line is collected at once",
    },
    "SimpleSSD": {
        "ftl.group": SET,
        "cache.mode": SET,
        "host.link_rate_mb_s": SET,
        "nand.multiplane": SET,
        "precondition.*": SET,
        "controller.*": "cpu.* are named: its firmware takes cycles, here a time for each command",
        "dram.*": "dram.* are named: set dram.rate_mb_s and dram.latency_ns",
    },
    "SSDsim": {
        "cache.mode": SET,
        "gc.copyback": "its advanced commands are named: copyback is gc.copyback",
        "nand.multiplane": "its advanced commands are named",
        "wear.*": "wear leveling is named",
    },
    "MQSim": {
        "cache.*": SET,
        "dram.*": SET,
        "gc.*": SET,
        "wear.*": SET,
        "ftl.mapping": SET,
        "ftl.transfer": SET,
        "ftl.map_transfer": SET,
        "ftl.unmapped_read": SET,
        "nand.multiplane": SET,
        "host.link_rate_mb_s": SET,
        "host.arbitration": SET,
        "host.link": SET,
        "program.suspend*": SET,
        "schedule.*": SET,
        "precondition.*": SET,
        "ftl.placement": "flows write to blocks of their own",
        "ftl.group": "planes collect blocks of their own",
        "host.*": "set by the scenario",
        "channel.order": SET,
    },
}
SIMULATORS = tuple(OWN)


def word(simulator: str, key: str) -> str | None:
    """Returns what a simulator says to a key; None if nobody has asked it."""
    for table in (OWN[simulator], NONE_HAS):
        # The longest pattern is the most exact one.
        fitting = [pattern for pattern in table if fnmatchcase(key, pattern)]
        if fitting:
            return table[max(fitting, key=len)]
    return None
