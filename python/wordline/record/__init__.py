"""The run record: what decided a result, kept beside it, so that it can be repeated, compared and read again."""

from .changes import Diff, diff
from .difference import Compared, Difference, compared
from .folder import load
from .record import Record, RecordedRun
from .repeat import Repeated, rerun

__all__ = ["Compared", "Diff", "Difference", "Record", "RecordedRun", "Repeated", "compared", "diff", "load", "rerun"]
