"""The run record: everything that determines a result, stored next to it, to repeat, compare and read it again."""

from .changes import Diff, diff
from .difference import Compared, Difference, compared
from .folder import load, save
from .record import Record, RecordedRun
from .repeat import Repeated, rerun

__all__ = [
    "Compared",
    "Diff",
    "Difference",
    "Record",
    "RecordedRun",
    "Repeated",
    "compared",
    "diff",
    "load",
    "rerun",
    "save",
]
