"""The ten workloads of Section 4.2 with fast writes at every setting, each compared with the same run without.

Traces are the real ones if available, look-alikes for the rest.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wordline.config import preset
from wordline.workload import Trace as TraceFile
from wordline.workload import WorkloadLike, trace
from wordline.workload import workload as synthetic

from .. import Outcome, Point, Results, Row, part
from ..at_hand import PUBLISHED, files_of

FINANCIAL_1, FINANCIAL_2 = PUBLISHED["umass/financial1"], PUBLISHED["umass/financial2"]
# The available traces that the paper names: files (the first that exists is used), and number of replays. The
# Financials are complete if the files of the UMass Trace Repository are in the folder.
REAL: dict[str, tuple[tuple[str, int], ...]] = {
    "iozone": (("iozone.disksim", 1),),
    "postmark": (("postmark.disksim", 1),),
    "financial1": ((FINANCIAL_1.files, 1), ("financial1_head.ascii", 10)),
    "financial2": ((FINANCIAL_2.files, 1),),
}
LOOK_ALIKES = {
    "iozone": ("ofwar/iozone", 30_000),
    "postmark": ("ofwar/postmark", 60_000),
    "financial1": ("umass/financial1", 100_000),
    "financial2": ("umass/financial2", 100_000),
    **{f"trace{n}": (f"ofwar/trace{n}", 40_000) for n in range(1, 7)},
}
# Traces whose look-alikes may stand for them. Financial2's has assumed bursts, and all of Trace 1 to 6 is assumed.
DESCRIBED = ("iozone", "postmark", "financial1")
# Repeated traces have at most this many requests.
MOST_REPEATED = 1_000_000
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
    rows = []
    for name, (look_alike, requests) in LOOK_ALIKES.items():
        at_hand = [(path, rounds) for file, rounds in REAL.get(name, ()) for path in files_of(file)]
        if at_hand:
            path, rounds = at_hand[0]
            replay = trace(path, wrap=True, rounds=1 if quick else rounds, limit=QUICK_REQUESTS if quick else None)
            rows.append(Load(name, replay, None, is_real=True))
        else:
            rows.append(Load(name, synthetic(look_alike), QUICK_REQUESTS if quick else requests, is_real=False))
    return rows


@dataclass(frozen=True)
class Axis:
    """A setting that figures vary.

    Attributes:
        name: Its field in `Trace`.
        key: Its key.
        usual: Its value while another one is varied.
        label: The label of an axis.
        values: The tested values.
    """

    name: str
    key: str
    usual: int
    label: str
    values: tuple[int, ...]

    def of(self, row: Trace) -> int:
        """Returns its value in a row."""
        return int(getattr(row, self.name))


# Section 5: the thresholds of Fig. 9 to 12.
DEPTH = Axis(
    "depth", "program.rewrite_queue_pages", 65_536, "rewrite queue, pages", (4_096, 16_384, 32_768, 65_536, 131_072)
)
WRITE = Axis(
    "write", "program.fast_write_threshold", 128, "fast write threshold, queued pages",
    (32, 64, 128, 256, 512, 1_024, 2_048),
)  # fmt: skip
# 0: whenever a channel is idle (Fig. 18a).
REWRITE = Axis("rewrite", "program.rewrite_threshold", 128, "rewrite threshold, entries", (0, 128, 512, 2_048, 8_192))
# Concurrent programs on a channel, for all traces; the paper does not say. Here its chips take turns. The chip
# in turn programs a page in each plane: two dies of two planes (section 4.2). In the paper's simulator, chips that
# share a bus also take turns, with a page each (DiskSim's SSD extension, shared-bus gangs). See the sweep.
STREAMS = Axis(
    "streams", "program.write_streams", 4, "pages programmed at once on a channel", (2, 3, 4, 5, 6, 8, 16, 32)
)
AXES = (DEPTH, WRITE, REWRITE, STREAMS)
FINANCIAL_THRESHOLDS = (8, 16, 32, 64, 128)
# Pages written before the run, as a multiple of the host's, in the order of the trace, in zero time: more than the 80 %
# of the flash at which GC begins.
STEADY = {"precondition.overwrite": 1.15, "precondition.shape": "workload"}
# When N_th_w stops counting a page: the write queue "stores the data of write requests from the host" (section 3.2),
# and a power failure must not lose it; so a page counts until it is on flash. The paper also has requests "fetched"
# from the queue, which may mean that they leave it then. Settled after seeing the effect of both (CHOICES).
QUEUED_UNTIL = "done"
# The other readings of what the paper leaves open, on the real traces.
NORMAL, AS_STATED = "normal", "as stated"
CHOICES: dict[str, dict[str, Any]] = {
    AS_STATED: {},
    "GC takes any fast block first": {"program.gc_fast_first": "always"},
    "stale entries do not count": {"program.stale_entries": "ignore"},
    "pages leave the write queue when their programs begin": {"program.queued_until": "begun"},
    "an idle channel rewrites as many pages as it writes": {"program.rewrites_in_flight": STREAMS.usual},
}


def settings(policy: str = "ofwar", changed: Axis | None = None, value: int = 0) -> dict[str, Any]:
    """Returns the settings on top of the preset, with one axis changed."""
    axes = {axis.key: value if axis is changed else axis.usual for axis in AXES}
    return {"program.policy": policy, "program.queued_until": QUEUED_UNTIL, **axes}


def cases(load: Load) -> Iterator[dict[str, Any]]:
    """Yields the settings of a workload."""
    yield settings("normal")
    yield settings()
    for axis in (DEPTH, WRITE, REWRITE):
        # A threshold has no effect on a run without fast writes.
        yield from (settings("ofwar", axis, n) for n in axis.values if n != axis.usual)
    if load.name.startswith("financial"):
        yield from (settings("ofwar", WRITE, n) for n in FINANCIAL_THRESHOLDS if n not in WRITE.values)
        # One program at a time on a channel, as in DiskSim's shared-bus gangs and in Fig. 3.
        yield settings("normal", STREAMS, 1)
        yield {**settings("ofwar", STREAMS, 1), WRITE.key: min(FINANCIAL_THRESHOLDS)}
    if load.is_real:
        swept = [n for n in STREAMS.values if n != STREAMS.usual]
        yield from (settings(policy, STREAMS, n) for n in swept for policy in ("normal", "ofwar"))


@part("traces")
def replays(quick: bool) -> Iterator[Point]:
    """Yields every workload in every case; runs that several figures share appear once."""
    for load in loads(quick):
        for case in cases(load):
            yield run(load, quick, case, {"load": load.name, "real": load.is_real})


@part("choices")
def readings(quick: bool) -> Iterator[Point]:
    """Yields the real traces under every reading of what the paper leaves open, and repeated as stated."""
    for load in loads(quick):
        if not load.is_real:
            continue
        for name, other in {NORMAL: settings(NORMAL), **CHOICES}.items():
            yield run(load, quick, {**settings(), **other}, {"load": load.name, "choice": name, "repeated": False})
        for name in (NORMAL, AS_STATED):
            keys = settings(NORMAL) if name == NORMAL else settings()
            yield run(repeated(load), quick, keys, {"load": load.name, "choice": name, "repeated": True})


@functools.cache
def host_bytes() -> int:
    """Returns the host's space of section 4.2's SSD."""
    config = preset("ofwar")
    sizes = ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "blocks_per_plane", "pages_per_block")
    pages = math.prod(config[f"ssd.{size}"] for size in sizes)
    return int(pages * config["ssd.page_bytes"] * (1.0 - config["ssd.overprovisioning"]))


def repeated(load: Load) -> Load:
    """Returns a real trace as often as it takes to write the SSD once, in a short run its first requests twice.

    The head of Financial1, in which no page waits long enough to be written fast, stops before that.
    """
    if not isinstance(load.workload, TraceFile):
        raise TypeError(f"{load.name} is no trace")
    options = dict(load.workload.options)
    once = trace(*load.workload.paths).stat()
    rounds = min(math.ceil(host_bytes() / once["write_bytes"]), MOST_REPEATED // once["requests"])
    rounds = 2 if options.get("limit") else max(rounds, options.get("rounds", 1))
    return replace(load, workload=trace(*load.workload.paths, **{**options, "rounds": rounds}))


def run(load: Load, quick: bool, keys: dict[str, Any], labels: dict[str, Any]) -> Point:
    """Returns a run of a workload; in the steady state unless the run is short."""
    steady = {} if quick else STEADY
    # Nothing is drawn in a run of a recorded trace on this SSD, and no claim needs what is not described.
    seed = 1 if load.is_real or load.name not in DESCRIBED else None
    return Point("ofwar", {**steady, **keys}, load.workload, seed=seed, requests=load.requests, labels=labels)


class Setting(Row):
    """A workload, and the values of the axes."""

    load: str
    real: bool
    depth: int
    write: int
    rewrite: int
    streams: int

    @property
    def name(self) -> str:
        """The workload, with a mark if it is generated."""
        return self.load if self.real else f"{self.load}*"

    @property
    def tells(self) -> bool:
        """Whether it says something about the paper's trace."""
        return self.real or self.load in DESCRIBED


