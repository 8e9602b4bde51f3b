"""Wordline's proof: studies that reproduce papers, the papers' claims, readings of what they leave open."""

from wordline.sweeps.axes import cross, grid, seeds, zipped
from wordline.sweeps.engine import PointsProgress, run_points
from wordline.sweeps.outcome import Outcome, Results, Values
from wordline.sweeps.point import Computation, Point
from wordline.sweeps.spec import Spec, sweep
from wordline.sweeps.store import Store, default_folder

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
