"""What an SSD has and Wordline does not: by topic, with the reason, and where to look instead."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["PAGE", "TOPICS", "Topic", "topic_of"]

PAGE = "docs/not-modelled.md"


class Topic(NamedTuple):
    """Something that is not modelled.

    Attributes:
        name: What it is.
        words: Beginnings of the words by which one may ask for it.
        why: Why it is not modelled.
        instead: Where to look instead.
        alone: Words that mean it where nothing else is asked, and something else in the name of a key.
    """

    name: str
    words: tuple[str, ...]
    why: str
    instead: str
    alone: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: not modelled. {self.why} Instead: {self.instead}"


TOPICS = (
    Topic(
        "Energy and power",
        ("energy", "watt", "joule", "current", "milliamp", "power consum", "power draw"),
        "Makers do not publish the current of each operation of their chips, so every number would be a guess.",
        "operations and busy times are in each result (`counters`, `die_utilisation`, `channel_time`): multiply them "
        "by the currents of your chip. `power.*` is about losses of power.",
        alone=("power",),
    ),
    Topic(
        "Heat and throttling",
        ("heat", "therm", "throttl", "cooling"),
        "It follows from energy, the case and the air, none of which is known here.",
        "`reliability.temperature_c` is the temperature at which cells keep their data; a drive that is throttled has "
        "a smaller `channel.rate_mb_s` or `nand.max_programs`.",
    ),
    Topic(
        "The host: CPU, operating system, file system, page cache",
        ("cpu", "kernel", "filesystem", "page-cache", "pagecache", "syscall"),
        "Wordline begins at the submission queue.",
        "`wordline serve` runs real programs on the simulated drive; `host.submit_ns` and `host.complete_ns` are the "
        "host's times.",
    ),
    Topic(
        "Instructions of the firmware",
        ("firmware", "instruction"),
        "No maker publishes its firmware.",
        "`controller.*` has the times and the number of its cores.",
    ),
    Topic(
        "Contents of the data: compression, deduplication, encryption",
        ("compress", "dedup", "encrypt", "entropy"),
        "Requests have addresses and sizes, no contents.",
        "give the workload the sizes and the writes that are left after compression.",
    ),
    Topic(
        "Failures of whole parts, annual failure rate, UBER",
        ("afr", "mtbf", "uber", "failure"),
        "They come from large fleets, not from the cells.",
        "`reliability.factory_bad` and `reliability.grown_bad` are bad blocks, `ftl.parity` makes lost pages again, "
        "and reads that no step decodes are counted.",
    ),
    Topic(
        "Errors of the link",
        ("pcie", "crc", "nvme-error"),
        "They are rare beside everything else here.",
        "`host.link_rate_mb_s` and `host.link_request_ns` are the link's rate and time.",
    ),
    Topic(
        "Wear over years in one run",
        ("smart", "aging-years"),
        "A run lasts seconds to minutes of the drive's life.",
        "`reliability.pec` and `reliability.retention_months` set the age; `wordline lifetime DIR` says what the run's "
        "load would wear.",
    ),
    Topic(
        "Wear of blocks in SLC mode",
        ("slc-wear", "slc-endurance"),
        "How many cycles a block endures that changes its mode is not published.",
        "`slc.wear` is the wear of such a cycle; `wordline lifetime` counts its bytes as those of any other program.",
    ),
    Topic(
        "Price",
        ("price", "cost-per", "dollar"),
        "It is no property of a simulation.",
        "over-provisioning and SLC blocks are in bytes (`blocks`, `ssd.overprovisioning`).",
    ),
)


def topic_of(word: str) -> Topic | None:
    """Returns the topic that a word or a dotted key is about, if it is one of what is not modelled."""
    parts = [part for part in re.split(r"[^a-z0-9]+", word.lower()) if part]
    asked = {word.lower(), *parts}
    return next(
        (
            topic
            for topic in TOPICS
            if word.lower() in topic.alone or any(part.startswith(each) for each in topic.words for part in asked)
        ),
        None,
    )