class Place(Row):
    """A run by its labels."""

    at: Mapping[str, Any]


class Compared(Row):
    """A run with fast writes relative to the same run without; pages are shares of those requested."""

    mean_us: float
    normal_mean_us: float
    normalized_mean: float
    normalized_std: float
    fast_share: float
    rewrites: float
    extra_writes: float
    moved: float
    hit_rate: float
    rewrite_queue_max: int
    write_queue_max: int
    lost_pages: int


class Trace(Compared, Setting):
    """A workload at a setting."""


class Other(Compared, Place):
    """A run outside the figures of the ten workloads."""


def compared(outcome: Outcome, normal: Outcome) -> dict[str, Any]:
    """Returns the fields of `Compared`."""
    ftl, other = outcome["counters.ftl"], normal["counters.ftl"]
    here, there = outcome["response_us.all"], normal["response_us.all"]
    writes = max(1, ftl["user_writes"])
    requested = max(1, ftl["user_writes"] + ftl["user_reads"] + ftl["reads_without_flash"])
    programs, normal_programs = (
        counters["user_writes"] + counters["rewrites"] + counters["moved"] for counters in (ftl, other)
    )
    values = (
        here["mean"], there["mean"], here["mean"] / there["mean"],
        here["std"] / there["std"] if there["std"] > 0 else 1.0, ftl["fast_writes"] / writes,
        ftl["rewrites"] / requested, (programs - normal_programs) / requested,
        (ftl["moved"] - other["moved"]) / requested, ftl["rewrite_hits"] / writes, ftl["rewrite_queue_max"],
        ftl["queued_max"], ftl["lost_pages"],
    )  # fmt: skip
    return dict(zip(Compared.field_names(), values, strict=True))


