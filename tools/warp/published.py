"""Numbers that others published, beside loads of their kind: nothing is fitted, and drives and loads are not theirs."""

from __future__ import annotations

from collections.abc import Iterator

import wordline as wl
from wordline.applications import Application, rocksdb, tenants
from wordline.placements import placed

from . import memo
from .drives import DRIVES, narrow

RATE_MB_S = 20.0
WRITES = 5.0
# A drive of 960 GB with units of 16 GiB: 56 for the host, and the spare of drive A.
UNITS = 66
WORKERS = 9


def amplification(config: wl.Config, way: str, load: Application) -> float:
    """Returns the write amplification over the last two fifths of a run on the fresh drive."""
    key = f"{load} {way} {config['ssd.channels']} {config['ssd.blocks_per_plane']}"
    return memo.kept(key, lambda: run(config, way, load)).amplification


def run(config: wl.Config, way: str, load: Application) -> wl.Result:
    """Runs a load, of which the last two fifths count."""
    total = sum(flow.config(config)["workload.requests"] for flow in load.flows(config))
    return wl.run(placed(config, way).set("host.warmup_requests", int(0.6 * total)), load)


def cache_of_objects() -> list[float]:
    """Nine workers, each with its part of 89 % of the drive, without handles and with a handle each."""
    config = narrow(DRIVES[0], dies=4).set_all(
        {"fdp.handles": WORKERS + 2, "host.mode": "open", "ssd.blocks_per_plane": UNITS}
    )
    load = tenants([1.0] * WORKERS, used=855 / 960, block_bytes=65_536, drive_writes=WRITES, rate_mb_s=RATE_MB_S)
    return [amplification(config, way, load) for way in ("plain", "fdp-ii")]


def database() -> list[float]:
    """A database with no handles, with four hints, and with a handle for each level."""
    config = narrow(DRIVES[0], dies=1).set_all({"fdp.handles": 7, "host.mode": "open"})
    found = []
    for way, handles in (("plain", "none"), ("hints", "hint"), ("fdp-ii", "level")):
        load = rocksdb(used=0.98, file_bytes=65_536, handles=handles, drive_writes=WRITES, rate_mb_s=RATE_MB_S)
        found.append(amplification(config, way, load))
    return found


def rows() -> Iterator[str]:
    """Returns the rows of the table."""
    for name, published, found in (
        ("LMCache #4016: no handles, handles", (2.60, 1.43), cache_of_objects()),
        ("RocksDB: no handles, hints, a handle a level", (2.7, 2.4, 1.9), database()),
    ):
        ratio = published[0] / published[-1], found[0] / found[-1]
        is_order = sorted(found, reverse=True) == found
        here, there = (", ".join(f"{each:.2f}" for each in values) for values in (found, published))
        print(name, found, flush=True)
        order = "the same" if is_order else "another"
        yield f"| {name} | {there} | {here} | {order} | {ratio[0]:.2f} | {ratio[1]:.2f} |\n"
