"""One read at a time on an idle SSD, against Eq. 2 to 5: the exact claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .. import Measured, Outcome, Point, Results
from .. import grid as combinations
from ..claims import Measurement

# Eq. 1, Table 1 and section 7.1.
T_SENSE_US, SENSES, T_DMA_US, T_ECC_US, T_SET_US, T_PRE_US = 39.0, (2, 3, 2), 16.0, 20.0, 1.0, 24.0
STEPS_MAX = 20
# Section 5.2.1's example.
CUT = 0.4
# Pages that the allocation fills before it goes on to the next page type: one in each plane.
PLANES = 32
PAGE_BYTES = 16_384
NS_PER_US = 1000.0
POLICIES = ("baseline", "pr2", "ar2", "pnar2")
ONE_DIE = {"ssd.channels": 1, "ssd.chips_per_channel": 1, "ssd.planes_per_die": 1}


def points() -> list[Point]:
    """Lone reads of all page types: 0 to 20 steps under each policy, and of one die under PR2."""
    given = {
        "cells.chip": "none",
        "read.tpre_cut": CUT,
        "host.queue_depth": 1,
        "workload.pattern": "strided",
        "workload.stride_bytes": PAGE_BYTES,
        "workload.read_block_bytes": 4096,
    }
    point = Point(
        "pnar2", workload="fio/strided-read", requests=PLANES * len(SENSES), log_requests=True, labels={"part": "lone"}
    )
    axes: dict[str, list[Any]] = {"read.retry": list(POLICIES), "reliability.retry_steps": list(range(STEPS_MAX + 1))}
    lone = [replace(point, settings={**given, **each}) for each in combinations(axes)]
    one_die = {**given, **ONE_DIE, "read.retry": "pr2", "reliability.retry_steps": 4}
    return [*lone, replace(point, settings=one_die, labels={"part": "one-die"})]


def whole_us(senses: int) -> float:
    """A page read without retries, us (Eq. 2)."""
    return senses * T_SENSE_US + T_DMA_US + T_ECC_US


def retry_us(policy: str, steps: int, senses: int) -> float:
    """TRETRY of so many steps, us (Eq. 3, 4 and 5)."""
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


def responses_us(outcome: Outcome) -> list[float]:
    """Response times in the order of completion, us."""
    if outcome.result is None:
        return []
    table = outcome.result.requests()
    times = zip(table["arrival_ns"].to_pylist(), table["completed_ns"].to_pylist(), strict=True)
    return [(end - start) / NS_PER_US for start, end in times]


def of_steps(results: Results, policy: str, steps: int) -> Outcome:
    """The lone reads of a policy with so many steps."""
    return results.one({"read.retry": policy, "reliability.retry_steps": steps}, part="lone")


def deviation_us(outcome: Outcome) -> float:
    """The largest difference between a lone read and its formula, over all page types, us."""
    policy, steps = outcome.coordinates["read.retry"], outcome.coordinates["reliability.retry_steps"]
    senses = [SENSES[n // PLANES % len(SENSES)] for n in range(PLANES * len(SENSES))]
    expected = [whole_us(each) + retry_us(policy, steps, each) for each in senses]
    return max(abs(here - there) for here, there in zip(responses_us(outcome), expected, strict=True))


def step_us(results: Results, policy: str) -> float:
    """What the steps after the first add to the mean read, us each."""
    few, many = (of_steps(results, policy, steps)["response_us.read.mean"] for steps in (1, STEPS_MAX))
    return float(many - few) / (STEPS_MAX - 1)


def reset_us(results: Results) -> float:
    """What a read waits for the one before it on its die, us: the RESET of the needless sense."""
    outcome = results.one(part="one-die")
    steps = outcome.coordinates["reliability.retry_steps"]
    # The first has nothing before it.
    late = [
        response - whole_us(SENSES[n % len(SENSES)]) - retry_us("pr2", steps, SENSES[n % len(SENSES)])
        for n, response in enumerate(responses_us(outcome))
    ][1:]
    return max(late, key=lambda us: abs(us - sum(late) / len(late)))


def claims(results: Results) -> Mapping[str, Measurement]:
    """The exact claims on times."""
    steps = range(STEPS_MAX + 1)
    worst = {policy: max(deviation_us(of_steps(results, policy, n)) for n in steps) for policy in POLICIES[1:]}
    rest_us = T_DMA_US + T_ECC_US
    plain, pipelined, shortened = (step_us(results, policy) for policy in ("baseline", "pr2", "ar2"))
    return {
        "pnar2.timing.pr2": worst["pr2"],
        "pnar2.timing.ar2": Measured(worst["pnar2"], note="Eq. 5 is PR2 and AR2 together (footnote 11)"),
        "pnar2.timing.ar2_alone": worst["ar2"],
        "pnar2.timing.tpre40": (plain - shortened) / (plain - rest_us),
        "pnar2.timing.step_saving": (plain - pipelined) / plain,
        "pnar2.timing.reset": reset_us(results),
    }


def rows(results: Results) -> list[dict[str, Any]]:
    """Every lone read beside its formula."""
    return [
        {
            "policy": o.coordinates["read.retry"],
            "retry_steps": o.coordinates["reliability.retry_steps"],
            "simulated_us": o["response_us.read.mean"],
            "largest_deviation_us": deviation_us(o),
        }
        for o in results.where(part="lone")
    ]
