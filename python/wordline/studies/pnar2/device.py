"""AR2 over characterised pages (section 6.2)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ...config import preset
from ...lab.survey import fallbacks as survey


def fallbacks(pec: int, months: float, pages: int) -> dict[str, Any]:
    """Returns pages of the SSD in a condition at 30 C, where errors are most, and how many of them fall back."""
    keys = {"reliability.pec": pec, "reliability.retention_months": months, "read.retry": "ar2"}
    return asdict(survey(preset("pnar2").set_all(keys), pages))
