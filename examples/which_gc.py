"""Which garbage collection for this workload?

    python examples/which_gc.py                     # a skewed synthetic workload
    python examples/which_gc.py mine.csv.gz         # a trace; its addresses wrap around the small SSD

Runs the same requests under every policy, on all cores, and shows write amplification next to the tail of reads:
the policy that writes least is not always the one that keeps reads waiting least.
"""

import argparse
from pathlib import Path

import wordline as wl

POLICIES = ["greedy", "cost-benefit", "d-choices", "fifo", "random"]


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", nargs="?", help="a trace in any format that Wordline reads")
    parser.add_argument("--requests", type=int, default=200_000)
    arguments = parser.parse_args()

    config = wl.config(Path(__file__).with_name("small-ssd.toml"))
    if arguments.trace:
        workload = wl.trace(arguments.trace, wrap=True, limit=arguments.requests)
    else:
        workload = wl.workload("fio/hot-cold-write", requests=arguments.requests)

    comparison = wl.compare(config, workload, {"gc.policy": POLICIES})
    print(f"{'policy':14} {'WA':>6} {'mean us':>9} {'p99.9 us':>10} {'erases':>8}")
    for point in comparison:
        policy, result = point.settings["gc.policy"], point.result
        latency = result.all
        erases = result.to_dict()["gc"]["erases"]
        print(f"{policy:14} {result.write_amplification:6.2f} {latency.mean:9.1f} {latency.p999:10.1f} {erases:8}")


# Comparisons start processes, which read this file again: only the first one is to run it.
if __name__ == "__main__":
    main()
