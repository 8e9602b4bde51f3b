"""The SSDs: five erase schemes under eleven workloads at three ages (Section 7.3 and 7.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .. import Part, Point
from ..at_hand import source_of
from .published import AEROS, MSRC_TIME_SCALE, PECS, SCHEMES, WORKLOADS, WORN_OUT

# AERO, Table 3: share of reads, which determines the number of requests, and time between requests in the replay, us.
READ_SHARES = {
    "ali.A": 0.07, "ali.B": 0.52, "ali.C": 0.69, "ali.D": 0.78, "ali.E": 0.95, "rsrch": 0.09, "stg": 0.15, "hm": 0.36,
    "prxy": 0.65, "proj": 0.88, "usr": 0.91,
}  # fmt: skip
GAPS_US = {
    "ali.A": 16_300, "ali.B": 111_800, "ali.C": 57_900, "ali.D": 13_800, "ali.E": 5_100, "rsrch": 42_190, "stg": 29_780,
    "hm": 15_150, "prxy": 360, "proj": 2_060, "usr": 1_340,
}  # fmt: skip
HALF, US_PER_S = 0.5, 1e6
# Suspension. Section 7.3 speaks of an ongoing loop that can be suspended; which loops, and how they go on, only the
# authors' simulator says (github.com/allencho1222/MQSim). Its history has three rules.
# In those that stop a loop this takes 100 us, happens as often as reads come, and does not happen while a write is
# 64 ms old.
STOPPED = {
    "nand.erase_suspend_us": 100.0,
    "schedule.suspend_write_limit_us": 64_000.0,
    "schedule.max_suspends": 1_000_000,
}
# What its conditions of 8 August 2023 mean: a loop that is not the last, with 700 us or more left, begins again.
INTENDED = {"erase.yield": "restart", "schedule.suspend_min_remaining_us": 700.0, **STOPPED}
# As committed, by a condition that looks like a mistake. Kim et al. (ATC '19), cited in section 7.1, do the same.
BETWEEN_LOOPS = {"erase.yield": "loop"}
# As it was the day before.
ANY_LOOP = {"erase.yield": "suspend", "schedule.suspend_min_remaining_us": 0.0, **STOPPED}
NOWHERE = {"erase.yield": "none"}
# Wear of the blocks: each scheme's own. Section 7.3 explains AERO's tails at 2.5K by fewer loops (92 % of the blocks
# within two), which only blocks worn by AERO need.
OWN = {"reliability.worn_by": "scheme"}
# Arrival times: bursts. The paper replays the traces' own times and prints only their means. In 106 traced volumes of
# virtual machines (CloudPhysics; the percentiles of each one's gaps are in cloudphysics/block.csv of
# github.com/pbhandar2/BlockTraceFeatures) the median volume has half of its gaps below 1.26 % of the mean, one in 20
# above 1.3 and one in 100 above 18 times the mean: pauses after about 18 requests.
BURST_REQUESTS, BURST_GAP = 18, 0.0126
# And minutes: busy times with pauses between them. How many reads meet erases depends on how much faster the drive is
# written while reads come: the bytes written in a read's own window of time, mean of the reads, over the plain mean.
# In two hours of a virtual disk (VMware vscsiStats) that is 25, 17, 6.6 and 4.3 in windows of 10, 60, 300 and 600 s;
# requests that come 25 times as fast for 45 s at a time give 23, 17, 6.9 and 4.2. In half hours they give 2.1; of 103
# of the CloudPhysics volumes above (their block_snapshots) the median has 1.9, and the middle half 1.1 to 4.0. For
# Alibaba and MSR Cambridge no usable figure was found. Not fitted to a claim.
BUSY_FACTOR, BUSY_S = 25.0, 45.0
# The traces of MSR Cambridge are of servers that served them: 36 volumes on 179 disks (Narayanan et al., FAST '08), so
# five disks a volume, of some 200 requests a second each (15,000 rpm). 25 times prxy's mean rate would be 7,000 a
# second; replayed in a tenth of the time its writes would only queue in the simulated SSD. So no busy time is faster
# than these disks, as recorded. Ali.E, the busiest of Alibaba's, comes to 4,900 a second, which a cloud volume serves.
VOLUME_PER_S = 5 * 200.0
# Fig. 15's schemes, and those of its claims; the schemes and ages of Fig. 16's claims.
HELD = ("ispe", *AEROS)
CLAIMED_HELD = ("ispe", "aero")
CLAIMED_MISPREDICTED = (("aero", PECS[0]), ("aero", PECS[-1]), ("aero-cons", PECS[0]))
# How many of the requests are reads is drawn, so a run asks for more reads than it needs.
SPARE = 1.01
# Steady state: every page written once, then half of them again at random, so that GC has started in every plane. It
# then continues until all planes have their free blocks; requests of that time are not counted.
# Not where the workload writes: the footprints that look-alikes write are assumed, a GB or so, and victims would then
# have no valid page at all (docs/techniques/aero-results.md says what that does).
STEADY = {"precondition.fill": 1.0, "precondition.overwrite": 0.5}
MISPREDICT_RATES = (0.05, 0.1, 0.2)
# Ages, P/E cycles, and months of retention of the reads over life.
READ_PECS, READ_MONTHS = (0, 500, 1000, 2000, 3000, 4000, 5000), 3.0


@dataclass(frozen=True)
class Size:
    """The amount of simulation.

    Attributes:
        reads: Reads of a point if at least half of its requests are reads; otherwise a twentieth of this. All seeds
            have them together; what no claim needs has those of the first seed alone.
        side_reads: The same for points outside the main grid, which have one seed.
        requests: Counted requests of a point of closed-loop replay: five erases a plane or more.
        closed_warmup: Requests before them.
        warmup: Busy times, with their pauses, before requests count, if they arrive at the traces' times.
        seeds: Number of seeds of each point of the main grid.
        workloads: The workloads.
        ssd: Settings that make the SSD smaller.
    """

    reads: int
    side_reads: int
    requests: int
    closed_warmup: int
    warmup: float
    seeds: int
    workloads: Sequence[str] = tuple(WORKLOADS)
    ssd: Mapping[str, Any] = field(default_factory=dict)

    def requests_of(self, workload: str, reads: int) -> int:
        """Returns the requests that surely contain this many reads, or a twentieth if fewer than half are reads."""
        share = READ_SHARES[workload]
        return round(SPARE * (reads if share >= HALF else reads // 20) / share)

    def warmup_of(self, workload: str) -> int:
        """Returns the number of requests before the counted ones."""
        replayed_s = self.warmup * busy_factor_of(workload) * BUSY_S * time_scale_of(workload)
        return round(replayed_s * US_PER_S / GAPS_US[workload])


def time_scale_of(workload: str) -> float:
    """Returns the share of its recorded times in which a workload is replayed."""
    return MSRC_TIME_SCALE if WORKLOADS[workload].startswith("msrc/") else 1.0


def busy_factor_of(workload: str) -> float:
    """Returns how much faster than on average requests of a workload come in busy times."""
    scale = time_scale_of(workload)
    return BUSY_FACTOR if scale == 1.0 else min(BUSY_FACTOR, VOLUME_PER_S * GAPS_US[workload] / scale / US_PER_S)


def busy(workload: str) -> dict[str, float]:
    """Returns the settings of a workload's busy times."""
    return {"workload.busy_factor": round(busy_factor_of(workload), 2), "workload.busy_s": BUSY_S}


