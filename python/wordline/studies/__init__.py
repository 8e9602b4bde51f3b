"""Many runs: grids of points on all cores, kept as they are done; the papers' studies and their claims on top."""

from .axes import cross, grid, seeds, zipped
from .claims import Claim, Measured, Measurement, Row, all_claims
from .engine import PointsProgress, run_points
from .outcome import Outcome, Results, Values
from .point import Computation, Point
from .reproduction import Reproduction, merged, reproduce
from .spec import Spec, sweep
from .store import Store, default_folder
from .study import Study, find, names, select

__all__ = [
    "Claim",
    "Computation",
    "Measured",
    "Measurement",
    "Outcome",
    "Point",
    "PointsProgress",
    "Reproduction",
    "Results",
    "Row",
    "Spec",
    "Store",
    "Study",
    "Values",
    "all_claims",
    "cross",
    "default_folder",
    "find",
    "grid",
    "merged",
    "names",
    "reproduce",
    "run_points",
    "seeds",
    "select",
    "sweep",
    "zipped",
]
