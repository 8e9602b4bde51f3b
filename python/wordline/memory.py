"""The memory of this machine, and whether an SSD's tables fit into it."""

from __future__ import annotations

import os
from pathlib import Path

from .config import Config
from .errors import OutOfRangeError

try:
    import resource
except ImportError:  # There are no such limits on Windows.
    resource = None  # type: ignore[assignment]

__all__ = ["check_tables_fit", "memory_bytes"]

# Bytes of the tables for a unit, its logical and its physical entry: where 32 bits number all units, and where they do
# not. What else a run takes is small beside these.
_UNIT_BYTES, _WIDE_UNIT_BYTES = 8.4, 10.4
# Queues, buffers and heaps of a run.
_OF_A_RUN_BYTES = 64 << 20


def memory_bytes(name: str = "SC_PHYS_PAGES") -> int | None:
    """Returns the memory of this machine, bytes, or what of it is free (`SC_AVPHYS_PAGES`); None where nobody knows."""
    try:
        return os.sysconf(name) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def check_tables_fit(config: Config) -> None:
    """Checks that an SSD's tables fit into memory. They are reserved whole, and used where something was written.

    Raises:
        OutOfRangeError: The fill takes more than all memory of this machine, or the tables more than `ulimit -v`.
    """
    units = config.host_bytes / (config["ftl.unit_bytes"] or config["ssd.page_bytes"])
    # A logical entry for each unit of the host, and a physical one for each, the spare ones among them.
    of_both = 0.5 + 0.5 / (1 - config["ssd.overprovisioning"])
    reserved = units * of_both * (_UNIT_BYTES if units < 2**32 else _WIDE_UNIT_BYTES)
    fill = config["precondition.fill"]
    filled = reserved * fill if isinstance(fill, int | float) else 0
    if resource is not None:
        allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
        if allowed != resource.RLIM_INFINITY:
            _check("the tables of this SSD take", reserved, allowed - _address_space(), "raise `ulimit -v`")
    _check("filling this SSD takes", filled, memory_bytes(), "lower precondition.fill", key="precondition.fill")


def _address_space() -> int:
    """What this process has reserved, bytes, and some for a run; without `/proc` what Python and libraries may take."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        return pages * resource.getpagesize() + _OF_A_RUN_BYTES
    except OSError:
        return 4 * _OF_A_RUN_BYTES


def _check(what: str, needed: float, there: int | None, else_: str, key: str | None = None) -> None:
    if there is None or needed <= there:
        return
    there = max(there, 1 << 20)
    part = 2 ** int(needed / there).bit_length()
    raise OutOfRangeError(
        f"{what} {needed / 2**30:.1f} GiB of memory, and there are {there / 2**30:.1f} GiB; simulate a part of it "
        f"(--scale 1/{part}), or {else_}",
        key=key,
    )
