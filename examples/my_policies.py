"""Policies in Python, for trying out: name one on the command line, or give it to `wordline.run`.

python examples/my_policies.py                  # both, beside two policies that come with Wordline
wordline compare examples/small-ssd.toml --policy gc=examples/my_policies.py:SoftAge --set gc.policy=greedy,external
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import wordline as wl

if TYPE_CHECKING:
    from wordline._core import GcView


class Greedy:
    """The fewest valid pages, the longest full among equals: what `greedy` does."""

    def choose(self, view: GcView) -> int | None:
        """Returns the victim among `view.block`."""
        if view.block.size == 0:
            return None
        return int(view.block[(view.valid << 32 | view.filled).argmin()])


class SoftAge:
    """Cost-benefit with the square root of the age: old blocks count, but less than there."""

    def choose(self, view: GcView) -> int | None:
        """Returns the victim among `view.block`."""
        if view.block.size == 0:
            return None
        age = view.now - view.filled + 1
        score = (view.pages_per_block - view.valid) * np.sqrt(age) / (view.pages_per_block + view.valid)
        return int(view.block[score.argmax()])


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=20_000)
    requests = parser.parse_args().requests
    ssd = wl.config(Path(__file__).parent / "small-ssd.toml")
    load = wl.workload("fio/hot-cold-write", requests=requests)
    results = {name: wl.run(ssd.set("gc.policy", name), load) for name in ("greedy", "cost-benefit")}
    results |= {f"{mine.__name__} in Python": wl.run(ssd, load, policies={"gc": mine()}) for mine in (Greedy, SoftAge)}
    print(f"{'policy':18} {'write amplification':>20}")
    for name, result in results.items():
        print(f"{name:18} {result.write_amplification:20.3f}")


if __name__ == "__main__":
    main()
