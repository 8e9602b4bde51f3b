"""CacheLib on drive A: the share of bytes is fitted on the plain run of a pair, the run with handles predicted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

import wordline as wl
from wordline.applications import Application, cachelib
from wordline.placements import placed

from . import memo
from .drives import DRIVES, narrow

# The narrow part takes 1/64 of the time and has 1/2059 of the bytes; writes of 5 MB/s leave it room for its own.
RATE_MB_S = 20.0
# Shares of bytes at which the plain run is made, by the share of buckets; between them it is interpolated.
GRID = {0.40: (0.3, 0.5, 0.55), 0.20: (0.3, 0.6, 0.8), 0.04: (0.2, 0.5, 0.8)}


# How far amplification less one may be off, for a prediction to count.
WITHIN = 0.15
# The rule of the preset.
PRESET = "cost-benefit"
WAYS = ("fdp-ii", "fdp-pi")


@dataclass(frozen=True)
class Pair:
    """Two measured runs: the trace, the share of buckets, drive writes, and amplification over the last fifth."""

    trace: str
    buckets: float
    plain_writes: float
    fdp_writes: float
    plain: float
    fdp: float


# What the plain run of the first pair amplified in each tenth of its bytes.
TENTHS = (1.0, 1.001, 1.528, 1.582, 1.91, 2.816, 2.727, 2.772, 2.88, 2.969)
# Shares of bytes that are tried for all tenths.
SHARES = (0.45, 0.5, 0.55, 0.8, 0.825, 0.85)
# Two shares give the same amplification: one is below this.
MIDDLE = 0.7
RULES = ("cost-benefit", "greedy", "fifo")


PAIRS = (
    Pair("kv202206", 0.40, 5.9, 5.6, 2.924, 1.616),
    Pair("kv2024", 0.20, 10.0, 10.0, 2.395, 1.314),
    Pair("kv202206", 0.04, 10.0, 9.8, 3.562, 1.021),
)


def amplification(pair: Pair, bucket_bytes: float, way: str, writes: float, policy: str = PRESET) -> float:
    """Returns the write amplification over the last fifth of a run on the fresh drive."""
    key = f"{pair.trace} {pair.buckets} {bucket_bytes:.3f} {way} {writes} {policy}"
    return memo.kept(key, lambda: run(pair, bucket_bytes, way, writes, policy)).amplification


def cache(pair: Pair, bucket_bytes: float, writes: float, policy: str) -> tuple[wl.Config, Application]:
    """Returns the drive and the load."""
    config = narrow(DRIVES[0], dies=1).set_all({"fdp.handles": 7, "host.mode": "open", "gc.policy": policy})
    load = cachelib(
        buckets=pair.buckets,
        bucket_bytes=bucket_bytes,
        drive_writes=writes,
        rate_mb_s=RATE_MB_S,
        request_bytes=4096 * 8,
    )
    return config, load


def run(pair: Pair, bucket_bytes: float, way: str, writes: float, policy: str) -> wl.Result:
    """Runs a flash cache, of which the last fifth counts."""
    config, load = cache(pair, bucket_bytes, writes, policy)
    total = sum(flow.config(config)["workload.requests"] for flow in load.flows(config))
    return wl.run(placed(config, way).set("host.warmup_requests", int(0.8 * total)), load)


def tenths(pair: Pair, bucket_bytes: float, policy: str) -> list[float]:
    """Returns the write amplification of the plain run in each tenth of its bytes."""

    def numbers() -> list[float]:
        config, load = cache(pair, bucket_bytes, pair.plain_writes, policy)
        steps = wl.run(placed(config, "plain"), load).intervals()
        host, media = (
            np.concatenate([[0.0], np.cumsum(steps.column(f"{of}_written_bytes"))]) for of in ("host", "media")
        )
        ends = np.linspace(0.0, host[-1], len(TENTHS) + 1)
        return [float(each) for each in np.diff(np.interp(ends, host, media)) / np.diff(ends)]

    return memo.kept_series(f"{pair.trace} {pair.buckets} {bucket_bytes} tenths {policy}", numbers)[0]


def far(bucket_bytes: float, policy: str) -> float:
    """Returns how far the plain run of a share of bytes is from the first pair's in all tenths: the rms."""
    return float(np.sqrt(np.mean((np.array(tenths(PAIRS[0], bucket_bytes, policy)) - TENTHS) ** 2)))


