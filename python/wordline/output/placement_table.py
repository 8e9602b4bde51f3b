"""The table of `wordline compare --placement`: write amplification by handle and cause, and what reads wait for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .csv_table import write_rows

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

CAUSES = ("host", "gc", "other_moves", "mapping", "redone", "padding", "parity")
WHOLE_DRIVE, MIXED = "all", "mixed"
OTHER, P50, P9999, CYCLES = "other", "read\np50 us", "read p99.99\nus", "P/E cycles a\ndrive write"
# What gives way first where a terminal is narrow.
LEAST_WANTED = (OTHER, P50, CYCLES, P9999)
MEANING = (
    "WAF, host, GC, other: bytes programmed for each byte that the host wrote to the drive",
    "GC borne: moved out of blocks of the handle; GC caused: moved while it was the last handle that had opened blocks",
    "years: at one drive write a day, of the P/E cycles of a block (rated_pec, --pec)",
)
"""What the columns mean, a line each: nothing is wrapped where there is no terminal."""
NO_CYCLES = "years: not known, as the drive has no rated_pec; --pec 3000 says what a block endures"
BOTH_SHARE = "in both a handle has blocks of its own for what the host writes, and what moves shares blocks"
REASONS = {frozenset(("hints", "fdp-ii")): BOTH_SHARE}
"""Why two placements have the same numbers, as far as that follows from what they are."""
Wear = dict[str, float | None]
"""`cycles_a_drive_write`, and `years` at a drive write a day."""


def rows(documents: Sequence[tuple[str, Any, Wear]]) -> list[dict[str, Any]]:
    """Returns a row for each placement and, below it, one for each handle that was written to, and for mixed data."""
    return [row for placement, document, wear in documents for row in _rows_of(placement, document, wear)]


def _rows_of(placement: str, document: Any, wear: Wear) -> list[dict[str, Any]]:  # noqa: ANN401 - a document, by its keys
    written = document["written_bytes"]
    reads = document["response_us"]["read"] if document["requests"]["read"] else {}
    cause = written["by_cause"]
    whole = {
        "placement": placement,
        "handle": WHOLE_DRIVE,
        "write_amplification": document["write_amplification"],
        "media_bytes": written["media"],
        "host_bytes": cause["host"],
        "gc_bytes": cause["gc"],
        "gc_caused_bytes": cause["gc"],
        "other_moves_bytes": cause["wear_levelling"] + cause["refresh"] + cause["folding"] + cause["rewrite"],
        "mapping_bytes": cause["mapping"] + cause["journal"],
        "redone_bytes": cause["redone"],
        "padding_bytes": cause["padding"],
        "parity_bytes": cause["parity"],
        "read_p50_us": reads.get("p50"),
        "read_p99_us": reads.get("p99"),
        "read_p9999_us": reads.get("p9999"),
        **wear,
    }
    found = document.get("placement")
    if found is None:
        return [whole]
    named = [
        (str(number), each["write_amplification"], each["written_bytes"])
        for number, each in enumerate(found["handles"], 1)
    ]
    named.append((MIXED, None, found["mixed"]))
    parts = [
        {
            "placement": placement,
            "handle": name,
            "write_amplification": amplification,
            "media_bytes": bytes_of["media"],
            "gc_caused_bytes": bytes_of["gc_caused"],
            **{f"{key}_bytes": bytes_of[key] for key in CAUSES},
        }
        for name, amplification, bytes_of in named
        if bytes_of["media"] > 0
    ]
    return [whole, *parts]


def row_of_log(placement: str, log: Any, wear: Wear) -> dict[str, Any]:  # noqa: ANN401 - see `run_log`
    """Returns the row of a log over zones: what it moved, and what the drive wrote for all of it."""
    cause = log.result.document["written_bytes"]["by_cause"]
    media = log.result.document["written_bytes"]["media"]
    reads = log.response_us["read"] if log.response_us["read"]["count"] else {}
    other = media - log.written_bytes - log.moved_bytes - cause["padding"]
    return {
        "placement": placement,
        "handle": WHOLE_DRIVE,
        "write_amplification": log.write_amplification,
        "media_bytes": media,
        "host_bytes": log.written_bytes,
        "gc_bytes": log.moved_bytes,
        "gc_caused_bytes": log.moved_bytes,
        "other_moves_bytes": max(other, 0),
        "mapping_bytes": 0,
        "redone_bytes": 0,
        "padding_bytes": cause["padding"],
        "parity_bytes": cause["parity"],
        # What the user of the log waits for; the drive also sees the log's own reads.
        "read_p50_us": reads.get("p50"),
        "read_p99_us": reads.get("p99"),
        "read_p9999_us": reads.get("p9999"),
        **wear,
    }


def show(table_rows: Sequence[dict[str, Any]], console: Console) -> None:
    """Prints the rows: bytes over those that the host wrote to the drive.

    A terminal that is too narrow gets fewer columns.
    """
    columns = _columns(table_rows)
    dropped = []
    for name in LEAST_WANTED:
        if not console.is_terminal or _width(columns) <= console.width:
            break
        del columns[name]
        dropped.append(name.replace("\n", " "))
    console.print(_table(columns))
    for line in (*MEANING, *notes(table_rows)):
        console.print(line, markup=False, highlight=False)
    if dropped:
        console.print(f"no room for {', '.join(dropped)}: --json and --out have all", style="dim", markup=False)


def texts(table_rows: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Returns heads and cells of the whole table."""
    columns = _columns(table_rows)
    cells = zip(*columns.values(), strict=True)
    return [name.replace("\n", " ") for name in columns], [list(row) for row in cells]


