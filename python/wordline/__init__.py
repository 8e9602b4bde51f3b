"""Wordline: an SSD simulator whose NAND behaves like NAND.

```python
import wordline as wl

result = wl.run(wl.preset("pnar2", pec=2000, retention_months=6), wl.trace("stg_0.csv.gz"))
result.read.p9999, result.mean_response_us, result.to_pandas()
```

`preset` and `config` make a configuration, `trace` and `workload` say what is asked of the SSD, `run`
simulates, and `compare` runs a grid on all cores. Mistakes raise the classes of `wordline.errors`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import errors
from ._core import __version__
from .api import run
from .config import Config, Origin, PresetInfo, config, preset, presets
from .errors import WordlineError
from .progress import Progress
from .result import LatencySummary, Result
from .workload import (
    Flow,
    Trace,
    Workload,
    WorkloadInfo,
    WorkloadLike,
    Written,
    trace,
    trace_formats,
    trace_output_formats,
    workload,
    workloads,
)

if TYPE_CHECKING:
    from .grid import Comparison, Point, compare
    from .record import load, rerun
    from .studies import PointsProgress, sweep

__all__ = [
    "Comparison",
    "Config",
    "Flow",
    "LatencySummary",
    "Origin",
    "Point",
    "PointsProgress",
    "PresetInfo",
    "Progress",
    "Result",
    "Trace",
    "WordlineError",
    "Workload",
    "WorkloadInfo",
    "WorkloadLike",
    "Written",
    "__version__",
    "compare",
    "config",
    "errors",
    "load",
    "preset",
    "presets",
    "rerun",
    "run",
    "sweep",
    "trace",
    "trace_formats",
    "trace_output_formats",
    "workload",
    "workloads",
]

_OF_MANY_RUNS = {
    "grid": ("Comparison", "Point", "compare"),
    "record": ("load", "rerun"),
    "studies": ("PointsProgress", "sweep"),
}
"""Modules that are imported when they, or one of these names, are first asked for: a single run needs neither."""


def __getattr__(name: str) -> object:
    """Names of `_OF_MANY_RUNS` (PEP 562)."""
    from importlib import import_module

    for module, names in _OF_MANY_RUNS.items():
        if name == module or name in names:
            found = import_module(f".{module}", __name__)
            globals().update((each, getattr(found, each)) for each in names)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
