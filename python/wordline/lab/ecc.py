"""The ECC's tables and curves: decoding probability and iterations by raw bit error rate."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import _core

__all__ = ["EccTables", "curves", "make_tables"]


@dataclass(frozen=True, slots=True)
class EccTables:
    """The counts of `make_tables`, as CSV.

    Attributes:
        decoder: Chunks by number of errors: how many decoded after 0, 1, ... iterations.
        soft: The same for soft decisions, by the number of further senses beside each reference.
        predictor: Pages by raw errors: predictions of RiF's predictor and results of the decoder.
    """

    decoder: str
    soft: dict[int, str]
    predictor: str


def make_tables(
    *,
    seed: int = 1,
    cores: int | None = None,
    quick: bool = False,
    progress: Callable[[float | None, int, int], object] | None = None,
) -> EccTables:
    """Makes the ECC's tables by Monte Carlo; they have the same bytes for any number of cores.

    Args:
        seed: Seed of the errors.
        cores: Number of threads; None: all cores.
        quick: Do a small part of the work: the curves are rougher.
        progress: Called regularly with the finished share of the round, the chunks decoded before it, and 0.
    """
    if cores is None:
        cores = os.cpu_count() or 1
    return EccTables(*_core.make_ecc_tables(seed=seed, cores=cores, quick=quick, progress=progress))


def curves(decoder: str | None = None, *, soft_senses: int = 0) -> dict[str, Any]:
    """Returns the curves of a decoder's table, by raw errors.

    Args:
        decoder: The table as CSV; None: the one that comes with Wordline.
        soft_senses: Further senses beside each reference, 2 or 3: the curves of soft decisions. 0: of hard ones.

    Returns:
        `capability_rber` and `capability_per_kib` (the rate with a frame error rate of `capability_level`),
        `predictor_threshold`, `chunks`, `miscorrected`, and `curves`: columns of equal length, among them
        `errors_per_kib`, `frame_error_rate`, `mean_iterations` and `predictor_accuracy`. Soft decisions have nothing
        of the predictor.

    Raises:
        EccTableError: The text is not such a table.
    """
    return _core.ecc_curves(decoder, soft_senses)
