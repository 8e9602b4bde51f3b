"""How does one drive's garbage collection become everybody's p99?

Reads of an array go to all of its drives and end with the slowest. Each drive gets the same load of random writes,
whatever their number. They begin as copies of one used drive, and collect garbage at moments of their own.

    python examples/one_slow_drive.py
    python examples/one_slow_drive.py --drives 1,4,16 --requests 2000
"""

import argparse
import random

import wordline as wl

BLOCK = 4096


def response_times_us(count: int, reads: int, writes_per_read: float, gap_us: float, seed: int) -> list[float]:
    """Response times of reads over all drives of a striped array."""
    # A part of the drive is enough: it keeps the shares of the whole.
    ssd = wl.preset("datacenter-tlc", ssd__scale=1 / 256, precondition__fill=1.0, precondition__overwrite=0.5)
    array = wl.open([ssd] * count, chunk_bytes=BLOCK)
    blocks = ssd.host_bytes // BLOCK
    draw = random.Random(seed)  # noqa: S311 - the same in every run
    submitted, times_us = {}, []
    for number in range(reads):
        at_ns = round(number * gap_us * 1000)
        writes = [
            ("write", draw.randrange(blocks * count) * BLOCK, BLOCK) for _ in range(round(count * writes_per_read))
        ]
        stripe = draw.randrange(blocks) * BLOCK * count
        jobs = array.submit(at_ns, [*writes, ("read", stripe, BLOCK * count)])
        submitted[jobs[-1]] = at_ns
        for job, done_ns, _ in array.advance(at_ns):
            if job in submitted:
                times_us.append((done_ns - submitted.pop(job)) / 1000)
    times_us += [(done_ns - submitted[job]) / 1000 for job, done_ns, _ in array.advance() if job in submitted]
    return sorted(times_us)


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drives", default="1,2,4", help="numbers of drives, from 1")
    parser.add_argument("--requests", type=int, default=3000, help="reads over all drives")
    parser.add_argument("--writes", type=float, default=8.0, help="writes of a block to each drive for each read")
    parser.add_argument("--gap-us", type=float, default=200.0, help="time between two reads, us")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    def measured(count: int) -> list[float]:
        return response_times_us(count, arguments.requests, arguments.writes, arguments.gap_us, arguments.seed)

    alone = measured(1)
    limit_us = alone[int(0.99 * len(alone))]
    share = sum(time > limit_us for time in alone) / len(alone)
    print(f"p99 of one drive: {limit_us:,.0f} us\n")
    print("drives   p50, us   p99, us   slower than that   if drives are independent")
    for count in map(int, arguments.drives.split(",")):
        times = alone if count == 1 else measured(count)
        slower = sum(time > limit_us for time in times) / len(times)
        p50, p99 = (times[int(part * len(times))] for part in (0.5, 0.99))
        print(f"{count:6}{p50:10,.0f}{p99:10,.0f}{slower:19.1%}{1 - (1 - share) ** count:27.1%}")


if __name__ == "__main__":
    main()
