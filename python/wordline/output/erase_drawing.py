"""Erases in characters: one line a scheme on a common time axis, then every pulse in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

Document = dict[str, Any]

# A pulse of 0.5 ms has two characters, and each verify, though shorter, one.
CHARACTERS_PER_MS = 4
BARS = {True: "▂▃▅▆▇██", False: "1234567"}
VERIFY = {True: "│", False: "|"}


def show(documents: Sequence[Document], console: Console) -> None:
    """Prints the erases."""
    unicode = (console.encoding or "").lower().startswith("utf")
    for line in [*headline(documents[0]), *drawing(documents, unicode=unicode)]:
        console.print(line, markup=False, soft_wrap=True)
    console.print()
    console.print(table(documents))


def headline(document: Document) -> list[str]:
    """Which block this is."""
    return [
        f"block of rank {document['hardness']:g} in hardness after {document['pec']} P/E cycles",
        "",
    ]


def drawing(documents: Sequence[Document], *, unicode: bool) -> list[str]:
    """The lines of the drawing: bars as high as the loop, a mark for each verify, and the totals."""
    width = max(len(document["scheme"]) for document in documents) + 2
    bars = [bar(document, unicode=unicode) for document in documents]
    longest = max(len(each) for each in bars)
    lines = [
        f"{document['scheme'].ljust(width)}{each.ljust(longest)}  {summary(document)}"
        for document, each in zip(documents, bars, strict=True)
    ]
    high, mark = BARS[unicode], VERIFY[unicode]
    return [*lines, "", f"{high[0]} … {high[4]} pulse of loop 1 … 5, {mark} verify"]


def summary(document: Document) -> str:
    """What an erase took, and what it did to the block."""
    pulses = sum(step["pulse_ms"] for step in document["steps"])
    verifies = len(document["steps"])
    left = f", {document['residual_bits']:.1f} errors in 1 KiB left" if document["residual_bits"] else ""
    return (
        f"{document['latency_ms']:.1f} ms: {pulses:g} ms of pulses (ISPE needs {document['needed_ms']:g}), "
        f"{verifies} {'verify' if verifies == 1 else 'verifies'}; wears as {document['stress']:.2f} cycles{left}"
    )


def bar(document: Document, *, unicode: bool) -> str:
    """One erase."""
    heights = BARS[unicode]
    return "".join(
        heights[min(step["loop"], len(heights)) - 1] * max(1, round(step["pulse_ms"] * CHARACTERS_PER_MS))
        + VERIFY[unicode]
        for step in document["steps"]
    )


def rows(documents: Sequence[Document]) -> list[dict[str, Any]]:
    """Every pulse of every erase in numbers; times from the begin of the erase."""
    drawn = []
    for document in documents:
        time = 0.0
        for number, step in enumerate(document["steps"], 1):
            start, time = time, time + step["pulse_ms"] + step["verify_ms"] + step["feature_ms"]
            drawn.append({"scheme": document["scheme"], "pulse": number, "start_ms": start, **step, "end_ms": time})
    return drawn


def table(documents: Sequence[Document]) -> Any:  # noqa: ANN401 - a table of rich, which is imported late
    """Pulses in numbers."""
    from .console import grid

    shown = grid("scheme", "pulse", "loop", "voltage", "kind", "length", "fail bits after it", "time so far")
    for document in documents:
        for row in rows([document]):
            shown.add_row(
                document["scheme"] if row["pulse"] == 1 else "",
                str(row["pulse"]),
                str(row["loop"]),
                f"{row['voltage_v']:.1f} V",
                row["stage"],
                f"{row['pulse_ms']:g} ms",
                f"{row['fail_bits']:,}",
                f"{row['end_ms']:.2f} ms",
            )
    return shown
