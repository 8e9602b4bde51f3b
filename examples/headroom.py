"""How much more load would this SSD bear?

    python examples/headroom.py mine.csv.gz --preset datacenter-tlc
    python examples/headroom.py                     # a synthetic look-alike of MSR Cambridge's hm_0

Replays a trace faster and faster (its arrival times are multiplied by host.time_scale) and watches p99: where it
turns upwards the SSD is full.
"""

import argparse
from math import nan

import wordline as wl

SPEEDS = [1, 10, 100, 1_000, 10_000]


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", nargs="?", help="a trace in any format that Wordline reads")
    parser.add_argument("--preset", default="mqsim")
    parser.add_argument("--requests", type=int, default=100_000)
    arguments = parser.parse_args()

    # The timestamps decide when requests arrive, whatever the preset says.
    config = wl.preset(arguments.preset).set("host.mode", "open")
    if arguments.trace:
        workload = wl.trace(arguments.trace, wrap=True, limit=arguments.requests)
    else:
        workload = wl.workload("msrc/hm_0", requests=arguments.requests)

    comparison = wl.compare(config, workload, {"host.time_scale": [1 / speed for speed in SPEEDS]})
    print(f"{'speed':>7} {'requests/s':>11} {'dies busy':>10} {'mean us':>11} {'p99 us':>11}")
    for speed, point in zip(SPEEDS, comparison, strict=True):
        result = point.result
        busy = result.to_dict()["die_utilisation"]["mean"]
        rate = result.to_dict()["iops"]["all"]
        print(f"{speed:6}x {rate:11,.0f} {busy:10.1%} {result.all.mean:11,.1f} {result.all.p99 or nan:11,.1f}")


if __name__ == "__main__":
    main()
