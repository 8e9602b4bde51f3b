"""The table of a fitted drive: each parameter with its interval, sums, and the error with and without the points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .numbers import measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

__all__ = ["show"]

BOUND, UNSOUGHT = "at the bound", "not sought"


def show(document: Mapping[str, Any], errors: Sequence[str], console: Console) -> None:
    """Prints a fit; `errors` are its lines about errors."""
    from .console import grid

    table = grid("parameter", "value", "from", "to")
    ends = [each[end] for each in document["parameters"].values() for end in ("low", "high")]
    no_end = UNSOUGHT if all(each is None for each in ends) else BOUND
    for name, each in document["parameters"].items():
        low, high = (no_end if each[end] is None else measure(each[end]) for end in ("low", "high"))
        table.add_row(f"{name}  {each['what']}", measure(each["value"]), low, high)
    for each in document["sums"]:
        parts = " + ".join(each["parts"])
        table.add_row(f"{each['what']}: {parts}", *(measure(each[name]) for name in ("value_us", "low_us", "high_us")))
    console.print(table)
    if document["history"]:
        console.print(f"before each load its jobs ran: {', '.join(document['history'])}", markup=False)
    for what, each in document["enumerated"].items():
        tried = ", ".join(f"{value}: {cost:.1f}" for value, cost in each["costs"].items())
        console.print(f"{what}: {each['best']}; cost of each value that was tried: {tried}", markup=False)
    for name in document["unbounded"]:
        console.print(f"no point bounds {name}: the base's value stays", markup=False)
    reasons = [each["why"] for each in document["left_out"]]
    for why in dict.fromkeys(reasons):
        number = reasons.count(why)
        console.print(f"{number} {'point' if number == 1 else 'points'} left out: {why}", markup=False)
    for each in document["unexplained"]:
        ratio = each["ratio"]["iops"]
        console.print(
            f"not explained: {each['point']} ({each['where']}), IOPS {ratio:.2f} of the measured", markup=False
        )
    for line in errors:
        console.print(line, markup=False)
    spent = ", ".join(f"{runs:,} for {what}" for what, runs in document["simulations_for"].items())
    console.print(f"{document['simulations']:,} simulations: {spent}", style="dim", markup=False)
