"""How much over-provisioning do I need?

    python examples/overprovisioning.py --out overprovisioning.png

Random overwrites at several shares of spare flash: write amplification, and what it leaves of the write rate. The
numbers lie beside the figure as CSV.
"""

import argparse
from pathlib import Path

import wordline as wl

SHARES = [0.07, 0.10, 0.15, 0.20, 0.28]
KEY = "ssd.overprovisioning"


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--out", type=Path, help="a figure, .png or .svg")
    arguments = parser.parse_args()

    config = wl.config(Path(__file__).with_name("small-ssd.toml"))
    writes = wl.workload("fio/random-write", requests=arguments.requests)
    comparison = wl.compare(config, writes, {KEY: SHARES})

    rows = []
    for share, point in zip(SHARES, comparison, strict=True):
        result = point.result
        rows.append((share, result.write_amplification or 1.0, result.to_dict()["iops"]["write"]))
    print(f"{'spare':>6} {'WA':>6} {'writes/s':>9}")
    for share, amplification, rate in rows:
        print(f"{share:6.0%} {amplification:6.2f} {rate:9,.0f}")
    if arguments.out:
        draw(rows, arguments.out)


def draw(rows: list[tuple[float, float, float]], path: Path) -> None:
    """Write amplification over spare flash, in the look of Wordline's own figures."""
    from wordline.output.csv_table import write_rows
    from wordline.output.plot.style import BLUE, figure, save

    with figure(1) as (drawing, (axes,)):
        axes.plot(
            [100 * share for share, _, _ in rows], [wa for _, wa, _ in rows], marker="o", markersize=3, color=BLUE
        )
        axes.set(xlabel="Over-provisioning (% of the flash)", ylabel="Write amplification", ylim=(1, None))
        save(drawing, path)
    write_rows(path.with_suffix(".csv"), ("overprovisioning", "write_amplification", "writes_per_s"), rows)


if __name__ == "__main__":
    main()