@functools.lru_cache(maxsize=1)
def traces(results: Results) -> list[Trace]:
    """Returns every run with fast writes of the ten workloads."""
    rows, runs = [], replays.of(results)
    for outcome in runs.where({"program.policy": "ofwar"}):
        place = outcome.coordinates
        alike = {"program.policy": NORMAL, STREAMS.key: place[STREAMS.key]}
        normal = runs.where(alike, load=place["load"])[0]
        at = {axis.name: place[axis.key] for axis in AXES}
        rows.append(Trace(load=place["load"], real=place["real"], **at, **compared(outcome, normal)))
    return rows


def choices(results: Results) -> list[Other]:
    """Returns the readings of what the paper leaves open."""
    runs = readings.of(results)
    labels = [{key: o.coordinates[key] for key in ("load", "choice", "repeated")} for o in runs]
    return [
        Other(at=at, **compared(outcome, runs.one({**at, "choice": NORMAL})))
        for outcome, at in zip(runs, labels, strict=True)
        if at["choice"] != NORMAL
    ]


def along(rows: Sequence[Trace], varied: Axis) -> list[Trace]:
    """Returns the rows in which only one setting differs from Section 5's."""
    return [row for row in rows if all(axis.of(row) == axis.usual for axis in AXES if axis is not varied)]


def usual(rows: Sequence[Trace]) -> list[Trace]:
    """Returns the rows at Section 5's settings."""
    return [row for row in rows if all(axis.of(row) == axis.usual for axis in AXES)]
