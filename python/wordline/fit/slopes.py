"""The derivatives of a search: by differences once, then kept up to date by the steps themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Slopes"]

LEAST_STEP = 0.02
"""A shorter step says more of chance than of a derivative."""
MISSED_MAX = 0.6
"""Where a step changes the residuals by so much less or more than predicted, the derivatives are taken anew."""


class Slopes:
    """Derivatives of residuals by parameters: each step of a search is a secant, which mends them (Broyden, 1965).

    A derivative by differences takes a simulation of each point for each parameter, a secant none.
    """

    def __init__(
        self,
        residual: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        differences: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        known: NDArray[np.float64] | None = None,
        renewals: int = 1,
    ) -> None:
        """Begins with derivatives that are known near the start, or with none.

        Args:
            residual: Returns the residuals at a place.
            differences: Returns the derivatives at a place, by differences.
            known: Derivatives near the start.
            renewals: So often they may be taken anew where a step shows that they are wrong.
        """
        self._residual, self._differences = residual, differences
        self._known, self._renewals = known, renewals
        self._at: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        self.differenced: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        """Where derivatives were last taken by differences, and these."""
        self._seen: dict[bytes, NDArray[np.float64]] = {}

    def residual(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the residuals at a place, and remembers them."""
        key = x.tobytes()
        if key not in self._seen:
            self._seen[key] = self._residual(x)
        return self._seen[key]

    def at(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the derivatives at a place to which a step has led."""
        here = self.residual(x)
        if self._known is None:
            self._known = self._anew(x)
        elif self._at is not None:
            self._known = self._mended(self._known, x - self._at[0], here - self._at[1], x)
        self._at = (x.copy(), here)
        return self._known

    def _anew(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        self.differenced = (x.copy(), self._differences(x))
        return self.differenced[1]

    def _mended(
        self,
        known: NDArray[np.float64],
        step: NDArray[np.float64],
        change: NDArray[np.float64],
        x: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        length = float(np.linalg.norm(step))
        if length < LEAST_STEP:
            return known
        missed = change - known @ step
        if self._renewals > 0 and np.linalg.norm(missed) > MISSED_MAX * np.linalg.norm(change):
            self._renewals -= 1
            return self._anew(x)
        return known + np.outer(missed, step) / length**2
