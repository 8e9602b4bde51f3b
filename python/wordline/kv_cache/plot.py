"""One figure: how long the drive lives and how long a restore takes, by write policy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..output.plot.style import BLUE, SKY, figure, legend, save, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw"]

WIDTH = 0.38
MS_PER_S = 1000.0


def draw(path: Path, document: Mapping[str, Any]) -> None:
    """Draws years of life, and p50 and p99 of restores where flash was simulated.

    Raises:
        OSError: The file cannot be written.
    """
    policies = document["policies"]
    has_times = all(each["drive"] is not None for each in policies)
    with figure(2 if has_times else 1, height=1.8) as (drawing, axes):
        _draw_life(axes[0], policies, document["endurance"]["years"])
        if has_times:
            _draw_restores(axes[1], policies)
        save(drawing, path)


def _draw_life(axes: Axes, policies: list[Mapping[str, Any]], rated_years: float) -> None:
    years = [each["writes"]["life_years"] for each in policies]
    bars = axes.bar(range(len(years)), [year or 0.0 for year in years], 2 * WIDTH, color=BLUE)
    labels = ["nothing is written" if year is None else f"{year:.2g}" for year in years]
    axes.bar_label(bars, labels, fontsize=7)
    _name(axes, policies)
    axes.set(ylabel="Years")
    axes.margins(y=0.2)
    title(axes, f"Life of the drive (rated: {rated_years:g})")


def _draw_restores(axes: Axes, policies: list[Mapping[str, Any]]) -> None:
    for side, (name, colour) in zip((-1, 1), (("p50", SKY), ("p99", BLUE)), strict=True):
        times = [each["drive"]["restore_ms"][name] for each in policies]
        places = [place + side * WIDTH / 2 for place in range(len(times))]
        bars = axes.bar(places, [(time or 0.0) / MS_PER_S for time in times], WIDTH, color=colour, label=name)
        axes.bar_label(bars, ["-" if time is None else f"{time / MS_PER_S:.3g}" for time in times], fontsize=7)
    _name(axes, policies)
    axes.set(ylabel="Seconds")
    axes.margins(y=0.2)
    title(axes, "Time to restore a request")
    legend(axes, y=1.1)


def _name(axes: Axes, policies: list[Mapping[str, Any]]) -> None:
    axes.set_xticks(range(len(policies)), [each["policy"] for each in policies])
    axes.grid(visible=False, axis="x")
