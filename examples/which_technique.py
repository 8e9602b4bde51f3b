"""Which technique helps my trace?

    python examples/which_technique.py mine.csv.gz
    python examples/which_technique.py              # a synthetic look-alike of MSR Cambridge's hm_0

Runs the same requests on one worn SSD with each technique alone and with several together. Who reads old data gains
from better retries, who overwrites from gentler erases; what changes nothing here is not worth its firmware.
"""

import argparse
from math import nan

import wordline as wl

TECHNIQUES = {
    "none": {},
    "PR2 + AR2": {"read.retry": "pnar2"},
    "PSO": {"read.retry": "pso"},
    "Sentinel": {"read.retry": "sentinel"},
    "RiF": {"read.retry": "rif"},
    "IDA": {"coding.policy": "ida"},
    # Fast whenever a page waits: few do here, and the paper's SSD waits for 128.
    "OFWAR": {"program.policy": "ofwar", "program.fast_write_threshold": 0},
    "AERO": {"erase.scheme": "aero"},
    "Sentinel + PR2 + AR2 + AERO": {"read.retry": "sentinel+pnar2", "erase.scheme": "aero"},
}


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", nargs="?", help="a trace in any format that Wordline reads")
    parser.add_argument("--requests", type=int, default=50_000)
    parser.add_argument("--time-scale", type=float, default=0.01, help="arrival times are multiplied by this")
    arguments = parser.parse_args()
    if arguments.trace:
        load: wl.Trace | wl.Workload = wl.trace(arguments.trace, wrap=True, limit=arguments.requests)
    else:
        load = wl.workload("msrc/hm_0", requests=arguments.requests)
    # An SSD on which all can be switched on; small and full, so that garbage is collected and blocks are erased.
    worn = wl.preset("together", pec=1000, retention_months=3)
    small = {"ssd.blocks_per_plane": 64, "ssd.pages_per_block": 96, "gc.threshold": 0.1, "gc.hard_threshold": 0.05}
    full = {"precondition.fill": 1.0, "precondition.overwrite": 1.0, "refresh.at_start": "before"}
    worn = worn.set_all({**small, **full, "gc.preemptible": True, "host.time_scale": arguments.time_scale})

    print(f"{'':28} {'reads: mean us':>14} {'p99':>8} {'p99.9':>8} {'writes: mean us':>16} {'p99':>8} {'p99.9':>8}")
    for name, settings in TECHNIQUES.items():
        result = wl.run(worn.set_all(settings), load)
        read, write = result.read, result.write
        print(
            f"{name:28} {read.mean:14,.1f} {read.p99 or nan:8,.0f} {read.p999 or nan:8,.0f} "
            f"{write.mean:16,.1f} {write.p99 or nan:8,.0f} {write.p999 or nan:8,.0f}"
        )


if __name__ == "__main__":
    main()
