"""What `wordline trace stat` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .numbers import count, measure, percent, seconds, size

if TYPE_CHECKING:
    from rich.console import Console

MICRO = 1e-6
SIZES_SHOWN = 6


def rows(stat: dict[str, Any]) -> list[tuple[str, str]]:
    """Label and text of every line."""
    others = "".join(f", {name} {count(stat[name])}" for name in ("trims", "flushes", "closes") if stat[name])
    devices = [("devices", count(stat["devices"]))] if stat["devices"] > 1 else []
    lines = [
        (
            "requests",
            f"{count(stat['requests'])}: reads {count(stat['reads'])}, writes {count(stat['writes'])}{others}",
        ),
        *devices,
        ("read ratio", percent(stat["read_ratio"])),
        ("read", f"{size(stat['read_bytes'])}, mean {size(stat['mean_read_bytes'])}"),
        ("written", f"{size(stat['write_bytes'])}, mean {size(stat['mean_write_bytes'])}"),
        ("sizes", common_sizes(stat)),
        ("duration", f"{seconds(stat['duration_s'])}, mean {measure(stat['mean_iops'])} requests/s"),
    ]
    gaps = stat["inter_arrival"]
    if gaps:
        shown = (("mean", "mean"), ("p50", "p50"), ("p90", "p90"), ("p99", "p99"), ("p99.9", "p999"), ("max", "max"))
        lines.append(("inter-arrival", ", ".join(f"{label} {seconds(gaps[f'{k}_us'] * MICRO)}" for label, k in shown)))
    footprints = f"read {size(stat['read_footprint_bytes'])}, written {size(stat['write_footprint_bytes'])}"
    lines += [
        ("footprint", f"{size(stat['footprint_bytes'])}: {footprints}"),
        ("capacity", f"{size(stat['capacity_sectors'] * 512)} hold every address"),
        ("cold reads", f"{percent(stat['cold_ratio'])} of reads: pages that the trace never writes"),
        ("sequential", f"{percent(stat['sequential_ratio'])} start where a recent request ended"),
        ("aligned", f"{percent(stat['aligned_ratio'])} start and end on 4 KiB"),
    ]
    return lines


def common_sizes(stat: dict[str, Any]) -> str:
    """The most frequent request sizes with their shares."""
    total = sum(s["reads"] + s["writes"] for s in stat["sizes"])
    frequent = sorted(stat["sizes"], key=lambda s: (-(s["reads"] + s["writes"]), s["bytes"]))[:SIZES_SHOWN]
    parts = [f"{size(s['bytes'])} {percent((s['reads'] + s['writes']) / total)}" for s in frequent]
    rest = len(stat["sizes"]) - len(frequent)
    return ", ".join(parts) + (f", {rest} more" if rest > 0 else "")


def show(stat: dict[str, Any], console: Console, name: str) -> None:
    """Prints the statistics of a trace."""
    from rich.table import Table
    from rich.text import Text

    console.print(Text(name, style="bold"))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in rows(stat):
        table.add_row(label, text)
    console.print(table)
