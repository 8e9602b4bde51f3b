"""Which garbage collection for this workload?

    python examples/which_gc.py                     # a skewed synthetic workload
    python examples/which_gc.py mine.csv.gz         # a trace, on a part of the drive that holds its addresses

Runs the same requests under every policy, on all cores, on a used drive of today, and shows write amplification next to
the tail of reads: the policy that writes least is not always the one that keeps reads waiting least.

How the drive came to be used decides the answer. It is overwritten as the workload writes, until write amplification is
level. A trace that writes fewer different addresses than the drive has spare flash would leave garbage collection with
nothing to move: then the drive is overwritten at random places before, as by years of other use.
"""

import argparse

import wordline as wl

SMALLEST = 256
"""The smallest part of a drive is one of so many: planes of yet smaller ones have too few blocks for the drive's GC."""
POLICIES = ["greedy", "cost-benefit", "d-choices", "fifo", "random"]


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", nargs="?", help="a trace in any format that Wordline reads")
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--ssd", default="datacenter-tlc", help="a preset")
    smallest = f"the smallest that holds the trace, 1/{SMALLEST} or more"
    parser.add_argument("--scale", help=f"the part of it that is simulated; by default {smallest}")
    arguments = parser.parse_args()

    ssd = wl.preset(arguments.ssd)
    if arguments.trace:
        # Where even the whole drive is too small, addresses beyond it wrap around.
        workload = wl.trace(arguments.trace, wrap=True, limit=arguments.requests)
        ssd = ssd.set("ssd.scale", arguments.scale or scale_for(workload, ssd))
        ssd = ssd.set("precondition.shape", shape_for(workload, ssd))
    else:
        ssd = ssd.set("ssd.scale", arguments.scale or f"1/{SMALLEST}")
        workload = wl.workload("fio/hot-cold-write", requests=arguments.requests)

    comparison = wl.compare(ssd, workload, {"gc.policy": POLICIES}, steady=True, progress=True)
    results = {point.settings["gc.policy"]: point.result for point in comparison}
    kind = "read" if next(iter(results.values())).read.count else "write"
    print(f"{'policy':14} {'WA':>6} {'between':>16} {'erases':>8} {f'{kind} p99.9 us':>16}")
    for policy, result in results.items():
        tail_us = result[f"{kind}.p99.9"]
        tail = "-" if tail_us is None else f"{tail_us:,.0f}"
        erases = result.to_dict()["gc"]["erases"]
        print(f"{policy:14} {result.write_amplification:6.2f} {between(result):>16} {erases:8,} {tail:>16}")
    print(answer(results))
    for warning in results[POLICIES[0]].warnings:
        print(f"note on {POLICIES[0]}: {warning}")


def scale_for(trace: wl.Trace, ssd: wl.Config) -> str:
    """Returns the smallest part of the drive that holds every address of the trace, and says so."""
    needed = trace.stat()["capacity_sectors"] * 512
    parts = SMALLEST
    while parts > 1 and ssd.set("ssd.scale", f"1/{parts}").host_bytes < needed:
        parts //= 2
    there = ssd.set("ssd.scale", f"1/{parts}").host_bytes
    fit = "hold them" if there >= needed else "do not hold them, so that they wrap around"
    print(f"the trace has addresses up to {needed / 1e9:.3g} GB; the {there / 1e9:.3g} GB of scale 1/{parts} {fit}")
    return f"1/{parts}"


def shape_for(trace: wl.Trace, ssd: wl.Config) -> str:
    """Returns where the drive is overwritten before the run, and says why."""
    written_gb = trace.stat()["write_footprint_bytes"] / 1e9
    share = ssd["ssd.overprovisioning"]
    spare_gb = ssd.host_bytes * share / (1 - share) / 1e9
    is_less = written_gb < spare_gb
    how = "at random places before" if is_less else "as the trace writes"
    print(
        f"the trace writes {written_gb:.2f} GB of different addresses, {'less' if is_less else 'no less'} than the "
        f"{spare_gb:.2f} GB of spare flash: the drive is overwritten {how}"
    )
    return "random" if is_less else "workload"


def between(result: wl.Result) -> str:
    """Returns the 95 % interval of write amplification, if the run is long enough to know it."""
    interval = result.interval("write_amplification")
    return "not known" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"


def answer(results: dict[str, wl.Result]) -> str:
    """Returns which policy writes least, and which may do as well."""
    order = sorted(results, key=lambda policy: results[policy].write_amplification or 0.0)
    best = order[0]
    interval = results[best].interval("write_amplification")
    near = [name for name in order[1:] if interval and (results[name].write_amplification or 0.0) <= interval.high]
    if interval is None:
        return f"{best} wrote least, but the run is too short to be sure of it"
    rest = f"; by chance it may also be {', '.join(near)}" if near else ""
    return f"{best} writes least{rest}"


# Comparisons start processes, which read this file again: only the first one is to run it.
if __name__ == "__main__":
    try:
        main()
    except wl.WordlineError as error:
        raise SystemExit(f"which_gc.py: {error}") from None
