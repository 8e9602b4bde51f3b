"""`wordline workloads`."""

from __future__ import annotations

from . import options as opt


def workloads(json: opt.Json = False) -> None:
    """List the synthetic workloads: fio-like shapes and look-alikes of published traces."""
    from ..workload import workloads as known
    from .listing import show

    show([(each.name, each.source) for each in known()], json, "workload")
