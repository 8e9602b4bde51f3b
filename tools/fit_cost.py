"""The cost of points beside what was simulated of them, as a fit counts it."""
# ruff: noqa: INP001

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordline.fit.residuals import residuals_of
from wordline.fit.search import cost_of
from wordline.measured import Point, Row

__all__ = ["cost"]


def cost(points: Sequence[Point], rows: Sequence[Row]) -> float:
    """Returns the cost of the points that have a row: how well all repeat is known from all of them."""
    gave = {id(row.point): row.simulated for row in rows}
    return cost_of(np.array(residuals_of(points).of([gave.get(id(point)) for point in points])))
