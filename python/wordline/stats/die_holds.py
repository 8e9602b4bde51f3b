"""What held the dies of a run, from the log of its operations (`Result.timeline`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .waits import Holds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["CAUSES", "Suspension", "holds_of"]

CAUSES = {
    "erase": "erases",
    "user-write": "programs of the host's data",
    "internal-write": "programs of moved data",
    "internal-read": "reads of data that move",
}
"""What holds a die, by the class of its transactions, and what a table calls it."""
PULSE, VERIFY, PROGRAM = "erase pulse", "verify", "program"


@dataclass(frozen=True, slots=True)
class Suspension:
    """What a read does to an erase or a program that it meets.

    Attributes:
        erases: `none`: it waits for all of it; `loop`: for the loop; `restart`: it stops a loop that is not the last;
            `suspend`: it stops any.
        least_ns: What has less time left is not stopped.
        erase_stop_ns: The time that it takes to stop an erase.
        program_stop_ns: The time that it takes to stop a program; None: it waits for the program.
    """

    erases: str
    least_ns: float = 0.0
    erase_stop_ns: float = 0.0
    program_stop_ns: float | None = None


@dataclass(frozen=True, slots=True)
class Slices:
    """What arrays did, in the order of dies and times.

    Attributes:
        die: The die.
        name: What it did.
        kind: The class of its transaction.
        start: From when, ns.
        end: Until when, ns.
        is_stopped: Whether the next slice of the die began before it should have ended.
    """

    die: NDArray[Any]
    name: NDArray[Any]
    kind: NDArray[Any]
    start: Floats
    end: Floats
    is_stopped: NDArray[Any]

    def where(self, kept: NDArray[Any]) -> Slices:
        """Returns some of them."""
        columns = (self.die, self.name, self.kind, self.start, self.end, self.is_stopped)
        return Slices(*(each[kept] for each in columns))


def holds_of(timeline: Mapping[str, NDArray[Any]], suspension: Suspension) -> Holds:
    """Returns what held the dies.

    Args:
        timeline: The columns of a run's timeline, over its whole time.
        suspension: What a read does to an erase or a program.
    """
    import numpy as np

    slices = slices_of(timeline)
    is_erase = slices.kind == "erase"
    stops = slices.name == PROGRAM if suspension.program_stop_ns is not None else np.zeros(len(is_erase), bool)
    others = np.isin(slices.kind, list(CAUSES)) & ~is_erase
    on_channel = (timeline["track"] != "array") & (timeline["class"] == "erase")
    begun = np.sort((timeline["start_ns"] + timeline["duration_ns"])[on_channel])
    return Holds.joined(
        waiting(slices.where(others & ~stops)),
        stopping(slices.where(others & stops), suspension.least_ns, suspension.program_stop_ns or 0.0),
        of_erases(slices.where(is_erase), begun, suspension),
    )


def slices_of(timeline: Mapping[str, NDArray[Any]]) -> Slices:
    """Returns what arrays did, each until the next began: the log has the length of a stopped one as it was planned."""
    import numpy as np

    on_array = timeline["track"] == "array"
    order = np.lexsort((timeline["start_ns"][on_array], timeline["index"][on_array]))
    die, name, kind, start_ns, length_ns = (
        timeline[column][on_array][order] for column in ("index", "name", "class", "start_ns", "duration_ns")
    )
    start = start_ns.astype(np.float64)
    following = np.append(start[1:], np.inf)
    following[np.append(die[1:] != die[:-1], True)[: len(following)]] = np.inf
    end = start + length_ns
    return Slices(die, name, kind, start, np.minimum(end, following), following < end)


def waiting(slices: Slices) -> Holds:
    """Returns slices for whose end a read waits."""
    import numpy as np

    return Holds(slices.start, slices.end - slices.start, np.zeros(len(slices.start)), slices.kind)


def stopping(slices: Slices, least_ns: float, stop_ns: float) -> Holds:
    """Returns slices that a read stops while enough of them is left; in the rest it waits for the end."""
    import numpy as np

    length = slices.end - slices.start
    held = np.where(slices.is_stopped, 0.0, np.minimum(length, least_ns))
    nothing = np.zeros(len(length))
    span = length - held
    return Holds.joined(
        Holds(slices.end - held, held, nothing, slices.kind),
        Holds(slices.start, np.where(span > 0, stop_ns, 0.0), span, slices.kind),
    )


def of_erases(slices: Slices, begun: NDArray[Any], suspension: Suspension) -> Holds:
    """Returns the stretches of erases in which a read waits.

    Args:
        slices: The slices of erases.
        begun: When the command of each erase ended, sorted: there the erase begins.
        suspension: What a read does to it.
    """
    import numpy as np

    if not len(slices.start):
        return waiting(slices)
    opens = np.isin(slices.start, begun) | np.append(True, slices.die[1:] != slices.die[:-1])
    erase = np.cumsum(opens)
    if suspension.erases == "none":
        first = np.flatnonzero(opens)
        whole = slices.where(first)
        return waiting(_until(whole, slices.end[np.append(first[1:], len(erase)) - 1]))
    # A loop is a pulse with its verify; where it was stopped there is none.
    pulse = np.flatnonzero(slices.name == PULSE)
    verify = np.minimum(pulse + 1, len(erase) - 1)
    is_verified = (slices.name[verify] == VERIFY) & (erase[verify] == erase[pulse])
    loops = _until(slices.where(pulse), np.where(is_verified, slices.end[verify], slices.end[pulse]))
    if suspension.erases == "loop":
        return waiting(loops)
    is_last = np.append(erase[pulse][1:] != erase[pulse][:-1], True) & ~loops.is_stopped
    keeps = is_last if suspension.erases == "restart" else np.zeros(len(pulse), bool)
    return Holds.joined(
        waiting(loops.where(keeps)),
        stopping(loops.where(~keeps), suspension.least_ns, suspension.erase_stop_ns),
    )


def _until(slices: Slices, end: Floats) -> Slices:
    return Slices(slices.die, slices.name, slices.kind, slices.start, end, slices.is_stopped)
