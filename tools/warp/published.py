"""Numbers that others published, beside loads of their kind: nothing is fitted, and drives and loads are not theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import wordline as wl
from wordline.applications import Application, rocksdb
from wordline.applications.part import Part
from wordline.placements import placed

from . import memo
from .drives import DRIVES, narrow

RATE_MB_S = 20.0
WRITES = 5.0
# A drive of 960 GiB with units of 16 GiB: 60 for the host. How many it has besides is not known.
HOST_UNITS, CAPACITY_GIB = 60, 960
LEAST_UNITS, MOST_UNITS = 69, 100
CACHE_PLAIN = 2.60
# The narrow unit has 8.25 MiB, 1/1986 of it.
OBJECT_BYTES_A_MIB = 512
CACHE_WRITES = 4.0
Order = Literal["random", "sequential"]
ORDERS: dict[Order, str] = {"random": "at random", "sequential": "in order"}


@dataclass(frozen=True)
class Worker:
    """A worker of the KV cache: its part of the drive, the size of its objects, the handle of its class."""

    gib: int
    object_mib: int
    handle: int


WORKERS = (
    *[Worker(90, 4, 1)] * 2,
    Worker(180, 32, 2),
    *[Worker(90, 16, 3)] * 2,
    *[Worker(90, 2, 4)] * 3,
    Worker(45, 1, 5),
)
# What each worker writes, relative to the others: the source does not say.
SHARES: dict[str, Callable[[Worker], float]] = {
    "by its part of the drive": lambda worker: worker.gib,
    "equal bytes": lambda _: 1.0,
    "equal numbers of objects": lambda worker: worker.object_mib,
}


def amplification(config: wl.Config, way: str, load: Application, *, whole: bool = False) -> float:
    """Returns the write amplification over the last two fifths of a run, or over the whole of it."""
    key = f"{load} {way} {config['ssd.channels']} {config['ssd.blocks_per_plane']} {whole}"
    return memo.kept(key, lambda: run(config, way, load, 0.0 if whole else 0.6)).amplification


def run(config: wl.Config, way: str, load: Application, left_out: float) -> wl.Result:
    """Runs a load, of which the first part does not count."""
    total = sum(flow.config(config)["workload.requests"] for flow in load.flows(config))
    return wl.run(placed(config, way).set("host.warmup_requests", int(left_out * total)), load)


def cache_of_objects(order: Order, share: str, units: int, way: str) -> float:
    """Returns the write amplification of the nine workers on a drive of so many units, with a handle a class."""
    config = narrow(DRIVES[0], dies=4).set_all(
        {
            "fdp.handles": 7,
            "host.mode": "open",
            "ssd.blocks_per_plane": units,
            "ssd.overprovisioning": 1 - HOST_UNITS / units,
            "precondition.fill": 1.0,
        }
    )
    weights = [SHARES[share](worker) for worker in WORKERS]
    parts = tuple(
        Part(
            f"worker {number}",
            worker.gib / CAPACITY_GIB,
            weight / sum(weights),
            max(4096, worker.object_mib * OBJECT_BYTES_A_MIB),
            order,
            worker.handle,
        )
        for number, (worker, weight) in enumerate(zip(WORKERS, weights, strict=True), 1)
    )
    return amplification(config, way, Application(parts, CACHE_WRITES, RATE_MB_S), whole=True)


def fitted_units(order: Order, share: str) -> int:
    """Returns the fewest units with which the run without handles amplifies no more than was published."""
    few, many = LEAST_UNITS, MOST_UNITS
    while few < many:
        middle = (few + many) // 2
        if cache_of_objects(order, share, middle, "plain") <= CACHE_PLAIN:
            many = middle
        else:
            few = middle + 1
    return few


def database() -> list[float]:
    """A database with no hints, with those that it gives, and with tuned ones."""
    config = narrow(DRIVES[0], dies=1).set_all({"fdp.handles": 7, "host.mode": "open"})
    found = []
    for way, handles in (("plain", "none"), ("hints", "hint"), ("hints", "tuned")):
        load = rocksdb(
            levels=6,
            fanout=4.0,
            used=0.98,
            file_bytes=65_536,
            handles=handles,
            drive_writes=WRITES,
            rate_mb_s=RATE_MB_S,
        )
        found.append(amplification(config, way, load))
    return found


def cache_rows() -> Iterator[str]:
    """Returns a row for each reading of the load of the KV cache."""
    for share in SHARES:
        for order, name in ORDERS.items():
            units = fitted_units(order, share)
            plain, *both = (cache_of_objects(order, share, units, way) for way in ("plain", "fdp-ii", "fdp-pi"))
            told = ["the same" if each < plain else "another" for each in both]
            cells = " | ".join(f"{each:.2f}, {order_is}" for each, order_is in zip(both, told, strict=True))
            yield f"| {share} | {name} | {units - HOST_UNITS} | {plain:.2f} | {cells} |\n"


def database_row() -> str:
    """Returns the row of the database."""
    values = database()
    is_order = sorted(values, reverse=True) == values
    cells = " | ".join(f"{each:.2f}" for each in values)
    return f"| simulated | {cells} | {'the same' if is_order else 'another'} | {values[0] / values[-1]:.2f} |\n"
