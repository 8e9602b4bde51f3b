"""A drive that another program holds and steps, or several under one clock."""

from .array import ArrayResult, DriveArray, JobTimes
from .drive import Drive, Zone
from .log_host import LogResult, run_log
from .opening import open  # noqa: A004 - `wl.open`, as in files
from .ops import OPERATIONS, Op

__all__ = ["OPERATIONS", "ArrayResult", "Drive", "DriveArray", "JobTimes", "LogResult", "Op", "Zone", "open", "run_log"]
