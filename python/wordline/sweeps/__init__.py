"""Runs many points on all cores, from a grid, a file or a list, and stores each when it is done."""

from .axes import cross, grid, seeds, zipped
from .by_itself import alone
from .comparison import compare
from .engine import PointsProgress, run_points
from .outcome import Outcome, Results, Values
from .point import Computation, Point, Until
from .replication import replicate
from .spec import Spec, sweep
from .store import Store, default_folder
from .until import run_until

__all__ = [
    "Computation",
    "Outcome",
    "Point",
    "PointsProgress",
    "Results",
    "Spec",
    "Store",
    "Until",
    "Values",
    "alone",
    "compare",
    "cross",
    "default_folder",
    "grid",
    "replicate",
    "run_points",
    "run_until",
    "seeds",
    "sweep",
    "zipped",
]
