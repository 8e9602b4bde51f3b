"""How many P/E cycles until retries hurt?

    python examples/wear.py --out wear.png

Worn cells lose their charge faster, so their pages need more retry steps. Lone reads (queue depth 1) by P/E cycles and
by how long the data have been there, as multiples of a read that needs no retry; with another policy, see when that
begins to hurt: --retry pnar2, --retry sentinel.
"""

import argparse
from pathlib import Path

import wordline as wl

CYCLES = [0, 250, 500, 1000, 1500, 2000, 3000]
AGES_MONTHS = {"no time": 0.0, "a day": 1 / 30, "a week": 0.25, "a month": 1.0, "3 months": 3.0, "a year": 12.0}
HURTS = 2.0  # so many times as long


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="pnar2")
    parser.add_argument("--retry", default="baseline")
    parser.add_argument("--requests", type=int, default=3_000, help="of each point")
    parser.add_argument("--out", type=Path, help="a figure, .png or .svg")
    arguments = parser.parse_args()

    config = wl.preset(arguments.preset, host_mode="closed", host__queue_depth=1)
    reads = wl.workload("fio/random-read", requests=arguments.requests)
    alone = wl.run(config.set("read.retry", "ideal"), reads).read.mean
    grid = {"reliability.retention_months": list(AGES_MONTHS.values()), "reliability.pec": CYCLES}
    comparison = wl.compare(config.set("read.retry", arguments.retry), reads, grid)

    print(f"a read without retries: {alone:.1f} us; with {arguments.retry}, as multiples of it:")
    print("P/E cycles " + "".join(f"{cycles:8,}" for cycles in CYCLES))
    lines = {}
    for age, months in AGES_MONTHS.items():
        aged = [point for point in comparison if point.settings["reliability.retention_months"] == months]
        slower = [point.result.read.mean / alone for point in aged]
        hurts = next((cycles for cycles, times in zip(CYCLES, slower, strict=True) if times >= HURTS), None)
        said = "never" if hurts is None else f"from {hurts:,} cycles on"
        print(f"{age:10} " + "".join(f"{times:8.1f}" for times in slower) + f"   {HURTS:g} times as long {said}")
        lines[age] = slower
    if arguments.out:
        draw(lines, arguments.out)


def draw(lines: dict[str, list[float]], path: Path) -> None:
    """Slowdown over P/E cycles, a line for each age."""
    from wordline.output.csv_table import write_rows
    from wordline.output.plot.style import figure, save

    with figure(1) as (drawing, (axes,)):
        for label, slower in lines.items():
            axes.plot(CYCLES, slower, marker="o", markersize=3, label=label)
        axes.set(xlabel="P/E cycles", ylabel="Mean read (1 = no retry)", ylim=(0, None))
        axes.legend()
        save(drawing, path)
    write_rows(path.with_suffix(".csv"), ("pec", *lines), list(zip(CYCLES, *lines.values(), strict=True)))


if __name__ == "__main__":
    main()
