"""A drive beside what was measured: each point's own load is run on it."""

from .compare import against
from .simulate import Length, Simulator

__all__ = ["Length", "Simulator", "against"]
