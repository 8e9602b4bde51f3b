"""`wordline presets`."""

from __future__ import annotations

from . import options as opt


def presets(json: opt.Json = False) -> None:
    """List the SSDs that come with Wordline."""
    from ..config import presets as known
    from .listing import show

    show([(each.name, each.summary) for each in known()], json, "preset")