def notes(table_rows: Sequence[dict[str, Any]]) -> list[str]:
    """Returns why there are no years, and which placements have the same numbers, and why."""
    lines = []
    whole = [row for row in table_rows if row["handle"] == WHOLE_DRIVE]
    if any(row.get("cycles_a_drive_write") is not None and row.get("years") is None for row in whole):
        lines.append(NO_CYCLES)
    names = [row["placement"] for row in whole]
    for number, name in enumerate(names):
        if (first := next((each for each in names[:number] if _alike(each, name, table_rows)), None)) is not None:
            lines.append(f"{name}: the numbers of {first}, since {_reason(first, name, whole)}")
    return lines


def _alike(first: str, second: str, table_rows: Sequence[dict[str, Any]]) -> bool:
    """Whether all rows of two placements have the same numbers."""

    def numbers(placement: str) -> list[dict[str, Any]]:
        rows = (row for row in table_rows if row["placement"] == placement)
        return [{key: value for key, value in row.items() if key != "placement"} for row in rows]

    return numbers(first) == numbers(second)


def _reason(first: str, second: str, whole: Sequence[dict[str, Any]]) -> str:
    """Returns why two placements have the same numbers."""
    if not any(row["gc_bytes"] for row in whole if row["placement"] == first):
        return "garbage collection moved nothing"
    return REASONS.get(frozenset((first, second)), "this load shows no difference between them")


def _columns(table_rows: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Returns the cells of each column, by its heading."""
    columns: dict[str, list[str]] = {}
    host = 0.0
    for row in table_rows:
        is_whole = row["handle"] == WHOLE_DRIVE
        if is_whole:
            host = row["host_bytes"] or 1.0
        other = sum(row[f"{key}_bytes"] for key in CAUSES if key not in ("host", "gc"))
        cells = {
            "placement": row["placement"] if is_whole else "",
            "handle": row["handle"],
            "WAF": _number(row["write_amplification"], 3),
            "host": _number(row["host_bytes"] / host, 3),
            "GC\nborne": _number(row["gc_bytes"] / host, 3),
            "GC\ncaused": _number(row["gc_caused_bytes"] / host, 3),
            OTHER: _number(other / host, 3),
            P50: _number(row.get("read_p50_us"), 0),
            "read\np99 us": _number(row.get("read_p99_us"), 0),
            P9999: _number(row.get("read_p9999_us"), 0),
            CYCLES: _number(row.get("cycles_a_drive_write"), 2),
            "years": _number(row.get("years"), 1),
        }
        for name, cell in cells.items():
            columns.setdefault(name, []).append(cell)
    return columns


def _width(columns: dict[str, list[str]]) -> int:
    """Returns the characters that a table of these columns takes."""
    from .console import GAP

    lines = ([*name.split("\n"), *cells] for name, cells in columns.items())
    return sum(max(map(len, each)) + GAP for each in lines) - GAP


def _table(columns: dict[str, list[str]]) -> Table:
    from .console import grid

    table = grid(*columns)
    table.columns[1].justify = "left"
    for cells in zip(*columns.values(), strict=True):
        table.add_row(*cells)
    return table


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def write_csv(path: Path, table_rows: Sequence[dict[str, Any]]) -> None:
    """Writes the rows as CSV."""
    names = list(dict.fromkeys(name for row in table_rows for name in row))
    write_rows(path, names, ([row.get(name) for name in names] for row in table_rows))
