"""Options that several commands share, each defined once. Those of a kind are a group, which a command takes whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import complete, counts
from .errors import BadInputError
from .figures import FIGURE
from .grouped import Options
from .paths import FILLS, KEEPS, READS, WRITES

if TYPE_CHECKING:
    from ..drive import Shape
    from ..output.view import View
    from ..stats.bounds import Bound

SSD = Annotated[
    str | None,
    typer.Argument(
        metavar="PRESET|CONFIG.toml",
        help="A preset (`wordline presets`) or a configuration file.",
        autocompletion=complete.ssds,
    ),
    READS,
]
Explained = Annotated[
    str | None,
    typer.Argument(
        metavar="PRESET|CONFIG.toml",
        help="A preset (`wordline presets`) or a configuration file.",
        # Without the word `config`, its place may also be a topic or a key.
        autocompletion=complete.explained,
    ),
    READS,
]
Job = Annotated[
    Path | None,
    typer.Argument(metavar="[JOB.fio]", help="A fio job file, or a file of flows (.toml).", show_default=False),
    READS,
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        metavar="KEY=VALUE",
        help="Set a dotted key, such as ssd.channels=16. Repeatable.",
        autocompletion=complete.settings,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="Write results to a new folder; an earlier result is replaced."),
    FILLS,
]
Figure = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FIGURE", help="Draw it (.png, .svg or .pdf); the data go beside it as .data.csv."),
    FIGURE,
]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Write an HTML report here; --out has one of its own."),
    WRITES,
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, metavar="N", help="Simulations at a time; all cores by default.")
]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache", metavar="DIR", help="Keep finished points here; by default in $WORDLINE_CACHE or ~/.cache/wordline."
    ),
    KEEPS,
]


Seed = Annotated[int | None, typer.Option("--seed", metavar="N", help="The seed of everything random, 1 by default.")]
Requests = Annotated[
    int | None,
    typer.Option(
        "--requests",
        "-n",
        parser=counts.from_one,
        metavar="N",
        help="So many requests, such as 10k or 1M; of a trace at most.",
    ),
]

Load = Annotated[
    str | None,
    typer.Option(
        "--load",
        metavar="SHARE",
        help="Send requests at a share of what the drive serves at most, such as 50%: that is measured first.",
    ),
]
Loads = Annotated[
    str | None,
    typer.Option(
        "--load",
        metavar="SHARES",
        help="Send requests at a share of what the first row's drive serves at most, such as 50%, or at several: "
        "25%,50%.",
    ),
]

History = Annotated[
    str | None,
    typer.Option(
        "--history",
        metavar="KIND,KIND,…",
        help="What the jobs of each measured load ran before it, in order, at the same addresses: randwrite,randrw5.",
    ),
]

# How a trace is read, whichever it is.
OF_ANY_TRACE = ("device", "event", "on_time_back", "on_zero_length", "time_unit")


Host = Annotated[
    str | None,
    typer.Option(
        "--host",
        metavar="NAME|HOST.toml",
        help="The host of the drive: one of those that come with Wordline, or a file that `wordline fit` wrote.",
        autocompletion=complete.hosts,
    ),
    READS,
]


class Drive(Options):
    """Which part of the drive is simulated, and how used it is."""

    scale: Annotated[
        str | None,
        typer.Option(
            "--scale",
            metavar="1/N",
            help="Simulate a part of the drive: smaller blocks, then fewer (ssd.scale). It says what does not scale.",
        ),
    ] = None
    steady: Annotated[
        bool,
        typer.Option(
            "--steady",
            help="Begin with a drive at the equilibrium of its workload: full, overwritten until write amplification "
            "is flat.",
        ),
    ] = False

    host: Host = None
    seed: Seed = None
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="SLOT=POLICY",
            help="A policy in Python, such as gc=my_policies.py:MyGreedy or gc=my_module:MyGreedy. Repeatable.",
            autocompletion=complete.slots,
        ),
    ] = None

    def settings(self, shape: Shape = "workload") -> list[str]:
        """Returns the settings of the configuration that follow; `shape` says where overwrites go."""
        from ..drive import SHAPE, settings
        from .assignment import IfNotGiven
        from .hosts import settings as of_host

        keys = settings(self.scale, steady=self.steady, seed=self.seed, shape=shape) | self._policies()
        # A file that says where overwrites go knows better.
        made = (IfNotGiven(f"{key}={value}") if key == SHAPE else f"{key}={value}" for key, value in keys.items())
        return [*of_host(self.host), *made]

    def _policies(self) -> dict[str, object]:
        """Returns the keys of the policies in Python, and declares their files."""
        from ..python_policies import keys_of
        from .assignment import split

        keys: dict[str, object] = {}
        for slot, policy in (split(each, "--policy") for each in self.policy or []):
            keys |= keys_of(slot, policy)
        return keys


class Repeats(Options):
    """How often a simulation runs, and how long."""

    requests: Requests = None
    seeds: Annotated[
        int,
        typer.Option("--seeds", min=1, metavar="N", help="Run N seeds: means, each with its interval of confidence."),
    ] = 1
    until: Annotated[
        list[str] | None,
        typer.Option(
            "--until",
            metavar="GOAL",
            help='Run on, or add seeds, until the interval is so tight: "read.p99.99 ±2%". Repeatable.',
        ),
    ] = None
    until_limit: Annotated[
        int,
        typer.Option(
            "--until-limit", min=1, metavar="N", help="With --until: at most N times the length at the start."
        ),
    ] = 64
    jobs: Jobs = None


class Targets(Options):
    """Where the result goes."""

    out: Out = None
    report: Report = None
    json: Json = False


class Shown(Options):
    """What the table of several runs shows."""

    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="NAMES",
            help="Show these numbers, such as read.p99.9,wa,die_utilisation.mean, or titles of a table: MB/s. "
            "Repeatable.",
            autocompletion=complete.numbers,
        ),
    ] = None
    sort: Annotated[
        str | None,
        typer.Option(
            "--sort",
            metavar="NAME",
            help="Sort the rows by a number or a setting, smallest first; iops:desc begins with the largest.",
            autocompletion=complete.numbers,
        ),
    ] = None
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline",
            metavar="KEY=VALUE",
            help="Compare each row with the one of this value that is else set alike, not with the first. Repeatable.",
            autocompletion=complete.settings,
        ),
    ] = None

    at_most: Annotated[
        list[str] | None,
        typer.Option(
            "--at-most",
            metavar="NAME=VALUE",
            help="Name the first row whose number is at most this, such as read.p99.9=300us. Repeatable.",
            autocompletion=complete.numbers,
        ),
    ] = None
    at_least: Annotated[
        list[str] | None,
        typer.Option(
            "--at-least",
            metavar="NAME=VALUE",
            help="The same with a number that is at least this, such as iops=100k. Repeatable.",
            autocompletion=complete.numbers,
        ),
    ] = None

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """What numbers may be.

        Raises:
            BadInputError: A value is no number.
        """
        from ..stats.bounds import Bound

        made = []
        given = [(each, True) for each in self.at_most or []] + [(each, False) for each in self.at_least or []]
        for text, is_most in given:
            option, example = ("--at-most", "read.p99.9=300us") if is_most else ("--at-least", "iops=100k")
            try:
                made.append(Bound.parse(text, is_most=is_most))
            except ValueError as error:
                raise BadInputError(f"{option} {text}: {error}", f"write it as {example}") from None
        return tuple(made)

    @property
    def numbers(self) -> list[str]:
        """The numbers to show."""
        return [name.strip() for each in self.columns or [] for name in each.split(",") if name.strip()]

    @property
    def wanted(self) -> dict[str, Any]:
        """The settings of the rows that others are compared with."""
        from ..config import parse_value
        from ..sweeps.axes import name_of
        from .assignment import split

        pairs = (split(each, "--baseline") for each in self.baseline or [])
        return {name_of(key): parse_value(value) for key, value in pairs}

    def check(self, settings: Sequence[Mapping[str, Any]]) -> None:
        """Checks before a long run that there will be such numbers and rows.

        Args:
            settings: What is set at each point.

        Raises:
            BadInputError: A result has no such number.
            ViewError: There is no such key or row.
        """
        from .numbers import check

        keys = {key for each in settings for key in each}
        for name in self.numbers:
            if name in keys:
                raise BadInputError(f"--columns {name}: a setting, which has a column anyway", "leave it out")
            check(name)
        for bound in self.bounds:
            check(bound.name)
        if self.sort and (sort := self.sort.removesuffix(":desc")) not in keys:
            check(sort)
        if self.baseline:
            self.arranged([(each, {}) for each in settings], is_run=False)

    def arranged(
        self, points: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]], *, is_run: bool = True
    ) -> tuple[list[int], View]:
        """Returns the order of the rows, and how they are shown; see `output.view.arranged`."""
        from ..output.view import arranged

        columns, sort, bounds = (self.numbers, self.sort, self.bounds) if is_run else ([], None, ())
        return arranged(points, columns=columns, sort=sort, baseline=self.wanted, bounds=bounds)


class Source(Options):
    """Where the requests come from."""

    trace: Annotated[
        str | None,
        typer.Option("--trace", "-t", metavar="FILE", help="Replay a trace, also .gz, .zst, .bz2 or .xz."),
        READS,
    ] = None
    workload: Annotated[
        list[str] | None,
        typer.Option(
            "--workload",
            "-w",
            metavar="NAME|FILE",
            help="Generate a synthetic workload (`wordline workloads`); several run together, each with a queue of its "
            "own. Also a fio job file (.fio), a file of flows (.toml with [[flow]]), or an application with its keys: "
            "app/cachelib:buckets=0.2.",
            autocompletion=complete.workloads,
        ),
        READS,
    ] = None
    flow: Annotated[
        list[str] | None,
        typer.Option(
            "--flow",
            metavar="KEY=VALUE,...",
            help="One of several flows: workload=fio/random-read,queue_depth=4,size=25%. Repeatable.",
        ),
    ] = None


class Reading(Options):
    """How a trace is read."""

    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="The trace's format, instead of detecting it.",
            autocompletion=complete.formats,
        ),
    ] = None
    csv_columns: Annotated[
        str | None,
        typer.Option(
            "--csv-columns",
            metavar="SPEC",
            help="The columns of a CSV, such as time-col=1,op-col=2,offset-col=3,size-col=4,time-unit=us.",
        ),
    ] = None
    device: Annotated[
        str | None,
        typer.Option("--device", metavar="MODE", help="Devices of the trace: merge, pack, only=N or stride=SECTORS."),
    ] = None
    event: Annotated[
        str | None,
        typer.Option("--event", metavar="LETTER", help="The event of blkparse that is a request: D, Q, G, I or C."),
    ] = None
    skip: Annotated[
        int, typer.Option("--skip", parser=counts.from_zero, metavar="N", help="Leave out the first N requests.")
    ] = 0
    limit: Annotated[
        int | None, typer.Option("--limit", parser=counts.from_one, metavar="N", help="End after N requests.")
    ] = None
    on_time_back: Annotated[
        str | None,
        typer.Option(
            "--on-time-back", metavar="POLICY", help="Timestamps that go back: error, clamp or sort-window=N."
        ),
    ] = None
    on_zero_length: Annotated[
        str | None,
        typer.Option("--on-zero-length", metavar="POLICY", help="Requests of no length: error or skip."),
    ] = None
    time_unit: Annotated[
        str | None,
        typer.Option(
            "--time-unit",
            metavar="UNIT",
            help="Unit of the trace's times: s, ms, us or ns. By default that of the format, if it makes sense.",
        ),
    ] = None

    def of_named(self, owner: str, fix: str) -> dict[str, Any]:
        """Returns how traces are read that a file names, as keywords of `wordline.trace`.

        Raises:
            BadInputError: An option says which trace it is, or which part of it; `owner` says that.
        """
        given = self.changed()
        for name in given:
            if name not in OF_ANY_TRACE:
                raise BadInputError(f"--{name.replace('_', '-')}: {owner}", fix)
        return given


class Replay(Reading):
    """How a trace is read and sent to an SSD."""

    wrap: Annotated[
        bool,
        typer.Option("--wrap", help="Wrap addresses beyond the device, instead of an error."),
    ] = False


def kinds_of(history: str | None) -> list[str]:
    """Returns the kinds of load of `--history`, in order."""
    return [] if history is None else [each.strip() for each in history.split(",")]
