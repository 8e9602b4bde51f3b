"""Fits every calibrated constant of the 48-layer TLC to claims and to measured data.

| question | file |
|---|---|
| which number determines which constant? | `reads.py`, `erases.py` |
| how is a constant found? | `solve.py` |
| how are constants of a chip's file read and changed? | `chip_file.py` |
| how far are erases from the whole distributions? | `work.py` |
| what did AERO's authors measure? | `aero_erase_latency.csv` |
"""

from __future__ import annotations

from .erases import ERASES
from .reads import READS
from .solve import Fit, Moved, refit

__all__ = ["FITS", "Fit", "Moved", "refit"]

FITS = (*READS, *ERASES)
