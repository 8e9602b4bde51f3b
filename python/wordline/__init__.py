"""Wordline: an SSD simulator whose NAND behaves like NAND.

```python
import wordline as wl

result = wl.run(wl.preset("pnar2", pec=2000, retention_months=6), wl.trace("stg_0.csv.gz"))
result.read.p9999, result.mean_response_us, result.to_pandas()
```

`preset` and `config` make a configuration, `trace` and `workload` give the requests to the SSD, `run` simulates, and
`compare` runs a grid on all cores. Mistakes raise the classes of `wordline.errors`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import errors
from ._core import __version__
from .api import offered_load, run
from .config import Config, Origin, PresetInfo, config, preset, presets
from .errors import WordlineError
from .offered_load import OfferedLoad
from .policies import PolicyInfo, policies
from .progress import Progress
from .result import LatencySummary, Result
from .workload import (
    Flow,
    Namespace,
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
    from .agreement import against
    from .drive_table import DriveTable, table
    from .events import Events
    from .fio_jobs import FioFile, fio
    from .flow_file import FlowFile, flows
    from .held import Drive, DriveArray, LogResult, Zone, open, run_log  # noqa: A004 - `wl.open`, as in files
    from .kv_cache import KvResult, KvSettings, kv
    from .measured import Agreement
    from .record import diff, load, rerun
    from .serving import serve
    from .sweeps import Outcome, Point, PointsProgress, Results, alone, compare, replicate, run_until, sweep

__all__ = [
    "Agreement",
    "Config",
    "Drive",
    "DriveArray",
    "DriveTable",
    "Events",
    "FioFile",
    "Flow",
    "FlowFile",
    "KvResult",
    "KvSettings",
    "LatencySummary",
    "LogResult",
    "Namespace",
    "OfferedLoad",
    "Origin",
    "Outcome",
    "Point",
    "PointsProgress",
    "PolicyInfo",
    "PresetInfo",
    "Progress",
    "Result",
    "Results",
    "Trace",
    "WordlineError",
    "Workload",
    "WorkloadInfo",
    "WorkloadLike",
    "Written",
    "Zone",
    "__version__",
    "against",
    "alone",
    "compare",
    "config",
    "diff",
    "errors",
    "fio",
    "flows",
    "kv",
    "load",
    "offered_load",
    "open",
    "policies",
    "preset",
    "presets",
    "replicate",
    "rerun",
    "run",
    "run_log",
    "run_until",
    "serve",
    "sweep",
    "table",
    "trace",
    "trace_formats",
    "trace_output_formats",
    "workload",
    "workloads",
]

_LATE = {
    "agreement": ("against",),
    "measured": ("Agreement",),
    "drive_table": ("DriveTable", "table"),
    "events": ("Events",),
    "fio_jobs": ("FioFile", "fio"),
    "flow_file": ("FlowFile", "flows"),
    "held": ("Drive", "DriveArray", "LogResult", "Zone", "open", "run_log"),
    "kv_cache": ("KvResult", "KvSettings", "kv"),
    "record": ("diff", "load", "rerun"),
    "serving": ("serve",),
    "sweeps": ("Outcome", "Point", "PointsProgress", "Results", "alone", "compare", "replicate", "run_until", "sweep"),
    "lab": (),
    "report": (),
}
"""Packages that are imported when they, or one of these names, are first used: a single run needs none."""


def __dir__() -> list[str]:
    """What `wl.<Tab>` offers: also what is not imported yet."""
    return sorted({*__all__, *(package for package, names in _LATE.items() if not names)})


def __getattr__(name: str) -> object:
    """Returns packages and names of `_LATE` (PEP 562)."""
    from importlib import import_module

    for package, names in _LATE.items():
        if name == package:
            return import_module(f".{package}", __name__)
        if name in names:
            package_module = import_module(f".{package}", __name__)
            globals().update((each, getattr(package_module, each)) for each in names)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
