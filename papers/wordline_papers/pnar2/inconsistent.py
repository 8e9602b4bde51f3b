"""Printed numbers of PR2/AR2 that exclude each other, by the closed form of a queue with one server.

PR2 saves most where reads wait most: by itself it cuts a retry step by tDMA and tECC, 28.3 % (Eq. 3 and 4), and more
only by shorter waits. In a queue M/D/1 a read takes S + S rho / (2 (1 - rho)), with S the time of service and rho the
load. So a saving gives the load, and the load gives the savings of AR2 and of both.
"""

from __future__ import annotations

from wordline.output.numbers import percent

from ..claims import all_claims

# Times of a retry step, us: mean sense, transfer, decoding (Table 1); and the part of a sense that AR2 leaves.
SENSE_US, TRANSFER_US, DECODE_US = 91.0, 16.0, 20.0
SHORTENED = 0.75
STEP_US = SENSE_US + TRANSFER_US + DECODE_US
# What is left of a step.
PR2 = SENSE_US / STEP_US
AR2 = (SHORTENED * SENSE_US + TRANSFER_US + DECODE_US) / STEP_US
BOTH = SHORTENED * SENSE_US / STEP_US
BISECTIONS = 60


def response(load: float) -> float:
    """Returns the response time in M/D/1, in times of service."""
    return 1.0 + load / (2.0 * (1.0 - load))


def saved(left: float, load: float) -> float:
    """Returns the share of the response time that is saved where this share of the service is left, at one load."""
    return 1.0 - left * response(left * load) / response(load)


def load_of(left: float, saving: float) -> float:
    """Returns the load at which a saving comes out; it rises with the load."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if saved(left, middle) < saving else (low, middle)
    return low


def proof() -> str:
    """Returns why the best case of PR2 excludes those of AR2 and of both."""
    best, ar2, both = (float(all_claims()[f"pnar2.fig14.{name}.max"].value) for name in ("pr2", "ar2", "pnar2"))
    load = load_of(PR2, best)
    return (
        f"in a queue M/D/1 PR2 saves {percent(saved(PR2, 0.0))} where nothing waits, and {percent(best)} at a load of "
        f"{load:.2f}; there AR2 saves {percent(saved(AR2, load))} and both {percent(saved(BOTH, load))}, but the "
        f"paper's best cases are {percent(ar2)} and {percent(both)}"
    )


INCONSISTENT = {"pnar2.fig14.pr2.max": proof()}
