"""An enterprise steady-state test after SNIA's Performance Test Specification (PTS)."""

from .measure import Measured, measure
from .plan import TESTS, Cell, cells
from .rounds import Window, steady_window

__all__ = ["TESTS", "Cell", "Measured", "Window", "cells", "measure", "steady_window"]
