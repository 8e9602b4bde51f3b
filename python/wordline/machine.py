"""Information about this machine: versions, cores, memory, and the tools that some commands use."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
from typing import NamedTuple

from .extras import EXTRAS, can_import
from .memory import memory_bytes

__all__ = ["Finding", "findings"]

# Programs, by their usual names, and their use.
PROGRAMS = (
    (("chromium", "chromium-browser", "google-chrome"), "tests of the report in a browser"),
    (("fio",), "comparisons with fio's own logs"),
)


class Finding(NamedTuple):
    """One result of the search."""

    name: str
    value: str
    is_ok: bool
    hint: str


def findings() -> list[Finding]:
    """Returns everything that can be found without a simulation, the most important first."""
    rows = [
        Finding("wordline", importlib.metadata.version("wordline"), True, ""),
        Finding("python", f"{platform.python_version()} on {platform.platform()}", True, ""),
        Finding("cores", str(cores()), True, ""),
        _memory(),
    ]
    rows += [_package(name, extra) for extra, (_, packages) in EXTRAS.items() for name in packages]
    rows += [_program(names, purpose) for names, purpose in PROGRAMS]
    return rows


def cores() -> int:
    """Returns the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory() -> Finding:
    available, total = memory_bytes("SC_AVPHYS_PAGES"), memory_bytes()
    if available is None or total is None:
        return Finding("memory", "unknown", True, "")
    return Finding("memory", f"{available / 2**30:.1f} of {total / 2**30:.1f} GiB free", True, "")


def _package(name: str, extra: str) -> Finding:
    if can_import(name):
        return Finding(name, importlib.metadata.version(name), True, "")
    return Finding(name, "not installed", False, f"for {EXTRAS[extra].purpose}: pip install 'wordline[{extra}]'")


def _program(names: tuple[str, ...], purpose: str) -> Finding:
    for name in names:
        path = shutil.which(name)
        if path is not None:
            return Finding(names[0], path, True, "")
    return Finding(names[0], "not found", False, f"for {purpose}")
