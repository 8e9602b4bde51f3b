"""The papers' studies and their claims: grids of points on all cores, stored when done."""

from ..sweeps.axes import cross, grid, seeds, zipped
from ..sweeps.engine import PointsProgress, run_points
from ..sweeps.outcome import Outcome, Results, Values
from ..sweeps.point import Computation, Point
from ..sweeps.spec import Spec, sweep
from ..sweeps.store import Store, default_folder
from .claims import Claim, Measured, Measurement, Verdict, all_claims
from .figure import Columns, Figure, Part, Row, Sheet, Table, grouped, of_runs, part
from .reproduction import Reproduction, merged, reproduce
from .study import Study, find, names, select

__all__ = [
    "Claim",
    "Columns",
    "Computation",
    "Figure",
    "Measured",
    "Measurement",
    "Outcome",
    "Part",
    "Point",
    "PointsProgress",
    "Reproduction",
    "Results",
    "Row",
    "Sheet",
    "Spec",
    "Store",
    "Study",
    "Table",
    "Values",
    "Verdict",
    "all_claims",
    "cross",
    "default_folder",
    "find",
    "grid",
    "grouped",
    "merged",
    "names",
    "of_runs",
    "part",
    "reproduce",
    "run_points",
    "seeds",
    "select",
    "sweep",
    "zipped",
]
