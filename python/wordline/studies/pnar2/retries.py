"""AR2's fallbacks over characterised pages (section 6.2), and the retry steps that PSO saves (section 3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ...config import preset
from ...lab.survey import fallbacks as survey
from .. import Computation, Figure, Measured, Measurement, Outcome, Part, Point, of_runs

# Section 6.2: more than 10^7 pages, over the conditions of the characterisation.
PAGES, QUICK_PAGES = 10_000_000, 200_000
SURVEYED = tuple((pec, months) for pec in (0, 1000, 2000) for months in (3.0, 12.0))


def fallbacks(pec: int, months: float, pages: int) -> dict[str, Any]:
    """Returns pages of the SSD in a condition at 30 C, where errors are most, and how many of them fall back."""
    keys = {"reliability.pec": pec, "reliability.retention_months": months, "read.retry": "ar2"}
    return asdict(survey(preset("pnar2").set_all(keys), pages))


def surveys(quick: bool) -> Iterator[Computation]:
    """Yields AR2 over characterised pages."""
    pages = (QUICK_PAGES if quick else PAGES) // len(SURVEYED)
    for pec, months in SURVEYED:
        yield Computation(fallbacks, {"pec": pec, "months": months, "pages": pages})


def worn_reads(quick: bool) -> Iterator[Point]:
    """Yields reads of data a year old at 2,000 cycles, with and without PSO (section 3.1)."""
    for policy in ("baseline", "pso"):
        keys = {"reliability.pec": 2000, "reliability.retention_months": 12.0, "read.retry": policy}
        its = {"host.queue_depth": 16, "workload.read_block_bytes": 16_384}
        yield Point("pnar2", {**keys, **its}, "fio/random-read", requests=10_000 if quick else 200_000)


FALLBACKS, PSO_STEPS = Part("fallbacks", surveys), Part("pso-steps", worn_reads)


def claims_of_surveys(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """Section 6.2."""
    pages, lost, fallen = (sum(int(outcome[name]) for outcome in rows) for name in ("pages", "lost", "fallbacks"))
    note = f"of {pages:,} pages of the device in {len(rows)} conditions at 30 C; {lost} that no timing reads"
    return {"pnar2.rpt.fallback": Measured(fallen, note=note)}


def claims_of_steps(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """Section 3.1: the regular retry, then PSO."""
    regular, pso = (float(outcome["read_retry.mean_steps"]) for outcome in rows)
    least = next((steps for steps, count in enumerate(rows[-1]["read_retry.reads_by_steps"]) if count), 0)
    note = f"{regular:.1f} steps become {pso:.1f}, at least {least}"
    return {"pnar2.fig15.pso_steps": Measured(1.0 - pso / regular, note=note)}


FIGURES: tuple[Figure[Any], ...] = (
    of_runs("fallbacks", FALLBACKS, claims=claims_of_surveys),
    of_runs("pso_steps", PSO_STEPS, claims=claims_of_steps),
)
