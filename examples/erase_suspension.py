"""Does erase suspension help my tail?

    python examples/erase_suspension.py

A block is erased for milliseconds, and a read that comes meanwhile waits for the die. This runs the same requests with
and without the suspension of erases and of programs: the mean hardly changes, the tail does.
"""

import argparse
from math import nan
from pathlib import Path

import wordline as wl


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=60_000)
    parser.add_argument("--arrival-us", type=float, default=400.0, help="mean time between two requests")
    arguments = parser.parse_args()

    # At times of their own (open loop): a closed loop would send less where it has to wait more.
    config = wl.config(Path(__file__).with_name("small-ssd.toml"), overprovisioning=0.28, host_mode="open")
    load = wl.workload(
        requests=arguments.requests, read_ratio=0.7, inter_arrival_us=arguments.arrival_us, arrival="exponential"
    )
    comparison = wl.compare(config, load, {"program.suspend": [False, True], "erase.yield": ["none", "suspend"]})

    print("reads, us                     mean      p99    p99.9   p99.99   suspensions, erases")
    for point in comparison:
        read, counters = point.result.read, point.result.counters["controller"]
        program = "yes" if point.settings["program.suspend"] else "no"
        erase = "yes" if point.settings["erase.yield"] == "suspend" else "no"
        print(
            f"programs {program:>3}, erases {erase:>3}  {read.mean:8,.1f} {read.p99 or nan:8,.1f} "
            f"{read.p999 or nan:8,.1f} {read.p9999 or nan:8,.1f}   {counters['suspends']:,}, {counters['erases']:,}"
        )


if __name__ == "__main__":
    main()
