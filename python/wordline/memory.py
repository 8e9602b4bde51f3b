"""The memory of this machine, and whether an SSD's tables fit into it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ._core import Drives
from .config import Config
from .errors import OutOfRangeError

try:
    import resource
except ImportError:  # There are no such limits on Windows.
    resource = None  # type: ignore[assignment]

__all__ = ["at_a_time", "check_tables_fit", "memory_bytes"]

# Bytes of the tables for a unit, its logical and its physical entry: where 32 bits number all units, and where they do
# not. What else a run takes is small beside these.
_UNIT_BYTES, _WIDE_UNIT_BYTES = 8.4, 10.4
# Checked mode keeps versions for the sectors of a logical and of a physical unit, and what the latter belongs to.
_SECTOR_BYTES, _CHECKED_VERSIONS_BYTES, _CHECKED_OWNER_BYTES = 512, 8, 8
# Queues, buffers and heaps of a run.
_OF_A_RUN_BYTES = 64 << 20


# Of each version of control groups: the controller in `/proc/self/cgroup`, its folder, its limit and what is used.
_GROUPS = (
    ("", "", "memory.max", "memory.current"),
    ("memory", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
)


def memory_bytes(name: str = "SC_PHYS_PAGES") -> int | None:
    """Returns the memory of this machine, bytes, or what of it is free (`SC_AVPHYS_PAGES`); None where nobody knows.

    In a container it is that of the container, where that is less.
    """
    try:
        machine = os.sysconf(name) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
    return min([machine, *_of_groups(is_free=name != "SC_PHYS_PAGES")])


def _of_groups(
    *, is_free: bool, root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")
) -> list[int]:
    """The limits of the control groups that this process is in, bytes, or what is left of each."""
    try:
        lines = [line.split(":", 2) for line in own.read_text("ascii").splitlines()]
    except (OSError, ValueError):
        return []
    here = []
    for controller, folder, limit, used in _GROUPS:
        for path in (path for _, names, path in lines if controller in names.split(",")):
            group = root / folder / path.strip("/")
            # Each group lies within those above it. A container may see its own as the root.
            for place in (group, *group.parents):
                if root not in (place, *place.parents):
                    break
                most = _number_in(place / limit)
                if most is not None:
                    here.append(max(most - (_number_in(place / used) or 0), 0) if is_free else most)
    return here


def _number_in(file: Path) -> int | None:
    """The number in a file; None where there is no file, or no limit."""
    try:
        text = file.read_text("ascii").strip()
    except (OSError, ValueError):
        return None
    return int(text) if text.isdecimal() else None


def _tables(config: Config, check: bool) -> tuple[float, float]:
    """The bytes of an SSD's tables: what is reserved, and what a fill uses; checked mode reserves nothing."""
    unit_bytes = config["ftl.unit_bytes"] or config["ssd.page_bytes"]
    units = config.host_bytes / unit_bytes
    # A logical entry for each unit of the host, and a physical one for each, the spare ones among them.
    pairs = units * (0.5 + 0.5 / (1 - config["ssd.overprovisioning"]))
    reserved = pairs * (_UNIT_BYTES if units < 2**32 else _WIDE_UNIT_BYTES)
    shadow = unit_bytes / _SECTOR_BYTES * _CHECKED_VERSIONS_BYTES + _CHECKED_OWNER_BYTES if check else 0
    fill = config["precondition.fill"]
    share = fill if isinstance(fill, int | float) else 0
    return reserved, (reserved + pairs * shadow) * share


def at_a_time(runs: Sequence[tuple[Config, bool]], count: int) -> tuple[int, str | None]:
    """Returns how many of these runs fit into memory together, of `count` that were wanted, and a line on why not all.

    Args:
        runs: The SSD of each run, and whether it is checked.
        count: Runs at a time, 1 or more.
    """
    there = memory_bytes()
    if there is None or count == 1:
        return count, None
    # Any of them may run together, so the largest.
    largest = sorted((_of_worker(config, check) for config, check in runs), reverse=True)[:count]
    fitting = next((fewer for fewer in range(len(largest), 1, -1) if sum(largest[:fewer]) <= there), 1)
    if fitting >= len(largest):
        return count, None
    return fitting, (
        f"{fitting} of {count} points run at a time: filling {len(largest)} SSDs, and keeping them for further points, "
        f"takes {sum(largest) / 2**30:.1f} GiB of memory, and there are {there / 2**30:.1f} GiB"
    )


def _of_worker(config: Config, check: bool) -> float:
    """The bytes that a worker of a grid takes: for the SSD that runs, and for the filled one, which it keeps."""
    filled = _tables(config, check)[1]
    return filled if check else filled + min(filled, Drives.LARGEST_BYTES)


def check_tables_fit(config: Config, *, check: bool = False) -> None:
    """Checks that an SSD's tables fit into memory. They are reserved whole, and used where something was written.

    Args:
        config: The SSD.
        check: Checked mode, which keeps tables of its own.

    Raises:
        OutOfRangeError: The fill takes more than all memory of this machine, or the tables more than `ulimit -v`.
    """
    reserved, filled = _tables(config, check)
    if resource is not None:
        allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
        if allowed != resource.RLIM_INFINITY:
            _check("the tables of this SSD take", reserved, allowed - _address_space(), "raise `ulimit -v`")
    what = "filling this SSD in checked mode takes" if check else "filling this SSD takes"
    _check(what, filled, memory_bytes(), "lower precondition.fill", key="precondition.fill")


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