# 2 x 10^6 reads have 200 beyond the 99.99th percentile and two beyond the 99.9999th, for which they are too few: claims
# about it say so. 10^7 have ten, and take an hour and a half on two cores: too long for a run of all studies.
FULL = Size(2_000_000, 100_000, 700_000, 300_000, 1.0, 5)
# A device of 9 GB: enough for every figure, too small for valid numbers. GC takes priority over the host's requests at
# the same number of free blocks as in the large one.
QUICK = Size(
    20_000,
    10_000,
    4_000,
    2_000,
    0.05,
    2,
    ("ali.E", "usr"),
    {"ssd.blocks_per_plane": 64, "ssd.pages_per_block": 132, "gc.hard_threshold": 0.04},
)


def pairs() -> list[tuple[str, int]]:
    """Returns the compared schemes and ages."""
    return [(scheme, pec) for pec in PECS for scheme in SCHEMES if (scheme, pec) not in WORN_OUT]


def everywhere(schemes: Sequence[str], pecs: Sequence[int] = PECS) -> list[tuple[str, int]]:
    """Returns some schemes at every age."""
    return [(scheme, pec) for pec in pecs for scheme in schemes]


def on_each(
    pairs: Sequence[tuple[str, int]],
    workload: str,
    keys: Mapping[str, Any],
    trace: str = "",
    **more: Any,  # noqa: ANN401 - of `Point`
) -> Iterator[Point]:
    """Yields a run for each scheme and age, of the real trace if it is at hand."""
    source = source_of(workload)
    for scheme, pec in pairs:
        labels = {**({"trace": trace} if trace else {}), "scheme": scheme, "pec": pec}
        settings = {**keys, "erase.scheme": scheme, "reliability.pec": pec}
        yield Point("aero", settings, source, labels=labels, **more)


