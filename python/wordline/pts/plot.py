"""The plots of the test: IOPS by round, with the steady window of each cell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..output.plot.style import figure, legend, save, title
from .measure import Measured
from .rounds import ROUNDS

__all__ = ["draw"]


def draw(path: Path, measured: Sequence[Measured]) -> None:
    """Draws the rounds of a test's cells; the steady window of each is drawn thick.

    Raises:
        OSError: The file cannot be written.
    """
    with figure(1, height=2.6) as (drawing, (axes,)):
        for each in measured:
            rounds = range(1, len(each.rounds) + 1)
            (line,) = axes.plot(rounds, each.rounds, linewidth=0.8, label=each.cell.name)
            if each.window is not None:
                steady = slice(each.window.first, each.window.first + ROUNDS)
                axes.plot(rounds[steady], each.rounds[steady], linewidth=2.5, color=line.get_color())
        axes.set(xlabel="Round", ylabel="IOPS", yscale="log")
        title(axes, f"{measured[0].cell.test}: steady window thick")
        # The title has a row of its own, below the legend.
        legend(axes, y=1.1)
        save(drawing, path)
