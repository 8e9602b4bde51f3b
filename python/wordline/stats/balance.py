"""Whether an SSD is at equilibrium: garbage collection frees as much as is programmed.

An SSD lives on its free blocks for a while: as long as it has more of them than GC keeps, writes are faster than they
will be, and nothing in their times shows that this ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .columns import Batches
from .ratio import BATCHES_MIN

__all__ = ["BALANCE", "flash_bytes", "imbalance_of", "stored_bytes"]

BALANCE = 0.05
"""Largest difference between the bytes programmed and those freed, as a share of the larger."""
WRITES_MIN = 0.05
"""Share of requests from which writes decide over response times."""


def imbalance_of(document: Mapping[str, Any], batches: Batches, part: slice = slice(None)) -> str | None:
    """Returns why an SSD is not at equilibrium in some batches; None if it is, or if nothing is written there."""
    requests, writes = sum(batches.requests("all")[part]), sum(batches.requests("write")[part])
    blocks = document["blocks"]
    if writes <= WRITES_MIN * requests or "gc_begins_below" not in blocks:
        return None
    free = list(batches["free_blocks"][part])
    if free[-1] > blocks["gc_begins_below"]:
        return f"{free[-1]:,} blocks are free, and garbage collection begins below {blocks['gc_begins_below']:,}"
    programmed, erases = sum(batches["media_written_bytes"][part]), sum(batches["erases"][part])
    block_bytes = _block_bytes(document)
    freed = erases * block_bytes
    # Blocks are erased as a whole: a plane may be one ahead or behind.
    allowed = BALANCE * max(programmed, freed) + blocks["planes"] * block_bytes
    if abs(programmed - freed) <= allowed:
        return None
    share = (programmed - freed) / max(programmed, freed)
    less = "less" if share > 0 else "more"
    return f"garbage collection frees {abs(share):.0%} {less} than is programmed, so that free blocks change"


def stored_bytes(document: Mapping[str, Any], batches: Batches) -> list[float] | None:
    """Returns by how much what is programmed and not erased grows in each batch; None where hardly any erases.

    In the long run it stays as it is. Where it grows, garbage collection has put off work that comes later.
    """
    erases = batches["erases"]
    if sum(1 for each in erases if each) < BATCHES_MIN:
        return None
    block_bytes = _block_bytes(document)
    return [media - each * block_bytes for media, each in zip(batches["media_written_bytes"], erases, strict=True)]


def flash_bytes(document: Mapping[str, Any]) -> float:
    """Returns the bytes of all blocks; 0 where none was erased."""
    return float(document["blocks"]["all"] * _block_bytes(document))


def _block_bytes(document: Mapping[str, Any]) -> float:
    """Returns the bytes of an erased block, on average."""
    erases = document["gc"]["erases"]
    return document["written_bytes"]["erased"] / erases if erases else 0.0