def points(
    size: Size,
    pairs: Sequence[tuple[str, int]],
    reads: int,
    suspension: Mapping[str, Any] = INTENDED,
    *,
    seeds: int = 1,
    is_claimed: bool = True,
    **more: Any,  # noqa: ANN401 - values of settings
) -> Iterator[Point]:
    """Yields runs of every workload by its trace's own times.

    Args:
        size: The amount of simulation.
        pairs: Schemes and ages.
        reads: Reads of a pair under a workload, see `Size.reads`; each seed has its part of them.
        suspension: Settings of the rule of suspension.
        seeds: Number of seeds, the study's own if it is one.
        is_claimed: A claim needs the runs of all these seeds; otherwise only those of the first come.
        more: Further settings: keys with `_` for their first dot.
    """
    for name in size.workloads:
        warmup = size.warmup_of(name)
        given = {
            **size.ssd, **STEADY, **OWN, "host.warmup_requests": warmup, **suspension, **bursts(name), **busy(name),
            **{key.replace("_", ".", 1): value for key, value in more.items()},
        }  # fmt: skip
        if time_scale_of(name) != 1.0:
            given["host.time_scale"] = time_scale_of(name)
        requests = warmup + size.requests_of(name, reads // seeds)
        # Points with the same seed share their preconditioned drive, so they come together.
        for seed in range(1, seeds + 1 if is_claimed else 2) if seeds > 1 else [None]:
            yield from on_each(pairs, WORKLOADS[name], given, trace=name, requests=requests, seed=seed)


def bursts(name: str) -> dict[str, Any]:
    """Returns this workload's arrival settings; the look-alikes of MSR Cambridge have the traces' recorded times."""
    gap_us = GAPS_US[name] / time_scale_of(name)
    return {
        "workload.arrival": "bursts",
        "workload.burst_requests": BURST_REQUESTS,
        "workload.burst_inter_arrival_us": BURST_GAP * gap_us,
    }


def tails(size: Size) -> Iterator[Point]:
    """Fig. 14 and Table 4: every scheme and age."""
    return points(size, pairs(), size.reads, seeds=size.seeds)


def held(size: Size) -> Iterator[Point]:
    """Fig. 15: without suspension, the die held for the whole erase."""
    for scheme in HELD:
        yield from points(
            size, everywhere((scheme,)), size.reads, NOWHERE, seeds=size.seeds, is_claimed=scheme in CLAIMED_HELD
        )


def intended(size: Size) -> Iterator[Point]:
    """Fig. 14 in runs as long as those of the other two rules."""
    return points(size, everywhere(HELD), size.side_reads, INTENDED)


def between_loops(size: Size) -> Iterator[Point]:
    """Reads wait for the end of the loop."""
    return points(size, everywhere(HELD), size.side_reads, BETWEEN_LOOPS)


def any_loop(size: Size) -> Iterator[Point]:
    """Reads stop every loop, and it goes on."""
    return points(size, everywhere(HELD), size.side_reads, ANY_LOOP)


def mispredictions(size: Size) -> Iterator[Point]:
    """Fig. 16: some predictions are wrong; the highest rate also late in life."""
    for rate in MISPREDICT_RATES:
        ages = (PECS[0], PECS[-1]) if rate == MISPREDICT_RATES[-1] else PECS[:1]
        for pair in everywhere(AEROS, ages):
            is_claimed = rate == MISPREDICT_RATES[-1] and pair in CLAIMED_MISPREDICTED
            yield from points(
                size, [pair], size.reads, seeds=size.seeds, is_claimed=is_claimed, erase_mispredict_rate=rate
            )


def smooth(size: Size) -> Iterator[Point]:
    """DPES's writes without bursts, with the arrivals of the look-alikes: shows the effect of the bursts.

    Only notes need it, so it has one seed.
    """
    compared = everywhere(("ispe", "dpes"), PECS[:2])
    smooth_points = points(
        size, compared, size.side_reads // 4, workload_arrival="hyper-exponential", workload_busy_factor=1.0
    )
    return (replace(point, seed=1) for point in smooth_points)


def closed_loop(size: Size) -> Iterator[Point]:
    """Table 4, IOPS: requests at a queue depth, without the traces' pauses.

    A read always waits here. With the rule `INTENDED` loops begin again and again, which costs schemes of many loops
    time, and i-ISPE none; the paper's i-ISPE gains 0.1 %. So reads wait for the end of a loop.
    """
    given = {
        **size.ssd, **STEADY, **OWN, **BETWEEN_LOOPS, "host.mode": "closed", "host.queue_depth": 32,
        "host.warmup_requests": size.closed_warmup,
    }  # fmt: skip
    requests = size.closed_warmup + size.requests
    for name in size.workloads:
        yield from on_each(pairs(), WORKLOADS[name], given, trace=name, requests=requests)


def reads_over_life(size: Size) -> Iterator[Point]:
    """Not in any paper: retries in blocks worn by ISPE or AERO."""
    given = {
        **size.ssd, **OWN, "reliability.retention_months": READ_MONTHS, "read.retry": "baseline",
        "workload.inter_arrival_us": 2000.0, "workload.arrival": "exponential",
    }  # fmt: skip
    every = [(scheme, pec) for scheme in HELD for pec in READ_PECS]
    return on_each(every, "fio/random-read", given, requests=size.requests)


def part(of_size: Callable[[Size], Iterator[Point]]) -> Part:
    """Returns the points of a function, short or in full."""
    return Part(of_size.__name__, lambda quick: of_size(QUICK if quick else FULL))


TAILS, HELD_DIES = (part(each) for each in (tails, held))
# By the value of `erase.yield`.
RULES = {"restart": part(intended), "loop": part(between_loops), "suspend": part(any_loop)}
IOPS, MISPREDICTIONS, SMOOTH, READS = (part(each) for each in (closed_loop, mispredictions, smooth, reads_over_life))
