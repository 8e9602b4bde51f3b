"""One read at a time compared with Eq. 2 to 5; AR2's fallbacks (section 6.2); and the steps that PSO saves (3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from wordline.config import preset
from wordline.lab.survey import fallbacks as survey

from .. import Computation, Figure, Measured, Measurement, Outcome, Part, Point, Results, Row, grid, of_runs, part
from ..lone import (
    NO_COMMANDS,
    ONE_PLANE,
    SENSES,
    T_DMA_US,
    T_ECC_US,
    T_SENSE_US,
    deviation_us,
    page_senses,
    read_us,
    strided_reads,
    times_us,
)

# Eq. 1, Table 1 and section 7.1.
T_SET_US, T_PRE_US = 1.0, 24.0
STEPS_MAX = 20
# Section 5.2.1's example.
CUT = 0.4
POLICIES = ("baseline", "pr2", "ar2", "pnar2")
ONE_DIE: dict[str, Any] = {
    **ONE_PLANE,
    **NO_COMMANDS,
    "read.tpre_cut": CUT,
    "read.retry": "pr2",
    "reliability.retry_steps": 4,
}


@part("lone")
def lone_reads(_quick: bool) -> Iterator[Point]:
    """Yields 0 to 20 steps under each policy."""
    for keys in grid({"read.retry": list(POLICIES), "reliability.retry_steps": list(range(STEPS_MAX + 1))}):
        yield strided_reads("pnar2", {**NO_COMMANDS, "read.tpre_cut": CUT, **keys})


RESET = Part("one-die", lambda _: [strided_reads("pnar2", ONE_DIE)])


class Read(Row):
    """Lone reads of a policy with a number of steps: the mean page, and the largest difference to its equation."""

    policy: str
    retry_steps: int
    simulated_us: float
    largest_deviation_us: float


def retry_us(policy: str, steps: int, senses: int) -> float:
    """Returns TRETRY of a number of steps, us (Eq. 3, 4 and 5)."""
    if steps == 0:
        return 0.0
    sense_us, short_us = senses * T_SENSE_US, senses * (T_SENSE_US - CUT * T_PRE_US)
    rest_us = T_DMA_US + T_ECC_US
    return {
        "baseline": steps * (sense_us + rest_us),
        "pr2": steps * sense_us + rest_us,
        "ar2": T_SET_US + steps * (short_us + rest_us),
        "pnar2": T_SET_US + steps * short_us + rest_us,
    }[policy]


def reads(results: Results) -> list[Read]:
    """Returns every lone read and its formula."""

    def row(outcome: Outcome) -> Read:
        policy, steps = outcome.coordinates["read.retry"], outcome.coordinates["reliability.retry_steps"]
        expected_us = [read_us(0, senses) + retry_us(policy, steps, senses) for senses in page_senses()]
        return Read(policy, steps, outcome["response_us.read.mean"], deviation_us(outcome, expected_us))

    return [row(outcome) for outcome in lone_reads.of(results)]


def claims_of_reset(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """Wait of a read for the RESET of its predecessor's unneeded sense on its die: the value farthest from the mean.

    The first read has no predecessor.
    """
    waits = [
        time - read_us(0, senses) - retry_us("pr2", ONE_DIE["reliability.retry_steps"], senses)
        for n, time in enumerate(times_us(rows[0]))
        for senses in [SENSES[n % len(SENSES)]]
    ][1:]
    return {"pnar2.timing.reset": max(waits, key=lambda us: abs(us - sum(waits) / len(waits)))}


def claims(rows: Sequence[Read]) -> Mapping[str, Measurement]:
    """Times, and the addition of each step after the first to the mean read."""
    by = {(row.policy, row.retry_steps): row.simulated_us for row in rows}
    worst = {policy: max(row.largest_deviation_us for row in rows if row.policy == policy) for policy in POLICIES}
    plain, pipelined, shortened = (
        float(by[policy, STEPS_MAX] - by[policy, 1]) / (STEPS_MAX - 1) for policy in ("baseline", "pr2", "ar2")
    )
    return {
        "pnar2.timing.pr2": worst["pr2"],
        "pnar2.timing.ar2": Measured(worst["pnar2"], note="Eq. 5 is PR2 and AR2 together (footnote 11)"),
        "pnar2.timing.ar2_alone": worst["ar2"],
        "pnar2.timing.tpre40": (plain - shortened) / (plain - T_DMA_US - T_ECC_US),
        "pnar2.timing.step_saving": (plain - pipelined) / plain,
    }


# Section 3.1: the fewest steps of PSO at 2K cycles and 12 months.
PSO_STEPS_MIN = 3
# Section 6.2: more than 10^7 pages, over the conditions of the characterisation.
PAGES, QUICK_PAGES = 10_000_000, 200_000
SURVEYED = tuple((pec, months) for pec in (0, 1000, 2000) for months in (3.0, 12.0))


def fallbacks(pec: int, months: float, pages: int | None, seed: int = 1) -> dict[str, Any]:
    """Returns pages of the SSD in a condition at 30 C, where errors are most, and how many of them fall back.

    Without a number the pages are those that AR2's tables were profiled on.
    """
    keys = {"reliability.pec": pec, "reliability.retention_months": months, "read.retry": "ar2", "seed": seed}
    return asdict(survey(preset("pnar2").set_all(keys), pages))


@part("fallbacks")
def surveys(quick: bool) -> Iterator[Computation]:
    """Yields AR2 over the pages that its tables were profiled on, and over pages all over the SSD."""
    spread = (QUICK_PAGES if quick else PAGES) // len(SURVEYED)
    for pages in (None, spread):
        for pec, months in SURVEYED:
            yield Computation(fallbacks, {"pec": pec, "months": months, "pages": pages}, version=1)


@part("pso-steps")
def worn_reads(quick: bool) -> Iterator[Point]:
    """Yields reads of data a year old at 2,000 cycles, with and without PSO (section 3.1)."""
    for policy in ("baseline", "pso"):
        keys = {"reliability.pec": 2000, "reliability.retention_months": 12.0, "read.retry": policy}
        settings = {"host.queue_depth": 16, "workload.read_block_bytes": 16_384}
        yield Point("pnar2", {**keys, **settings}, "fio/random-read", requests=10_000 if quick else 200_000)


def claims_of_surveys(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """Section 6.2: the pages that were profiled, as the paper's. Others stand beside them in the note."""

    def told(own: Sequence[Outcome]) -> tuple[int, str]:
        pages, lost, fallen = (sum(int(outcome[name]) for outcome in own) for name in ("pages", "lost", "fallbacks"))
        return fallen, f"{fallen} of {pages:,} pages in {len(own)} conditions at 30 C ({lost} that no timing reads)"

    profiled, others = ([row for row in rows if (row.coordinates["pages"] is None) is own] for own in (True, False))
    fallen, words = told(profiled)
    note = f"profiled: {words}; all over the SSD, most of them not profiled: {told(others)[1]}"
    return {"pnar2.rpt.fallback": Measured(fallen, note=note)}


def claims_of_steps(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """Section 3.1: the regular retry, then PSO."""
    regular, pso = (float(outcome["read_retry.mean_steps"]) for outcome in rows)
    counts = rows[-1]["read_retry.reads_by_steps"]
    least = next((steps for steps, count in enumerate(counts) if count), 0)
    fewer = sum(counts[:PSO_STEPS_MIN]) / sum(counts)
    return {
        "pnar2.fig15.pso_steps": Measured(1.0 - pso / regular, note=f"{regular:.1f} steps become {pso:.1f}"),
        "pnar2.fig15.pso_min": Measured(least, note=f"{fewer:.2%} of the reads take fewer than {PSO_STEPS_MIN} steps"),
    }


FIGURES = (
    Figure("lone", (lone_reads,), reads, claims),
    of_runs("reset", RESET, claims=claims_of_reset),
    of_runs("fallbacks", surveys, claims=claims_of_surveys),
    of_runs("pso_steps", worn_reads, claims=claims_of_steps),
)
