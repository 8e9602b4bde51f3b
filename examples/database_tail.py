"""What does AERO do to my database's p99.9?

    python examples/database_tail.py --trace session.wlt --out database-tail.png

`session.wlt` is what a database asked of an SSD: `wordline serve … --record session.wlt` writes it while the database
runs, see docs/how-to/serve-database.md. The same session is replayed on the same SSD with other erase schemes, at
several ages. Without one, random requests with hot places take its place.
"""

import argparse
from math import nan
from pathlib import Path

import wordline as wl

SCHEMES = {"ispe": "ISPE", "dpes": "DPES", "aero": "AERO"}
AGES = [500, 1500, 2500, 3500]


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trace", help="the session")
    parser.add_argument("--requests", type=int, default=50_000, help="random requests, without a session")
    parser.add_argument("--blocks", type=int, default=16, help="blocks of a plane: 4 GB of flash with 16 of them")
    parser.add_argument("--out", type=Path, help="a figure, .png or .svg")
    arguments = parser.parse_args()

    # AERO's SSD, small: erases come often, and the session meets them.
    config = wl.preset("aero", channels=2, chips_per_channel=1, blocks_per_plane=arguments.blocks).set(
        "host.wrap", True
    )
    if arguments.trace:
        # As it was served: full. What the file system trims when it is made is in the session.
        load = wl.trace(arguments.trace)
        config = config.set_all({"precondition.fill": 1.0, "precondition.overwrite": 0.5})
    else:
        load = wl.workload(
            "fio/zipf-mix", requests=arguments.requests, read_ratio=0.8, footprint_ratio=0.5,
            inter_arrival_us=400.0, arrival="exponential",
        )  # fmt: skip
        config = config.set_all(
            {"precondition.fill": 0.5, "precondition.overwrite": 1.0, "precondition.shape": "workload"}
        )
    results = wl.compare(config, load, {"reliability.pec": AGES, "erase.scheme": list(SCHEMES)})
    tails = {(point.settings["reliability.pec"], point.settings["erase.scheme"]): point.result for point in results}

    print(f"{'P/E':>5} " + "".join(f"{name + ' p99.9':>14}" for name in SCHEMES.values()) + f"{'erases':>9}")
    for age in AGES:
        row = [tails[age, scheme] for scheme in SCHEMES]
        erases = row[0].to_dict()["gc"]["erases"]
        print(f"{age:5} " + "".join(f"{result.read.p999 or nan:11.0f} us" for result in row) + f"{erases:9,}")
    if arguments.out:
        draw(arguments.out, tails)


def draw(path: Path, tails: dict[tuple[int, str], wl.Result]) -> None:
    """The tail of the reads by age, a line for each scheme."""
    from wordline.output.plot.style import figure, save

    with figure(1) as (drawing, (axes,)):
        for scheme, name in SCHEMES.items():
            axes.plot(AGES, [tails[age, scheme].read.p999 or nan for age in AGES], marker="o", markersize=3, label=name)
        axes.set(xlabel="P/E cycles", ylabel="p99.9 of reads (us)", ylim=(0, None))
        axes.legend()
        save(drawing, path)


if __name__ == "__main__":
    main()
