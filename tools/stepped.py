"""Processor time of a drive that a program steps, beside a replay of the same requests; prints JSON.

    python tools/stepped.py [--operations N]

Random reads of 4 KiB, submitted and heard in batches of 64. Both are measured in two lengths, so that what both do once
does not count. `tools/bench.py` calls it (`make bench`).
"""
# ruff: noqa: INP001

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np

import wordline as wl

BATCH = 64
GAP_NS = 40_000
US_PER_S = 1e6
OPERATION = np.dtype([("operation", "u1"), ("offset", "u8"), ("length", "u8")])


def requests(count: int, pages: int) -> np.ndarray:
    """Random reads."""
    ops = np.zeros(count, dtype=OPERATION)
    ops["offset"] = np.random.default_rng(1).integers(0, pages, count).astype("u8") * 4096
    ops["length"] = 4096
    return ops


def stepped_s(config: wl.Config, ops: np.ndarray) -> float:
    """Processor time of stepping."""
    with wl.open(config) as drive:
        begin = time.process_time()
        for first in range(0, len(ops), BATCH):
            drive.submit(first // BATCH * GAP_NS, ops[first : first + BATCH])
            drive.advance((first // BATCH + 1) * GAP_NS)
        drive.advance()
        return time.process_time() - begin


def replayed_s(config: wl.Config, ops: np.ndarray, trace: Path) -> float:
    """Processor time of a replay."""
    times = (np.arange(len(ops)) // BATCH * GAP_NS).tolist()
    rows = zip(times, ops["offset"].tolist(), ops["length"].tolist(), strict=True)
    lines = (f"{at},R,{offset // 512},{length // 512}\n" for at, offset, length in rows)
    trace.write_text("time_ns,op,sector,sectors\n" + "".join(lines), encoding="ascii")
    begin = time.process_time()
    wl.run(config, wl.trace(trace))
    return time.process_time() - begin


def main() -> None:
    """Prints us an operation, for both, and the difference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--operations", type=int, default=400_000, metavar="N")
    count = parser.parse_args().operations // BATCH * BATCH
    config = wl.preset("datacenter-tlc", ssd__scale=1 / 256).set("host.mode", "open")
    ops = requests(2 * count, config.host_bytes // 4096)
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "requests.csv"
        stepped = stepped_s(config, ops) - stepped_s(config, ops[:count])
        replayed = replayed_s(config, ops, trace) - replayed_s(config, ops[:count], trace)
    each = {"stepped_us": stepped / count * US_PER_S, "replayed_us": replayed / count * US_PER_S}
    print(json.dumps(each | {"beyond_us": each["stepped_us"] - each["replayed_us"]}))


if __name__ == "__main__":
    main()
