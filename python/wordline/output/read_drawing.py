"""Reads of one page in characters: a row each for die, channel and ECC, all to one scale of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

LANES = ("die", "channel", "ecc")
# What a slice is drawn with: of use, and not (where that differs).
MARKS = {
    "sense": ("█", "▒"),
    "predict": ("?", "?"),
    "set feature": ("F", "F"),
    "reset": ("R", "R"),
    "data out": ("█", "▒"),
    "decode": ("█", "▒"),
    "command": ("c", "c"),
}
ASCII = str.maketrans({"█": "#", "▒": "-", "·": "."})
MARGIN = 10
WIDTH_LEAST, WIDTH_MOST = 40, 160


def show(reads: Sequence[dict[str, Any]], console: Console) -> None:
    """Prints timelines, one below the other."""
    unicode = (console.encoding or "").lower().startswith("utf")
    for line in drawing(reads, width=console.width, unicode=unicode):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def drawing(reads: Sequence[dict[str, Any]], *, width: int, unicode: bool) -> list[str]:
    """The lines of all timelines, and what the characters mean."""
    longest = max(read["die_free_us"] for read in reads)
    cells = min(max(width - MARGIN - 2, WIDTH_LEAST), WIDTH_MOST)
    per_cell = longest / cells
    lines: list[str] = []
    for read in reads:
        lines += [f"{read['label']}: {_words(read)}"]
        for lane in LANES:
            slices = [s for s in read["slices"] if s["lane"] == lane]
            lines += [f"  {lane:<{MARGIN - 2}}{row}" for row in rows(slices, per_cell, cells)]
        lines.append("")
    lines.append(f"█ led to the data  ▒ did not  ? die's check  F set feature  R reset  a character: {per_cell:.3g} us")
    if not unicode:
        lines = [line.translate(ASCII) for line in lines]
    return lines


def _words(read: dict[str, Any]) -> str:
    """The numbers beside a timeline."""
    counts = [f"{read['senses']} senses", f"{read['transfers']} transfers"]
    counts += [f"{read['resets']} reset"] if read["resets"] else []
    left = read["die_free_us"] - read["latency_us"]
    tail = f", die busy for {left:.4g} us more" if left > 0 else ""
    return f"{read['latency_us']:.6g} us, {', '.join(counts)}{tail}"


def rows(slices: Sequence[dict[str, Any]], per_cell: float, cells: int) -> list[str]:
    """Rows of characters; slices that overlap (a pipelined decoder) get rows of their own."""
    free: list[float] = []
    lanes: list[list[str]] = []
    for piece in slices:
        begin, end = piece["start_us"], piece["start_us"] + piece["duration_us"]
        lane = next((i for i, busy in enumerate(free) if busy <= begin + 1e-9), len(free))
        if lane == len(free):
            free.append(0.0)
            lanes.append(["·"] * cells)
        free[lane] = end
        first = min(max(int(begin / per_cell), 0), cells - 1)
        last = min(max(int(end / per_cell), first + 1), cells)
        mark = MARKS.get(piece["what"], ("+", "+"))[0 if piece["useful"] else 1]
        # A gap where one sense follows the other, where there is room for one.
        body = mark * (last - first)
        if len(body) > 2 and piece["what"] in ("sense", "data out", "decode"):
            body = "|" + body[1:]
        lanes[lane][first:last] = list(body)
    return ["".join(lane) for lane in lanes] or ["·" * cells]
