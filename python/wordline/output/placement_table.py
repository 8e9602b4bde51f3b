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


def rows(documents: Sequence[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Returns a row for each placement and, below it, one for each handle that was written to, and for mixed data."""
    return [row for placement, document in documents for row in _rows_of(placement, document)]


def _rows_of(placement: str, document: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - a document, by its keys
    written, response = document["written_bytes"], document["response_us"]
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
        "read_p50_us": (response["read"] or {}).get("p50"),
        "read_p99_us": (response["read"] or {}).get("p99"),
        "read_p9999_us": (response["read"] or {}).get("p9999"),
    }
    found = document.get("placement")
    if found is None:
        return [whole]
    named = [(str(each["handle"] + 1), each["write_amplification"], each["written_bytes"]) for each in found["handles"]]
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


def show(table_rows: Sequence[dict[str, Any]], console: Console) -> None:
    """Prints the rows: bytes over those that the host wrote to the drive."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("placement")
    table.add_column("handle")
    for name in ("WAF", "host", "GC borne", "GC caused", "other", "read p50 us", "read p99 us", "read p99.99 us"):
        table.add_column(name, justify="right")
    host = 0.0
    for row in table_rows:
        if row["handle"] == WHOLE_DRIVE:
            host = row["host_bytes"] or 1.0
        other = sum(row[f"{key}_bytes"] for key in CAUSES if key not in ("host", "gc"))
        shares = (row["host_bytes"], row["gc_bytes"], row["gc_caused_bytes"], other)
        reads = (row.get("read_p50_us"), row.get("read_p99_us"), row.get("read_p9999_us"))
        table.add_row(
            row["placement"] if row["handle"] == WHOLE_DRIVE else "",
            row["handle"],
            _number(row["write_amplification"], 3),
            *(_number(share / host, 3) for share in shares),
            *(_number(value, 0) for value in reads),
        )
    console.print(table)
    console.print(
        "Bytes are over those that the host wrote. GC borne: moved out of blocks of the handle; GC caused: "
        "moved while the handle was the last that had opened blocks.",
        markup=False,
        highlight=False,
    )


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def write_csv(path: Path, table_rows: Sequence[dict[str, Any]]) -> None:
    """Writes the rows as CSV."""
    names = list(dict.fromkeys(name for row in table_rows for name in row))
    write_rows(path, names, ([row.get(name) for name in names] for row in table_rows))
