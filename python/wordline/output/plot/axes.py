"""Figures for notebooks and scripts: each function returns matplotlib axes in the common look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

from ... import extras
from ..csv_table import bin_rows
from ..numbers import dig
from . import style
from .run import tail, throughput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["Bars", "PointsPlot", "RunPlot"]

OVER_TIME = {
    "write_amplification": "Write amplification",
    "moved_pages": "Pages moved per interval",
    "erases": "Blocks erased per interval",
    "free_blocks": "Free blocks",
    "outstanding": "Requests under way",
    "read_p50_ns": "p50 of reads (us)",
    "read_p99_ns": "p99 of reads (us)",
    "write_p50_ns": "p50 of writes (us)",
    "write_p99_ns": "p99 of writes (us)",
}
Over = Literal["time", "written"]
GB = 1e9
BYTES = ("media_written_bytes", "host_written_bytes")
PAGES = ("programs", "user_programs")
NS_PER_US = 1000.0
NS_PER_S = 1e9


@dataclass(frozen=True)
class RunPlot:
    """The figures of one run.

    Attributes:
        document: Its JSON document.
        arrays: Gives a table's columns by the table's name.
    """

    document: Mapping[str, Any]
    arrays: Callable[[str], Mapping[str, NDArray[Any]]]

    def cdf(self, ax: Axes | None = None, ops: Sequence[str] = ("read", "write"), label: str = "") -> Axes:
        """Response times: the share of requests that take longer than a time, on logarithmic axes.

        Args:
            ax: Where; None: axes of their own.
            ops: `all`, `read`, `write`; those without requests are left out.
            label: For the legend; empty: the op.
        """
        axes = _axes(ax)
        rows = bin_rows(self.arrays("bins"))
        for op in ops:
            x, y = tail(rows, op)
            # A time of zero has no place on a logarithmic axis.
            shown = [(time, share) for time, share in zip(x, y, strict=True) if time > 0]
            if shown:
                look = {"label": label} if label else style.OP_STYLES[op]
                axes.step([time for time, _ in shown], [share for _, share in shown], where="post", **look)
        axes.set(yscale="log", xlabel="Response time (us)", ylabel="Share of slower requests")
        style.log_times(axes)
        style.legend(axes)
        return axes

    def throughput(self, ax: Axes | None = None, *, over: Over = "time") -> Axes:
        """Bytes read and written a second, MB/s.

        Args:
            ax: Where; None: axes of their own.
            over: `time`, simulated, or `written`: the bytes that the host has written by then.
        """
        axes = _axes(ax)
        columns = {name: values.tolist() for name, values in self.arrays("series").items()}
        for op in ("read", "write"):
            x, y = throughput(columns, op, float(self.document["window"]["end_s"]))
            if any(y):
                places = x if over == "time" else _written_gb(columns["write_bytes"])[: len(x)]
                axes.step(places, y, where="post", **style.OP_STYLES[op])
        axes.set(xlabel=_label(over), ylabel="Throughput (MB/s)")
        axes.set_ylim(bottom=0)
        axes.margins(x=0)
        style.legend(axes)
        return axes

    def over_time(self, name: str, ax: Axes | None = None, *, over: Over = "time") -> Axes:
        """A column of `Result.intervals` over simulated time or bytes written, or `write_amplification`.

        Args:
            name: `write_amplification`, `moved_pages`, `erases`, `free_blocks`, `outstanding`, `read_p99_ns`, …
            ax: Where; None: axes of their own.
            over: `time`, simulated, or `written`: the bytes that the host has written by then.

        Raises:
            ValueError: There is no such column.
        """
        if name not in OVER_TIME:
            raise ValueError(f"no `{name}` over time; there are {', '.join(OVER_TIME)}")
        columns = {key: values.tolist() for key, values in self._whole_intervals().items()}
        if name == "write_amplification":
            # Results of earlier versions have pages alone.
            programmed, written = (columns[name] for name in (BYTES if BYTES[1] in columns else PAGES))
            values = [media / host if host else float("nan") for media, host in zip(programmed, written, strict=True)]
        else:
            unit = NS_PER_US if name.endswith("_ns") else 1.0
            values = [
                each / unit if is_known else float("nan")
                for each, is_known in zip(columns[name], _known(columns, name), strict=True)
            ]
        axes = _axes(ax)
        starts = [start / NS_PER_S for start in columns["start_ns"]]
        places = starts if over == "time" else _written_gb(columns["write_bytes"])[: len(starts)]
        axes.plot(places, values, color=style.BLUE)
        axes.set(xlabel=_label(over), ylabel=OVER_TIME[name])
        axes.margins(x=0)
        return axes

    def _whole_intervals(self) -> dict[str, NDArray[Any]]:
        """The columns of the intervals, without the last one if the run ended before its end."""
        columns = dict(self.arrays("intervals"))
        starts = columns["start_ns"]
        ends_early = (
            len(starts) > 1 and float(self.document["window"]["end_s"]) * NS_PER_S < 2 * starts[-1] - starts[-2]
        )
        return {key: values[:-1] for key, values in columns.items()} if ends_early else columns


def _label(over: Over) -> str:
    """The label of an axis.

    Raises:
        ValueError: It is none of the two.
    """
    if over not in ("time", "written"):
        raise ValueError(f"over = {over!r}: it is time or written")
    return "Simulated time (s)" if over == "time" else "Written by the host (GB)"


def _written_gb(written: Sequence[int]) -> list[float]:
    """What the host has written before each sample, and at the end."""
    return [total / GB for total in accumulate(written, initial=0)]


def _known(columns: Mapping[str, Sequence[int]], name: str) -> list[bool]:
    """In which intervals a number is known: times, and requests under way, only where requests completed."""
    if name.endswith("_ns"):
        return [count > 0 for count in columns[f"{name.partition('_')[0]}s"]]
    if name == "outstanding":
        return [reads + writes > 0 for reads, writes in zip(columns["reads"], columns["writes"], strict=True)]
    return [True] * len(columns[name])


@dataclass(frozen=True)
class Bars:
    """A number of one point of a comparison.

    Attributes:
        settings: The settings that differ between the points.
        label: The point, by what tells it from the others.
        value: The number; None where there is none.
        low: Lower end of its interval, if known.
        high: Upper end.
    """

    settings: Mapping[str, Any]
    label: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PointsPlot:
    """The figures of a comparison or sweep.

    Attributes:
        bars_of: Gives the bars of a number by its dotted path.
        runs: The runs with their labels.
    """

    bars_of: Callable[[str], Sequence[Bars]]
    runs: Sequence[tuple[str, RunPlot]]

    def bars(self, path: str, ax: Axes | None = None) -> Axes:
        """A bar for each point, with its interval (95 %) where there is one.

        Args:
            path: The number, such as `response_us.read.p99` or `iops.all`.
            ax: Where; None: axes of their own.

        Raises:
            KeyError: No point has such a number.
        """
        bars = [each for each in self.bars_of(path) if each.value is not None]
        if not bars:
            raise KeyError(f"{path}: no number of these results")
        axes = _axes(ax)
        values = [each.value or 0.0 for each in bars]
        colours = [style.PALETTE[number % len(style.PALETTE)] for number in range(len(bars))]
        error = {"ecolor": "black", "capsize": 2, "elinewidth": 0.8}
        axes.bar(range(len(bars)), values, 0.7, color=colours, yerr=_errors(bars), error_kw=error)
        axes.set_xticks(
            range(len(bars)),
            [each.label for each in bars],
            rotation=30 if len(bars) > 3 else 0,
            ha="right" if len(bars) > 3 else "center",
        )
        axes.set_ylabel(path)
        return axes

    def lines(self, path: str, over: str, ax: Axes | None = None) -> Axes:
        """A number over one setting, with its interval (95 %) where there is one; a line for each other combination.

        Args:
            path: The number, such as `response_us.read.p99` or `write_amplification`.
            over: The setting along the x axis, such as `host.queue_depth`; its values are numbers.
            ax: Where; None: axes of their own.

        Raises:
            KeyError: No point has such a number, or the points do not differ in such a setting.
        """
        bars = [each for each in self.bars_of(path) if each.value is not None and over in each.settings]
        if not bars:
            raise KeyError(f"{path} over {over}: no number of these results")
        groups: dict[str, list[Bars]] = {}
        for each in bars:
            groups.setdefault(", ".join(str(value) for key, value in each.settings.items() if key != over), []).append(
                each
            )
        axes = _axes(ax)
        for number, (label, points) in enumerate(groups.items()):
            x = [each.settings[over] for each in points]
            look: dict[str, Any] = {"color": style.PALETTE[number % len(style.PALETTE)], "marker": "o", "markersize": 3}
            axes.errorbar(
                x,
                [each.value or 0.0 for each in points],
                yerr=_errors(points),
                capsize=2,
                elinewidth=0.8,
                label=label or "_",
                **look,
            )
        axes.set(xlabel=over, ylabel=path)
        style.legend(axes)
        return axes

    def cdf(self, op: str = "read", ax: Axes | None = None) -> Axes:
        """The response times of every run in one panel, see `RunPlot.cdf`."""
        axes = _axes(ax)
        for label, run in self.runs:
            run.cdf(axes, (op,), label)
        return axes


def _errors(bars: Sequence[Bars]) -> list[list[float]] | None:
    """Lengths of error bars below and above the values; None if no value has an interval."""
    ends = [
        (0.0, 0.0)
        if each.value is None or each.low is None or each.high is None
        else (each.value - each.low, each.high - each.value)
        for each in bars
    ]
    return [list(side) for side in zip(*ends, strict=True)] if any(map(any, ends)) else None


def _axes(given: Axes | None) -> Axes:
    """Axes of their own in the common look, which a notebook shows; or those that are given."""
    if given is not None:
        return given
    with extras.mpl.rc_context(style.SETTINGS):
        _, axes = extras.plt.subplots(figsize=(style.COLUMN_WIDTH, 2.4), layout="constrained")
    whole: Axes = axes
    return whole


def number_of(document: Mapping[str, Any], path: str) -> float | None:
    """A number of a document by its dotted path."""
    value = dig(document, *path.split("."))
    return float(value) if isinstance(value, int | float) else None
