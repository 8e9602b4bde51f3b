"""Fitting the device model: every calibrated constant of the 48-layer TLC, from claims and from measured data.

| question | file |
|---|---|
| which constant follows from which number? | `reads.py`, `erases.py` |
| how is a constant found? | `solve.py` |
| how is a constant read and written in a chip's file? | `chip_file.py` |
| what did AERO's authors measure? | `aero_erase_latency.csv` |
"""

from __future__ import annotations

from .erases import ERASES
from .reads import READS
from .solve import Fit, Moved, refit

__all__ = ["FITS", "Fit", "Moved", "refit"]

FITS = (*READS, *ERASES)
