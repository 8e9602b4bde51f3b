"""How does my trace compare with a look-alike?

    python examples/look_alike.py mine.csv.gz --workload msrc/hm_0

A look-alike has a trace's published numbers, and no more. This shows a trace and a look-alike side by side, first what
they ask for, then what comes of it on one SSD: how far apart the last rows are is what a study on look-alikes may be
wrong by. Without a trace, the first part of the look-alike of another one stands in for it.
"""

import argparse
import tempfile
from math import nan
from pathlib import Path

import wordline as wl

SHOWN = {
    "read_ratio": "share of reads",
    "cold_ratio": "share of reads of what is never written",
    "sequential_ratio": "share of sequential requests",
    "mean_read_bytes": "bytes of a read",
    "mean_write_bytes": "bytes of a write",
    "mean_iops": "requests a second",
    "footprint_bytes": "bytes touched",
}


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", nargs="?", help="a trace in any format that Wordline reads")
    parser.add_argument("--workload", default="msrc/hm_0")
    parser.add_argument("--preset", default="pnar2")
    parser.add_argument("--requests", type=int, default=50_000)
    arguments = parser.parse_args()

    config = wl.preset(arguments.preset, read_retry="baseline", pec=1000, retention_months=3)
    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for name in ("msrc/rsrch_0", arguments.workload):
            made[name] = Path(folder) / f"{name.replace('/', '-')}.native"
            wl.workload(name, requests=arguments.requests).write(made[name], config)
        path = arguments.trace or made["msrc/rsrch_0"]
        pair = {
            Path(path).name: wl.trace(path, wrap=True, limit=arguments.requests),
            arguments.workload: wl.trace(made[arguments.workload]),
        }
        show(pair, config)


def show(pair: dict[str, wl.Trace], config: wl.Config) -> None:
    """Two columns of numbers."""
    columns = []
    for trace in pair.values():
        stat = trace.stat()
        result = wl.run(config, trace)
        columns.append(
            {
                **{label: stat[key] for key, label in SHOWN.items()},
                "reads: mean, us": result.read.mean,
                "reads: p99, us": result.read.p99 or nan,
                "reads: p99.99, us": result.read.p9999 or nan,
                "retry steps of a read": result.read_retry["mean_steps"],
            }
        )
    print(" " * 40 + "".join(f"{name:>20}" for name in pair))
    for label in columns[0]:
        print(f"{label:40}" + "".join(f"{column[label]:20,.2f}" for column in columns))


if __name__ == "__main__":
    main()
