"""Drives that were aged without time, kept on disk for the next run that would write the same before it begins."""

from .store import Entry, Store, ago
from .take import precondition

__all__ = ["Entry", "Store", "ago", "precondition"]
