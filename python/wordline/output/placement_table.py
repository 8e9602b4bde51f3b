"""The table of `wordline compare --placement`: write amplification by handle and cause, and what reads wait for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .csv_table import write_rows

if TYPE_CHECKING:
    from rich.console import Console

CAUSES = ("host", "gc", "other_moves", "mapping", "redone", "padding", "parity")
WHOLE_DRIVE, MIXED = "all", "mixed"
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
    """Prints the rows: bytes over those that the host wrote to the drive."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("placement")
    table.add_column("handle")
    reads = ("read p50 us", "read p99 us", "read p99.99 us")
    for name in ("WAF", "host", "GC borne", "GC caused", "other", *reads, "P/E cycles a drive write", "years"):
        table.add_column(name, justify="right")
    host = 0.0
    for row in table_rows:
        if row["handle"] == WHOLE_DRIVE:
            host = row["host_bytes"] or 1.0
        other = sum(row[f"{key}_bytes"] for key in CAUSES if key not in ("host", "gc"))
        shares = (row["host_bytes"], row["gc_bytes"], row["gc_caused_bytes"], other)
        times = (row.get("read_p50_us"), row.get("read_p99_us"), row.get("read_p9999_us"))
        table.add_row(
            row["placement"] if row["handle"] == WHOLE_DRIVE else "",
            row["handle"],
            _number(row["write_amplification"], 3),
            *(_number(share / host, 3) for share in shares),
            *(_number(value, 0) for value in times),
            _number(row.get("cycles_a_drive_write"), 2),
            _number(row.get("years"), 1),
        )
    console.print(table)
    console.print(
        "WAF, host, GC, other: bytes programmed for each byte that the host wrote to the drive. GC borne: moved out of "
        "blocks of the handle; GC caused: moved while the handle was the last that had opened blocks. Years: at one "
        "drive write a day, of the P/E cycles of a block (rated_pec, --pec).",
        markup=False,
        highlight=False,
    )


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def write_csv(path: Path, table_rows: Sequence[dict[str, Any]]) -> None:
    """Writes the rows as CSV."""
    names = list(dict.fromkeys(name for row in table_rows for name in row))
    write_rows(path, names, ([row.get(name) for name in names] for row in table_rows))
