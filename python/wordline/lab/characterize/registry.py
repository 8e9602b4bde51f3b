"""All figures, in the order of a report."""

from __future__ import annotations

from collections.abc import Sequence

from ...config import did_you_mean
from ...errors import WrongValueError
from . import codes, cuts, erases, lives, programs, reads
from .figure import Figure

__all__ = ["FIGURES", "find"]

FIGURES: tuple[Figure, ...] = (
    *reads.FIGURES, *cuts.FIGURES, *erases.FIGURES, *lives.FIGURES, *programs.FIGURES, *codes.FIGURES,
)  # fmt: skip


def find(names: Sequence[str]) -> list[Figure]:
    """Finds figures by their names, in the order of a report.

    Raises:
        WrongValueError: A figure does not exist.
    """
    known = [figure.name for figure in FIGURES]
    for name in names:
        if name not in known:
            raise WrongValueError(
                f"there is no figure `{name}`{did_you_mean(name, known)}; figures: {', '.join(known)}"
            )
    return [figure for figure in FIGURES if figure.name in names]
