"""AR2's fallbacks over characterised pages, and the steps that PSO saves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import Computation, Measured, Point, Results
from ..claims import Measurement
from ..figure import Figure, Part
from . import device

# Section 6.2: more than 10^7 pages, over the conditions of the characterisation.
PAGES, QUICK_PAGES = 10_000_000, 200_000
SURVEYED = tuple((pec, months) for pec in (0, 1000, 2000) for months in (3.0, 12.0))


def surveys(quick: bool) -> Iterator[Computation]:
    """AR2 over characterised pages."""
    pages = (QUICK_PAGES if quick else PAGES) // len(SURVEYED)
    for pec, months in SURVEYED:
        yield Computation(device.fallbacks, {"pec": pec, "months": months, "pages": pages})


def worn_reads(quick: bool) -> Iterator[Point]:
    """Reads of data a year old at 2,000 cycles, with and without PSO (section 3.1)."""
    for policy in ("baseline", "pso"):
        keys = {"reliability.pec": 2000, "reliability.retention_months": 12.0, "read.retry": policy}
        its = {"host.queue_depth": 16, "workload.read_block_bytes": 16_384}
        yield Point("pnar2", {**keys, **its}, "fio/random-read", requests=10_000 if quick else 200_000)


FALLBACKS, PSO_STEPS = Part("fallbacks", surveys), Part("pso-steps", worn_reads)


@dataclass(frozen=True)
class Survey:
    """Pages in a condition at 30 C: how many fall back to the regular timing, and how many no timing reads."""

    pec: int
    months: float
    pages: int
    fallbacks: int
    lost: int


@dataclass(frozen=True)
class Steps:
    """Retry steps of a policy: the mean, and the least of any read."""

    mean: float
    least: int


def surveyed(results: Results) -> list[Survey]:
    """A row for each condition."""
    names = ("pec", "months", "pages", "fallbacks", "lost")
    return [Survey(*({**o.coordinates, **o.document}[name] for name in names)) for o in FALLBACKS.of(results)]


def steps(results: Results) -> list[Steps]:
    """The regular retry, then PSO."""
    return [
        Steps(
            float(o["read_retry.mean_steps"]),
            next((steps for steps, count in enumerate(o["read_retry.reads_by_steps"]) if count), 0),
        )
        for o in PSO_STEPS.of(results)
    ]


def claims_of_surveys(rows: Sequence[Survey]) -> Mapping[str, Measurement]:
    """Section 6.2."""
    pages, lost = sum(row.pages for row in rows), sum(row.lost for row in rows)
    note = f"of {pages:,} pages of the device in {len(rows)} conditions at 30 C; {lost} that no timing reads"
    return {"pnar2.rpt.fallback": Measured(sum(row.fallbacks for row in rows), note=note)}


def claims_of_steps(rows: Sequence[Steps]) -> Mapping[str, Measurement]:
    """Section 3.1."""
    regular, pso = rows
    note = f"{regular.mean:.1f} steps become {pso.mean:.1f}, at least {pso.least}"
    return {"pnar2.fig15.pso_steps": Measured(1.0 - pso.mean / regular.mean, note=note)}


FIGURES: tuple[Figure[Any], ...] = (
    Figure("fallbacks", (FALLBACKS,), surveyed, claims_of_surveys, is_saved=False),
    Figure("pso_steps", (PSO_STEPS,), steps, claims_of_steps, is_saved=False),
)
