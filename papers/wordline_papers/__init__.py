"""Wordline's proof: studies that reproduce papers, the papers' claims, readings of what they leave open."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_LATE = {
    "wordline.sweeps.axes": ("cross", "grid", "seeds", "zipped"),
    "wordline.sweeps.engine": ("PointsProgress", "run_points"),
    "wordline.sweeps.outcome": ("Outcome", "Results", "Values"),
    "wordline.sweeps.point": ("Computation", "Point"),
    "wordline.sweeps.spec": ("Spec", "sweep"),
    "wordline.sweeps.store": ("Store", "default_folder"),
    ".claims": ("Claim", "Measured", "Measurement", "Verdict", "all_claims"),
    ".figure": ("Columns", "Figure", "Part", "Row", "Sheet", "Table", "grouped", "of_runs", "part"),
    ".reproduction": ("Reproduction", "merged", "reproduce"),
    ".study": ("Study", "find", "names", "select"),
}
"""Modules that are imported when one of these names is first used: the help of all commands needs none."""


def __getattr__(name: str) -> object:
    """Returns names of `_LATE` (PEP 562)."""
    from importlib import import_module

    for module, names in _LATE.items():
        if name in names:
            loaded = import_module(module, __name__)
            globals().update((each, getattr(loaded, each)) for each in names)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
