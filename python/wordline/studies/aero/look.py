"""The style of the schemes, the same in every figure."""

from __future__ import annotations

from typing import Any

from .published import NAMES


def colours() -> dict[str, str]:
    """Returns a colour for each scheme."""
    from ...output.plot import style

    return {
        "ispe": "#000000",
        "i-ispe": style.ORANGE,
        "dpes": style.GREEN,
        "aero-cons": style.SKY,
        "aero": style.BLUE,
    }


def line(scheme: str) -> dict[str, str]:
    """Returns the style of a scheme's line."""
    return {"color": colours()[scheme], "label": NAMES[scheme]}


def marked(scheme: str) -> dict[str, Any]:
    """Returns the same style with a mark at each point."""
    return {**line(scheme), "linestyle": "-", "marker": "o", "ms": 3}
