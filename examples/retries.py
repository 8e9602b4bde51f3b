"""What does retention do to p99.99?

    python examples/retries.py

The longer data lie, the more retry steps their pages need before they decode. This runs the same reads on data of no
age up to a year, and shows where the time goes: the array (senses), the channel (failed pages cross it, too), and the
queue.
"""

import argparse
from math import nan

import wordline as wl

MONTHS = [0.0, 0.5, 1.0, 3.0, 12.0]


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--preset", default="pnar2")
    arguments = parser.parse_args()

    config = wl.preset(arguments.preset, retry="baseline")
    reads = wl.workload("fio/zipf-read", requests=arguments.requests, inter_arrival_us=300.0, arrival="exponential")
    comparison = wl.compare(config, reads, {"reliability.retention_months": MONTHS})

    print(f"{'months':>6} {'steps':>5} {'mean us':>9} {'p99 us':>9} {'p99.99 us':>10}   of which array, channel, queue")
    for months, point in zip(MONTHS, comparison, strict=True):
        result = point.result
        parts = result.to_dict()["read_breakdown_us"]
        steps = result.to_dict()["read_retry"]["mean_steps"]
        channel = parts["channel_wait"] + parts["transfer"]
        read = result.read
        print(
            f"{months:6} {steps:5.1f} {read.mean:9.1f} {read.p99 or nan:9.1f} {read.p9999 or nan:10.1f}   "
            f"{parts['array']:.0f}, {channel:.0f}, {parts['queue']:.0f} us"
        )


if __name__ == "__main__":
    main()
