"""One look for all figures: small, serif, colours that the colour-blind tell apart, the same bytes each time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import extras

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# A column of a two-column paper, inches.
COLUMN_WIDTH = 3.5
# Okabe and Ito's palette, "Color Universal Design" (2008): told apart with every kind of colour blindness.
BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"
# In the order in which a figure takes them, where it does not choose.
PALETTE = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, "#000000", "#999999")
OP_STYLES: dict[str, dict[str, Any]] = {
    "all": {"color": "#000000", "linestyle": "-", "label": "all"},
    "read": {"color": BLUE, "linestyle": "-", "label": "reads"},
    "write": {"color": VERMILION, "linestyle": "--", "label": "writes"},
}
SETTINGS: Any = {
    "font.family": "serif",
    # An SVG names them all: those after the first, which comes with matplotlib, are as wide as it is.
    "font.serif": ["STIXGeneral", "STIX Two Text", "Times New Roman", "Times", "Liberation Serif", "DejaVu Serif"],
    "mathtext.fontset": "stix",
    "font.size": 8.0,
    "axes.labelsize": 8.0,
    "axes.titlesize": 8.0,
    "legend.fontsize": 7.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "axes.prop_cycle": f"cycler(color={[*PALETTE]})",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.linewidth": 0.3,
    "grid.alpha": 0.6,
    "legend.frameon": False,
    "savefig.dpi": 300,
    "savefig.bbox": "tight",
    "savefig.pad_inches": 0.02,
    # Text stays text in a PDF or an SVG; SVG ids do not change from run to run.
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "wordline",
}
# Points between a panel with a legend above it and its title: the legend's row.
TITLE_PAD = 15.0
ENDINGS = ("png", "svg", "pdf")
# A logarithmic axis with a larger ratio of its ends has a tick at each power of ten only.
WIDE = 300.0
# One with a smaller ratio may have fewer than two ticks at 1, 2 and 5: it has those of an axis that is not logarithmic.
NARROW = 4.0


@contextmanager
def figure(panels: int, height: float = 2.1, width: float = COLUMN_WIDTH) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure of some panels, one below the other, in the common look. No window is ever opened."""
    with extras.mpl.rc_context(SETTINGS):
        drawing = extras.figure.Figure(figsize=(width, height * panels), layout="constrained")
        extras.backend_agg.FigureCanvasAgg(drawing)
        axes = drawing.subplots(panels, 1, squeeze=False)
        yield drawing, [row[0] for row in axes]


def save(drawing: Figure, *paths: Path) -> None:
    """Saves a figure in files, each in the format that its name ends in, without dates.

    Raises:
        OSError: when a file cannot be written.
    """
    undated: dict[str, dict[str, Any]] = {
        ".svg": {"Date": None, "Creator": "wordline"},
        ".pdf": {"CreationDate": None, "Creator": "wordline", "Producer": None},
        ".png": {"Software": None},
    }
    # Laid out and measured once, whatever the number of files: that takes longer than drawing.
    engine = drawing.get_layout_engine()
    if isinstance(engine, extras.layout_engine.ConstrainedLayoutEngine):
        engine.execute(drawing)
        drawing.set_layout_engine("none")
    box = drawing.get_tightbbox().padded(SETTINGS["savefig.pad_inches"])
    for path in paths:
        drawing.savefig(path, bbox_inches=box, metadata=undated.get(path.suffix.lower()))


def legend(axes: Axes, y: float = 1.0) -> None:
    """A legend in rows above the panel, where it hides no data; `y` above 1 leaves room for a title."""
    if axes.get_legend_handles_labels()[0]:
        with extras.mpl.rc_context(SETTINGS):
            axes.legend(loc="lower right", bbox_to_anchor=(1.0, y), ncols=3, borderaxespad=0.2, handlelength=1.6)


def log_times(axes: Axes) -> None:
    """A logarithmic x axis from the first to the last time drawn, with ticks as plain numbers that do not overlap."""
    axes.set_xscale("log")
    axes.margins(x=0)
    log_ticks(axes.xaxis)


def log_ticks(axis: Axis) -> None:
    """Ticks of a logarithmic axis as plain numbers that do not overlap."""
    low, high = axis.get_view_interval()
    if high < NARROW * low:
        axis.set_major_locator(extras.ticker.MaxNLocator(nbins=4))
    else:
        steps = (1.0, 2.0, 5.0) if high < WIDE * low else (1.0,)
        axis.set_major_locator(extras.ticker.LogLocator(subs=steps))
    axis.set_major_formatter(extras.ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(extras.ticker.NullFormatter())


def title(axes: Axes, text: str) -> None:
    """A title on the left of the panel, above the legend; long names lose their middle."""
    length_max = 60
    short = text if len(text) <= length_max else text[: length_max // 2] + "…" + text[-length_max // 2 :]
    # A dollar sign would start a formula.
    axes.set_title(short.replace("$", r"\$"), loc="left", pad=TITLE_PAD if axes.get_legend() else None)
