"""The ECC's tables and curves: how often, and after how many iterations, a raw bit error rate decodes."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import _core

__all__ = ["EccTables", "curves", "make_tables"]


@dataclass(frozen=True, slots=True)
class EccTables:
    """What `make_tables` counted, as CSV.

    Attributes:
        decoder: Chunks by number of errors: how many decoded after 0, 1, ... iterations.
        predictor: Pages by raw errors: what RiF's predictor said and the decoder did.
    """

    decoder: str
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
        seed: Of the errors.
        cores: Threads; None: all cores.
        quick: A small part of the work: the curves are rougher.
        progress: Called now and then with the share of the round that is done, the chunks decoded before it, and 0.
    """
    if cores is None:
        cores = os.cpu_count() or 1
    return EccTables(*_core.make_ecc_tables(seed=seed, cores=cores, quick=quick, progress=progress))


def curves(decoder: str | None = None) -> dict[str, Any]:
    """What a decoder's table means, against raw errors.

    Args:
        decoder: The table as CSV; None: the one that comes with Wordline.

    Returns:
        `capability_rber` and `capability_per_kib` (where the frame error rate reaches `capability_level`),
        `predictor_threshold`, `chunks`, `miscorrected`, and `curves`: columns of equal length, among them
        `errors_per_kib`, `frame_error_rate`, `mean_iterations` and `predictor_accuracy`.

    Raises:
        EccTableError: when the text is no such table.
    """
    return _core.ecc_curves(decoder)
