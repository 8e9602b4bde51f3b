"""A drive beside what was measured: each point's own load is run on it."""

from .compare import against
from .history import History
from .simulate import Length, Simulator

__all__ = ["History", "Length", "Simulator", "against"]