def readings() -> Iterator[str]:
    """Returns a row for each reading of the first pair: the rule of GC, and what the share of bytes is fitted to."""
    least = fitted(PAIRS[0])[0]
    yield reading(PRESET, "the last fifth", least)
    yield reading("greedy", f"as with {PRESET}", least)
    for policy in RULES:
        best = min(SHARES, key=lambda share: far(share, policy))
        yield reading(policy, f"all tenths (rms {far(best, policy):.2f})", best)
        if policy == PRESET:
            other = min((share for share in SHARES if share > MIDDLE), key=lambda share: far(share, PRESET))
            yield reading(policy, f"all tenths, the larger one (rms {far(other, policy):.2f})", other)


def reading(policy: str, how: str, bucket_bytes: float) -> str:
    """Returns the row of a reading."""
    pair = PAIRS[0]
    plain = amplification(pair, bucket_bytes, "plain", pair.plain_writes, policy)
    values = (amplification(pair, bucket_bytes, way, pair.fdp_writes, policy) for way in WAYS)
    cells = " | ".join(f"{value:.2f} ({100 * off(pair, value):+.0f} %)" for value in values)
    return f"| {policy} | {how} | {bucket_bytes:.0%} | {plain:.2f} | {cells} |\n"


def fitted(pair: Pair) -> tuple[float, float]:
    """Returns the least share of bytes that gives the plain run, and what it has there: at most what it can reach."""
    grid = GRID[pair.buckets]
    found = [amplification(pair, each, "plain", pair.plain_writes) for each in grid]
    points = list(zip(grid, found, strict=True))
    for (low, below), (high, above) in pairwise(points):
        if below <= pair.plain <= above:
            return low + (high - low) * (pair.plain - below) / (above - below), pair.plain
    return max(points, key=lambda point: point[1])


def predicted(pair: Pair) -> tuple[float, float, dict[str, float]]:
    """Returns the share of bytes, what the plain run has there, and what the runs with handles have."""
    bucket_bytes, plain = fitted(pair)
    values = {way: amplification(pair, bucket_bytes, way, pair.fdp_writes) for way in WAYS}
    return bucket_bytes, plain, values


def off(pair: Pair, value: float) -> float:
    """Returns by how much amplification less one is off."""
    return (value - 1) / (pair.fdp - 1) - 1


def rows() -> Iterator[str]:
    """Returns a row for each pair."""
    for pair in PAIRS:
        bucket_bytes, plain, values = predicted(pair)
        cells = " | ".join(f"{value:.2f} ({100 * off(pair, value):+.0f} %)" for value in values.values())
        reached = f"{plain:.2f} at most" if plain < pair.plain else f"{plain:.2f}"
        head = f"| {pair.trace} | {pair.buckets:.0%} | {pair.plain:.2f} | {reached} | {bucket_bytes:.0%} "
        yield f"{head}| {pair.fdp:.2f} | {cells} |\n"


def verdict() -> str:
    """Says how many predictions are near enough."""
    each = [abs(off(pair, value)) <= WITHIN for pair in PAIRS for value in predicted(pair)[2].values()]
    return f"{sum(each)} of {len(each)} predictions are within {WITHIN:.0%}"


def first() -> str:
    """Says what the first pair gave, in one line."""
    values = predicted(PAIRS[0])[2]
    return f"{values['fdp-ii']:.2f} (II) and {values['fdp-pi']:.2f} (PI), where {PAIRS[0].fdp:.2f} was measured"
