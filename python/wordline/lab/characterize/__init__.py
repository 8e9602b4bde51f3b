"""The figures of a chip lab for a kind of chip, with their data, computed from the device model."""

from .figure import Figure
from .lab import Lab, LeftOut
from .registry import FIGURES, find
from .write import Document, Drawn, characterize

__all__ = ["FIGURES", "Document", "Drawn", "Figure", "Lab", "LeftOut", "characterize", "find"]
