"""`wordline presets`."""

from __future__ import annotations

from . import options as opt


def presets(json: opt.Json = False) -> None:
    """List the SSDs that come with Wordline."""
    import wordline as wl

    from .listing import show

    show([(each.name, each.summary) for each in wl.presets()], json, "preset")
