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
Hints = Literal["none", "hint", "tuned"]
# How handles come in, and which hints a database gives.
WAYS: tuple[tuple[str, Hints], ...] = (("plain", "none"), ("hints", "hint"), ("hints", "tuned"))
# Of the narrow drive: 33 pages of 16 KiB on four planes are 2.06 MiB, here a power of two.
UNIT_BYTES_A_DIE = 2 << 20


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
    size = " ".join(str(config[f"ssd.{key}"]) for key in ("channels", "blocks_per_plane", "overprovisioning"))
    key = f"{load} {way} {size} {whole}"
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


@dataclass(frozen=True)
class Database:
    """What the source does not say of its database and its drive: one reading of it."""

    name: str
    dies: int = 1
    levels: int = 6
    fanout: float = 4.0
    used: float = 0.98
    rewrites: float = 4.0
    unit_files: int = 32
    overprovisioning: float | None = None


# The first was chosen before its runs, the others after they were seen. Where levels grow by 10, a narrow drive is too
# small for the highest one.
DATABASES = (
    Database("simulated: six levels, fanout of 4, 98 % used"),
    Database("five levels, RocksDB's fanout of 10", dies=8, levels=5, fanout=10.0),
    Database("files of 64 MiB", unit_files=128),
    Database("compactions write twice as much", rewrites=8.0),
    Database("7 % of spare", overprovisioning=0.07),
    Database("85 % of the drive used", used=0.85),
    Database("five levels, fanout of 10, 7 % of spare", dies=8, levels=5, fanout=10.0, overprovisioning=0.07),
)


def database(reading: Database) -> list[float]:
    """A database with no hints, with those that it gives, and with tuned ones."""
    config = narrow(DRIVES[0], reading.dies).set_all({"fdp.handles": 7, "host.mode": "open"})
    if reading.overprovisioning is not None:
        config = config.set("ssd.overprovisioning", reading.overprovisioning)
    found = []
    for way, handles in WAYS:
        load = rocksdb(
            levels=reading.levels,
            fanout=reading.fanout,
            used=reading.used,
            rewrites=reading.rewrites,
            file_bytes=reading.dies * UNIT_BYTES_A_DIE // reading.unit_files,
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


def database_rows() -> Iterator[str]:
    """Returns a row for each reading of the database."""
    for reading in DATABASES:
        values = database(reading)
        is_order = sorted(values, reverse=True) == values
        cells = " | ".join(f"{each:.2f}" for each in values)
        yield f"| {reading.name} | {cells} | {'the same' if is_order else 'another'} | {values[0] / values[-1]:.2f} |\n"
