"""One HTML file with everything about some runs: it works offline, by keyboard and screen reader, and on a phone."""

from .entry import Entry, Section
from .page import available, write

__all__ = ["Entry", "Section", "available", "write"]
