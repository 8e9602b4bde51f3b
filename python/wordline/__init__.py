"""Wordline: an SSD simulator whose NAND behaves like NAND.

```python
import wordline as wl

result = wl.run(wl.preset("pnar2", pec=2000, retention_months=6), wl.trace("stg_0.csv.gz"))
result.read.p9999, result.mean_response_us, result.to_pandas()
```

`preset` and `config` make a configuration, `trace` and `workload` say what is asked of the SSD, `run`
simulates, and `compare` runs a grid on all cores. Mistakes raise the classes of `wordline.errors`.
"""

from . import errors
from ._core import __version__
from .api import run
from .config import Config, Origin, PresetInfo, config, preset, presets
from .errors import WordlineError
from .grid import Comparison, Point, compare
from .progress import Progress
from .result import LatencySummary, Result
from .studies import PointsProgress, sweep
from .workload import Flow, Trace, Workload, WorkloadInfo, WorkloadLike, trace, trace_formats, workload, workloads

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
    "__version__",
    "compare",
    "config",
    "errors",
    "preset",
    "presets",
    "run",
    "sweep",
    "trace",
    "trace_formats",
    "workload",
    "workloads",
]
