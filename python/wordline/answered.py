"""Questions that no key answers: by word, the command that does and the page about it."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["ANSWERS", "Answer", "answer_named", "answer_to"]


class Answer(NamedTuple):
    """Where a question is answered.

    Attributes:
        name: What is asked.
        words: Words, or beginnings of them, by which one may ask for it.
        command: The command that answers it.
        page: The page about it, below `docs`.
    """

    name: str
    words: tuple[str, ...]
    command: str
    page: str


ANSWERS = (
    Answer(
        "How long a drive lasts: TBW, DWPD, years",
        ("tbw", "dwpd", "endur", "lifetime", "lifespan"),
        "wordline run … --out DIR, then wordline lifetime DIR",
        "how-to/lifetime.md",
    ),
    Answer(
        "Write amplification",
        ("waf", "wa", "amplification"),
        "the line WA of wordline run, or wordline compare … --columns wa,written_bytes.by_cause.gc",
        "how-to/certainty.md",
    ),
    Answer(
        "A drive that is used, and its steady state",
        ("used", "aged", "aging", "ageing", "preconditioning"),
        "wordline run … --steady; wordline pts for SNIA's test",
        "how-to/certainty.md",
    ),
    Answer(
        "Garbage collection",
        ("garbage", "collection", "victim"),
        "wordline compare … --set gc.policy=greedy,cost-benefit,fifo; wordline explain gc",
        "questions.md",
    ),
    Answer(
        "A share of the load that a drive serves at most",
        ("load", "utilisation", "utilization", "saturat"),
        "wordline run PRESET … --load 60%, or wordline compare … --load 30%,60%,90%",
        "how-to/my-workload.md",
    ),
    Answer(
        "A trace",
        ("trace", "blktrace", "workload"),
        "wordline trace stat FILE, then wordline run PRESET --trace FILE; wordline workloads for made-up ones",
        "how-to/my-trace.md",
    ),
    Answer(
        "Rates: IOPS and bandwidth",
        ("iops", "bandwidth", "throughput", "mb"),
        "the first lines of wordline run; wordline explain limits PRESET for what each part allows",
        "validation/drives.md",
    ),
    Answer(
        "What slow reads wait for",
        ("tail", "latency", "latencies", "percentile", "qos", "p50", "p90", "p95", "p99", "p999"),
        "wordline compare … --columns read.p99.9; wordline explain waits for one in a million",
        "how-to/read-waits.md",
    ),
    Answer(
        "A drive of mine",
        ("fit", "calibrat", "measured"),
        "wordline compare PRESET --against MEASURED; wordline fit MEASURED",
        "how-to/fit.md",
    ),
    Answer(
        "How certain a number is",
        ("confidence", "interval", "significan"),
        'wordline run … --until "read.p99 ±5%"',
        "how-to/certainty.md",
    ),
    Answer(
        "Several programs on one drive",
        ("tenant", "noisy", "neighbour", "neighbor", "isolation"),
        "wordline run PRESET tenants.toml",
        "how-to/tenants.md",
    ),
)


def answer_to(word: str) -> Answer | None:
    """Returns where a question is answered that one of the words of a text is about; the last word decides first."""
    parts = [part for part in re.split(r"[^a-z0-9]+", word.lower()) if part]
    for part in reversed(parts):
        for each in ANSWERS:
            # Short words are whole: others begin with them.
            if any(part == known or (len(known) > 3 and part.startswith(known)) for known in each.words):
                return each
    return None


def answer_named(word: str) -> Answer | None:
    """Returns where a question is answered that has exactly this word."""
    return next((each for each in ANSWERS if word.lower() in each.words), None)
