"""A coding before and after invalid pages: states along the voltage, read voltages, and where states go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..atomic import files
from ..csv_table import write_rows
from .figure_data import data_path
from .style import BLUE, GREEN, ORANGE, VERMILION, figure, save, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAGE_COLOURS = (BLUE, GREEN, VERMILION, ORANGE)
# A state is drawn as a hump of this width, in distances between states.
SIGMA = 0.16
# More states than this are written upright.
WIDE_STATES = 8


def rows(document: dict[str, Any]) -> list[tuple[int, str, int, str, str]]:
    """The numbers behind the figure: (state, word, target, pages read above it before, and after)."""
    return [
        (
            state["state"],
            state["word"],
            state["target"],
            *(
                " ".join(page["page"] for page in document["pages"] if state["state"] in page[when]["read_voltages"])
                for when in ("before", "after")
            ),
        )
        for state in document["states"]
    ]


def draw(path: Path, document: dict[str, Any]) -> None:
    """Draws a coding to `path` and writes its data beside it as CSV.

    Raises:
        OSError: when a file cannot be written.
    """
    invalid = [page["page"] for page in document["pages"] if not page["valid"]]
    with figure(2 if invalid else 1, height=1.5) as (drawing, panels):
        _panel(panels[0], document, "before")
        title(panels[0], document["scheme"])
        if invalid:
            _panel(panels[1], document, "after")
            title(panels[1], f"{', '.join(invalid)} invalid")
        columns = ("state", "word", "target", "read_before", "read_after")
        files(
            (path, lambda work: save(drawing, work)),
            (data_path(path), lambda work: write_rows(work, columns, rows(document))),
        )


def _panel(axes: Axes, document: dict[str, Any], when: str) -> None:
    import numpy as np

    states, pages = document["states"], document["pages"]
    invalid = {number for number, page in enumerate(pages) if not page["valid"]} if when == "after" else set()
    x = np.linspace(-4 * SIGMA, 4 * SIGMA, 60)
    hump = np.exp(-0.5 * (x / SIGMA) ** 2)
    upright, size = (90, 4.5) if len(states) > WIDE_STATES else (0, 6)
    for state in states:
        gone = when == "after" and not state["kept"]
        style: dict[str, Any] = {"color": "#999999", "linestyle": ":"} if gone else {"color": "#000000"}
        axes.plot(state["state"] + x, hump, linewidth=0.8, **style)
        if gone:
            arrow = {"arrowstyle": "->", "color": "#999999", "linewidth": 0.6, "connectionstyle": "arc3,rad=-0.25"}
            axes.annotate("", (state["target"], 1.05), (state["state"], 1.05), arrowprops=arrow)
        else:
            word = "".join("-" if number in invalid else bit for number, bit in enumerate(state["word"]))
            axes.text(state["state"], 0.4, word, ha="center", va="center", fontsize=size, rotation=upright)
    for number, page in enumerate(pages):
        if when == "after" and not page["valid"]:
            continue
        count = page[when]["senses"]
        label = f"{page['page']}: {count} sense{'' if count == 1 else 's'}"
        for voltage in page[when]["read_voltages"] or [None]:
            if voltage is not None:
                axes.plot([voltage + 0.5] * 2, [0, 1.0], color=PAGE_COLOURS[number], linewidth=1.0, label=label)
            label = "_"
    axes.set_xticks([state["state"] for state in states], [f"S{state['state']}" for state in states], fontsize=size)
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.set_ylim(0, 1.9 if when == "after" else 1.15)
    axes.set(ylabel="Cells")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=len(pages), handlelength=1.0)
