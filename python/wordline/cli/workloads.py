"""`wordline workloads`."""

from __future__ import annotations

from . import options as opt


def workloads(json: opt.Json = False) -> None:
    """List the synthetic workloads: fio-like shapes and look-alikes of published traces."""
    import wordline as wl

    from .listing import show

    show([(each.name, each.source) for each in wl.workloads()], json, "workload")
