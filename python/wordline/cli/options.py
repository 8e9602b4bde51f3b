"""Options that several commands share, each described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from .declared import Argument, Option

SSD = Annotated[
    str | None,
    Argument(metavar="PRESET|CONFIG.toml", help="A preset (`wordline presets`) or a configuration file."),
]
Sets = Annotated[
    list[str] | None,
    Option("--set", "-s", metavar="KEY=VALUE", help="Set a dotted key, such as ssd.channels=16. Repeatable."),
]
Json = Annotated[bool, Option("--json", help="Print JSON and nothing else.")]
Out = Annotated[
    Path | None,
    Option("--out", "-o", metavar="DIR", help="Write results to a new folder; an earlier result is replaced."),
]
Report = Annotated[
    Path | None,
    Option("--report", metavar="FILE", help="Write an HTML report here; --out has one of its own."),
]
Jobs = Annotated[
    int | None, Option("--jobs", "-j", low=1, metavar="N", help="Simulations at a time; all cores by default.")
]
Cache = Annotated[
    Path | None,
    Option(
        "--cache", metavar="DIR", help="Keep finished points here; by default in $WORDLINE_CACHE or ~/.cache/wordline."
    ),
]

TRACE = "Trace"
TraceFile = Annotated[
    str | None,
    Option("--trace", "-t", metavar="FILE", help="Replay a trace; .gz and .zst are read directly.", panel=TRACE),
]
Workload = Annotated[
    str | None,
    Option("--workload", "-w", metavar="NAME", help="Generate a synthetic workload (`wordline workloads`)."),
]
Format = Annotated[
    str | None,
    Option("--format", metavar="NAME", help="The trace's format, instead of detecting it.", panel=TRACE),
]
CsvColumns = Annotated[
    str | None,
    Option(
        "--csv-columns",
        metavar="SPEC",
        help="The columns of a CSV, such as time-col=1,op-col=2,offset-col=3,size-col=4,time-unit=us.",
        panel=TRACE,
    ),
]
Device = Annotated[
    str | None,
    Option("--device", metavar="MODE", help="Devices of the trace: merge, only=N or stride=SECTORS.", panel=TRACE),
]
Skip = Annotated[int, Option("--skip", low=0, metavar="N", help="Leave out the first N requests.", panel=TRACE)]
Limit = Annotated[int | None, Option("--limit", low=1, metavar="N", help="End after N requests.", panel=TRACE)]
TimeBack = Annotated[
    str | None,
    Option(
        "--on-time-back",
        metavar="POLICY",
        help="Timestamps that go back: error, clamp or sort-window=N.",
        panel=TRACE,
    ),
]
ZeroLength = Annotated[
    str | None,
    Option("--on-zero-length", metavar="POLICY", help="Requests of no length: error or skip.", panel=TRACE),
]
Wrap = Annotated[
    bool,
    Option("--wrap", help="Wrap addresses beyond the device around, instead of an error.", panel=TRACE),
]
