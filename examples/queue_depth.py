"""Which queue depth saturates my SSD?

    python examples/queue_depth.py --out queue-depth.png
    python examples/queue_depth.py --preset mqsim --workload fio/random-mix

More requests at a time keep more dies busy, until all are; from there on each only waits longer.
"""

import argparse
from math import nan
from pathlib import Path

import wordline as wl

DEPTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256]
ENOUGH = 0.9  # of the highest rate


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="datacenter-tlc")
    parser.add_argument("--workload", default="fio/random-read")
    parser.add_argument("--requests", type=int, default=50_000)
    parser.add_argument("--out", type=Path, help="a figure, .png or .svg")
    arguments = parser.parse_args()

    # The device takes as many requests as the host sends.
    config = wl.preset(arguments.preset, host_mode="closed", device_queue_depth=max(DEPTHS))
    # On a part of the SSD that is spread over all its dies: quicker to simulate, and the same to them.
    load = wl.workload(arguments.workload, requests=arguments.requests, footprint_bytes=8 * 2**30)
    comparison = wl.compare(config, load, {"host.queue_depth": DEPTHS})

    most = max(point.result.iops for point in comparison)
    rows = []
    print(f"{'depth':>5} {'requests/s':>11} {'of the most':>11} {'dies busy':>9} {'mean us':>9} {'p99 us':>9}")
    for depth, point in zip(DEPTHS, comparison, strict=True):
        result = point.result
        busy = result.die_utilisation["mean"]
        print(
            f"{depth:5} {result.iops:11,.0f} {result.iops / most:11.0%} {busy:9.0%} {result.all.mean:9.1f} "
            f"{result.all.p99 or nan:9.1f}"
        )
        rows.append((depth, result.iops, result.all.mean, result.all.p99 or nan))
    enough = next(depth for depth, rate, *_ in rows if rate >= ENOUGH * most)
    print(f"queue depth {enough} gives {ENOUGH:.0%} of the highest rate")
    if arguments.out:
        draw(rows, arguments.out)


def draw(rows: list[tuple[int, float, float, float]], path: Path) -> None:
    """Response times over the rate: the knee is where the SSD is full."""
    from wordline.output.csv_table import write_rows
    from wordline.output.plot.style import figure, save

    with figure(1) as (drawing, (axes,)):
        rates = [rate / 1000 for _, rate, _, _ in rows]
        for label, column in (("mean", 2), ("p99", 3)):
            axes.plot(rates, [row[column] for row in rows], marker="o", markersize=3, label=label)
        for depth, rate, _, p99 in rows[4:]:
            axes.annotate(f"{depth}", (rate / 1000, p99), textcoords="offset points", xytext=(-8, 4))
        axes.set(xlabel="Thousand requests/s (numbers: queue depth)", ylabel="Response time (us)", ylim=(0, None))
        axes.legend()
        save(drawing, path)
    write_rows(path.with_suffix(".csv"), ("queue_depth", "iops", "mean_us", "p99_us"), rows)


if __name__ == "__main__":
    main()
