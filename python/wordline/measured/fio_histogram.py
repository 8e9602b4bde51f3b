"""Percentiles of fio's latencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["merged", "percentiles_of"]

SHARES = {"p50_us": 50.0, "p95_us": 95.0, "p99_us": 99.0, "p999_us": 99.9, "p9999_us": 99.99}


def percentiles_of(latencies: Mapping[str, Any], scale_us: float) -> dict[str, float | None]:
    """Returns the percentiles that fio printed; those of version 2 have names such as `99.00`."""
    printed = {float(name): value for name, value in (latencies.get("percentile") or {}).items() if _is_number(name)}
    return {name: printed[share] * scale_us if printed.get(share) else None for name, share in SHARES.items()}


def merged(parts: Sequence[tuple[Mapping[str, int], float]]) -> dict[str, float | None]:
    """Returns the percentiles of several histograms together (`--output-format=json+`)."""
    counts: Counter[float] = Counter()
    for bins, scale_us in parts:
        for value, count in bins.items():
            counts[float(value) * scale_us] += count
    total = sum(counts.values())
    return {name: _at(counts, total * share / 100) for name, share in SHARES.items()}


def _at(counts: Counter[float], rank: float) -> float | None:
    seen = 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= rank:
            return value
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
