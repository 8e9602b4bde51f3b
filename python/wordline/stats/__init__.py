"""Statistics of results: intervals, warm-up, steady state."""

from .acted import warnings_of_keys
from .bursts import warnings_of_bursts
from .flows import warnings_of_short_flows
from .interval import LEVEL, Interval
from .phases import warnings_of_phases
from .run import BEYOND_MIN, beyond, interval_of, uncertainty_of_run
from .steady import steady_as_known, steady_of_run, warnings_of_run

__all__ = [
    "BEYOND_MIN",
    "LEVEL",
    "Interval",
    "beyond",
    "interval_of",
    "steady_as_known",
    "steady_of_run",
    "uncertainty_of_run",
    "warnings_of_bursts",
    "warnings_of_keys",
    "warnings_of_phases",
    "warnings_of_run",
    "warnings_of_short_flows",
]
