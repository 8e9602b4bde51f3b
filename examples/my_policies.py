"""Policies in Python, for trying out: name one on the command line, or give it to `wordline.run`.

wordline compare examples/small-ssd.toml --policy gc=examples/my_policies.py:SoftAge --set gc.policy=greedy,external
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

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
