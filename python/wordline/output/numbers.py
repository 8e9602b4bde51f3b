"""Numbers as a reader of a table wants them: few digits, thousands separated, nothing where there is nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

NOTHING = "-"


def count(value: float | None) -> str:
    """A whole number, `1,234,567`."""
    return NOTHING if value is None else f"{round(value):,}"


def measure(value: float | None) -> str:
    """A measured number in three to four digits, `0.123`, `12.3`, `123,456`."""
    if value is None:
        return NOTHING
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.1f}"
    return "0" if size == 0 else f"{value:.2f}" if size >= 1 else f"{value:.3f}"


def percent(share: float | None) -> str:
    """A share of one as a percentage, `12.3 %`."""
    return NOTHING if share is None else f"{100 * share:.1f} %"


def factor(ratio: float | None) -> str:
    """How many times another number a number is, `x0.97`, `x10.6`, `x1/48`."""
    if ratio is None:
        return NOTHING
    if 0 < ratio < 0.1:
        return f"x1/{1 / ratio:,.0f}"
    return f"x{ratio:.2f}" if ratio < 10 else f"x{measure(ratio)}"


def change(value: float | None, first: float | None) -> str:
    """How far a value is from the first one, `-12.3 %`; a large factor as `x5.21`, `x1/480`."""
    if value is None or not first:
        return ""
    ratio = value / first
    if 0 < ratio < 0.01:
        return factor(ratio)
    return f"x{ratio:,.2f}" if ratio >= 3 else f"{100 * (ratio - 1):+.1f} %"


def size(number: float | None) -> str:
    """Bytes in binary units, `4.0 KiB`."""
    if number is None:
        return NOTHING
    value = float(number)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(value) < 1024 or unit == "TiB":
            break
        value /= 1024
    return f"{value:,.0f} B" if unit == "B" else f"{value:,.1f} {unit}"


def scale_text(scale: float) -> str:
    """The part of a drive that is simulated, as a fraction where it is one, `1/256`."""
    parts = round(1.0 / scale) if scale > 0 else 0
    return f"1/{parts}" if parts > 1 and abs(parts * scale - 1.0) < 1e-9 else f"{scale:g}"


def byte_unit(values: Iterable[float | None]) -> tuple[str, float]:
    """The decimal unit in which bytes of a column are shown, and what bytes are multiplied by."""
    most = max((abs(value) for value in values if value is not None), default=0.0)
    units = (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("KB", 1e3))
    return next(((unit, 1.0 / size) for unit, size in units if most >= size), ("B", 1.0))


def seconds(value: float | None) -> str:
    """A time in the unit that suits it, `1.23 ms`, `2 h 5 min`."""
    if value is None:
        return NOTHING
    if value >= 3600:
        hours, rest = divmod(round(value / 60), 60)
        return f"{hours:,} h {rest} min"
    for limit, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= limit:
            return f"{measure(value / limit)} {unit}"
    return "0 s" if value == 0 else f"{measure(value / 1e-9)} ns"


def dig(document: Any, *path: str | int) -> Any:  # noqa: ANN401 - JSON
    """What lies at a path of a JSON document, or None where the path ends early."""
    for step in path:
        if isinstance(document, dict):
            document = document.get(step)
        elif isinstance(document, list) and isinstance(step, int) and step < len(document):
            document = document[step]
        else:
            return None
    return document
