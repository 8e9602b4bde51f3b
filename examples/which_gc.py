"""Which garbage collection for this workload?

    python examples/which_gc.py                     # a skewed synthetic workload
    python examples/which_gc.py mine.csv.gz         # a trace; its addresses wrap around the part that is simulated

Runs the same requests under every policy, on all cores, on a used drive of today, and shows write amplification next to
the tail of reads: the policy that writes least is not always the one that keeps reads waiting least. What else makes
requests slow, such as a burst, is said below.
"""

import argparse
from math import nan

import wordline as wl

POLICIES = ["greedy", "cost-benefit", "d-choices", "fifo", "random"]


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", nargs="?", help="a trace in any format that Wordline reads")
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--ssd", default="datacenter-tlc", help="a preset")
    parser.add_argument("--scale", default="1/256", help="the part of it that is simulated")
    arguments = parser.parse_args()

    if arguments.trace:
        workload = wl.trace(arguments.trace, wrap=True, limit=arguments.requests)
    else:
        workload = wl.workload("fio/hot-cold-write", requests=arguments.requests)

    # A drive that the workload has brought to its equilibrium: on a new one no policy has anything to do.
    grid = {"gc.policy": POLICIES}
    comparison = wl.compare(arguments.ssd, workload, grid, scale=arguments.scale, steady=True, progress=True)
    print(f"{'policy':14} {'WA':>6} {'mean ms':>9} {'p99.9 ms':>10} {'erases':>8}")
    for point in comparison:
        result = point.result
        mean_ms, tail_ms = result.all.mean / 1000, (result.all.p999 or nan) / 1000
        policy, erases = point.settings["gc.policy"], result.to_dict()["gc"]["erases"]
        print(f"{policy:14} {result.write_amplification:6.2f} {mean_ms:9.3f} {tail_ms:10.3f} {erases:8}")
    for warning in comparison[0].result.warnings:
        print(f"note on {POLICIES[0]}: {warning}")


# Comparisons start processes, which read this file again: only the first one is to run it.
if __name__ == "__main__":
    main()
