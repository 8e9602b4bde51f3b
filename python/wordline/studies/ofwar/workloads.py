"""The ten workloads of OFWAR, Section 4.2: the real ones if available, look-alikes for the rest."""

from __future__ import annotations

from dataclasses import dataclass

from ...workload import WorkloadLike, trace
from ...workload import workload as synthetic
from ..at_hand import traces_folder

# The available traces that the paper names: files (the first that exists is used), and number of replays. The
# Financials are complete if the files of the UMass Trace Repository are in the folder.
REAL: dict[str, tuple[tuple[str, int], ...]] = {
    "iozone": (("iozone.disksim", 1),),
    "postmark": (("postmark.disksim", 1),),
    "financial1": (("Financial1.spc", 1), ("financial1_head.ascii", 10)),
    "financial2": (("Financial2.spc", 1),),
}
LOOK_ALIKES = {
    "iozone": ("ofwar/iozone", 30_000),
    "postmark": ("ofwar/postmark", 60_000),
    "financial1": ("umass/financial1", 100_000),
    "financial2": ("umass/financial2", 100_000),
    **{f"trace{n}": (f"ofwar/trace{n}", 40_000) for n in range(1, 7)},
}
# Quick runs use this many requests, from the start.
QUICK_REQUESTS = 2_000


@dataclass(frozen=True)
class Load:
    """A workload of the paper.

    Attributes:
        name: Its name in the paper.
        workload: The workload.
        requests: Number of requests; None: all.
        is_real: Whether it is the paper's own trace, or a part of it.
    """

    name: str
    workload: WorkloadLike
    requests: int | None
    is_real: bool


def loads(quick: bool) -> list[Load]:
    """Returns all ten."""
    found = []
    for name, (look_alike, requests) in LOOK_ALIKES.items():
        at_hand = [(path, rounds) for file, rounds in REAL.get(name, ()) if (path := traces_folder() / file).is_file()]
        if at_hand:
            path, rounds = at_hand[0]
            replay = trace(path, wrap=True, rounds=1 if quick else rounds, limit=QUICK_REQUESTS if quick else None)
            found.append(Load(name, replay, None, is_real=True))
        else:
            found.append(Load(name, synthetic(look_alike), QUICK_REQUESTS if quick else requests, is_real=False))
    return found
