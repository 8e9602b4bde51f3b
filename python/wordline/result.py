"""The measurements of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, cast

from . import _core, extras
from .stats.columns import PERCENTILES
from .tables import Columns, arrays, one_row, table

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

    from .config import Config
    from .document import ChannelShares, DieUtilisation, Document, ReadRetry, WrittenBytes
    from .document import Workload as Described
    from .measured import Agreement
    from .output.plot.axes import RunPlot
    from .stats import Interval
    from .stats.lifetime import Lifetime

__all__ = ["LatencySummary", "Result"]

SCHEMA_VERSION = _core.SCHEMA_VERSION
"""Version of the format of `Result.to_dict` and `result.json`."""

OPTIONAL = {"requests": "log_requests=True", "timeline": "timeline_us=(from, to)"}
"""Tables that a run keeps on request, and the argument that requests them."""


def _rate(value: float | None) -> float:
    return math.nan if value is None else float(value)


@dataclass(frozen=True, slots=True)
class LatencySummary:
    """A summary of many response times, in us. Mean, deviation, minimum and maximum are exact.

    A percentile is the upper end of its bin (`metrics.digits` significant digits), but at most the maximum. It is None
    where no request lies beyond it: 1,000 requests have no p99.99.
    """

    count: float
    mean: float
    std: float
    min: float
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    p999: float | None
    p9999: float | None
    p99999: float | None
    p999999: float | None
    max: float


@dataclass(frozen=True)
class Result:
    """The measurements of a run. Times of the simulated SSD are in us, wall time in s.

    The JSON document (`to_dict`) holds all of them; the properties are the most common ones. pandas reads
    `to_pandas()`; polars and DuckDB read a result or any of its tables directly (Arrow's C stream interface).
    """

    document: Document
    columns: dict[str, Columns]
    config: Config

    @property
    def all(self) -> LatencySummary:
        """Response times of all requests."""
        return self._summary("all")

    @property
    def read(self) -> LatencySummary:
        """Response times of reads."""
        return self._summary("read")

    @property
    def write(self) -> LatencySummary:
        """Response times of writes."""
        return self._summary("write")

    @property
    def flows(self) -> dict[str, LatencySummary]:
        """Response times by flow."""
        return {name: LatencySummary(**values) for name, values in self.document["response_us"]["flows"].items()}

    @property
    def mean_response_us(self) -> float:
        """Mean response time of all requests, us."""
        return float(self.document["response_us"]["all"]["mean"])

    @property
    def iops(self) -> float:
        """Requests per second, from the first submission (or the end of the warm-up) to the last completion.

        NaN where all of them took no time.
        """
        return _rate(self.document["iops"]["all"])

    @property
    def bandwidth_mb_s(self) -> float:
        """Throughput of reads and writes over the same time, 10^6 bytes per second; NaN like `iops`."""
        return _rate(self.document["bandwidth_mb_s"]["all"])

    @property
    def write_amplification(self) -> float | None:
        """Bytes programmed per byte that the host wrote; None if it wrote none, and in results of earlier versions."""
        value = self.document["write_amplification"]
        return None if value is None else float(value)

    @property
    def write_amplification_pages(self) -> float | None:
        """Programmed pages per page programmed for the user; None if there were none.

        A page counts as one, however little of it the host wrote.
        """
        value = self.document["write_amplification_pages"]
        return None if value is None else float(value)

    @property
    def written_bytes(self) -> WrittenBytes:
        """Bytes written, as NVMe counts them: by the `host` (HBMW), to the `media` (MBMW), `erased` (MBE).

        `by_cause` splits those to the media: `host`, `gc`, `wear_levelling`, `refresh`, `folding`, `mapping`,
        `journal`, `rewrite`, `redone`, `padding`, `parity`.
        """
        return self.document["written_bytes"].copy()

    @property
    def counters(self) -> dict[str, dict[str, Any]]:
        """Counters of the `ftl`, the `controller`, the `cache` if there is one, and the policies (`policy`)."""
        stages: Mapping[str, Any] = self.document["counters"]
        return {stage: counts for stage, counts in stages.items() if counts is not None}

    @property
    def channel_time(self) -> list[ChannelShares]:
        """The time of each channel as fractions: `idle`, `cor`, `uncor`, `eccwait`, `write`."""
        return list(self.document["channel_time"]["channels"])

    @property
    def die_utilisation(self) -> DieUtilisation:
        """Busy share of the dies: `mean`, `min`, `max`; `read`, `program` and `erase` add up to the mean."""
        return self.document["die_utilisation"].copy()

    @property
    def ecc_time_us(self) -> list[float]:
        """Decoding time of the ECC engine of each channel, us."""
        return list(self.document["ecc_time_us"])

    @property
    def read_retry(self) -> ReadRetry:
        """Retry steps of all page reads: the host's, and those of partial writes, GC, refresh and the mapping table.

        `reads_by_steps` counts the reads that took 0, 1, 2, … additional senses, `mean_steps` is their mean, and
        `first_failure_share` is the share of reads whose page did not decode after the first sense. Their cost is in
        `counters["controller"]`: senses, wasted ones, resets, features set, fallbacks, mispredictions.
        """
        return self.document["read_retry"].copy()

    @property
    def simulated_s(self) -> float:
        """Simulated time of the run, s."""
        return float(self.document["simulated_s"])

    @property
    def wall_s(self) -> float:
        """Wall time of the run, s, without preconditioning."""
        return float(self.document["wall_s"])

    @property
    def wall_precondition_s(self) -> float:
        """Wall time of preconditioning, s."""
        return float(self.document["wall_precondition_s"])

    @property
    def seed(self) -> int:
        """The run's seed."""
        return int(self.document["seed"])

    @property
    def version(self) -> str:
        """Wordline's version."""
        return str(self.document["wordline"])

    @property
    def config_hash(self) -> str:
        """SHA-256 of the resolved configuration."""
        return str(self.document["config_hash"])

    @property
    def workload(self) -> Described:
        """The workload: `name`, `source`, `synthetic`, `flows`."""
        return self.document["workload"].copy()

    @property
    def synthetic(self) -> bool:
        """Whether any request was generated: its results are not results of the trace that it imitates."""
        return bool(self.document["workload"]["synthetic"])

    @property
    def stand_in(self) -> str | None:
        """The chip whose errors, wear and retention take the place of the SSD's own, which nobody has published.

        None where the chip is the SSD's, where it has none, and in results of earlier versions.
        """
        return self.document.get("stand_in")

    @property
    def warnings(self) -> list[str]:
        """Warnings about the numbers."""
        return list(self.document["warnings"])

    def __getitem__(self, name: str) -> float | None:
        """Returns a number by its short name (`iops`, `wa`, `read.p99.9`) or its dotted path in the document.

        None where the run did not measure it: a percentile that no request lies beyond, WA without writes.

        Raises:
            KeyError: There is no such number.
        """
        from .stats.names import path_of
        from .stats.run import dig

        path = path_of(name) or name
        value = dig(self.document, path)
        place, _, last = path.rpartition(".")
        is_percentile = last in PERCENTILES and isinstance(dig(self.document, place), Mapping)
        if isinstance(value, int | float) or is_percentile or (value is None and name != path):
            return cast("float | None", value)
        raise KeyError(f"{name}: no number of a result; such are iops, wa, read.p99.9, die_utilisation.mean")

    if not TYPE_CHECKING:
        # Type checkers find a wrong name by themselves.
        def __getattr__(self, name: str) -> object:
            """Says how to ask for a number, for `result.p99` and the like."""
            message = f'a result has no `{name}`; its numbers are result["wa"], result["read.p99"], result.read.p99'
            raise AttributeError(message, name=name, obj=self)

    def percentile(self, percent: float, op: str = "all") -> float | None:
        """Returns the response time that so many percent of the requests do not exceed, us.

        It is the upper end of its bin; None where no request lies beyond it.

        Args:
            percent: From 0 to 100, such as 99.95.
            op: `all`, `read` or `write`.

        Raises:
            ValueError: An argument is another.
        """
        from .stats.columns import NS_PER_US, OPS, histograms
        from .stats.run import dig

        if op not in OPS:
            raise ValueError(f"op = {op!r}: it is one of {', '.join(OPS)}")
        if not 0.0 <= percent <= 100.0:
            raise ValueError(f"percent = {percent}: it is from 0 to 100")
        histogram = histograms(self.columns["bins"]).get(op)
        share = percent / 100.0
        # Rounded first: a product that should be whole may be a little less.
        if histogram is None or int(round(histogram.total * (1.0 - share), 6)) < 1:
            return None
        return min(float(histogram.at(share)) / NS_PER_US, float(dig(self.document, f"response_us.{op}.max")))

    def interval(self, path: str) -> Interval | None:
        """Returns the confidence interval (95 %) of a number, such as `read.p99.9` or `response_us.read.p999`.

        Means, percentiles, `iops`, `bandwidth_mb_s` and `write_amplification` have one, by batches within the run,
        unless the run is too short; other numbers return None.
        """
        from .stats import interval_of
        from .stats.names import path_of

        return interval_of(self.document, path_of(path) or path)

    @property
    def plot(self) -> RunPlot:
        """Its figures: `result.plot.cdf()`, `.throughput()` and `.over_time("free_blocks")` return matplotlib axes."""
        from .output.plot.axes import RunPlot

        return RunPlot(self.document, self.arrays)

    def slowdowns(self, alone: Mapping[str, Result]) -> dict[str, float]:
        """Returns how much slower each flow is than alone: its mean response time over that in a run of its own.

        Args:
            alone: A result of each flow by itself, by the flow's name.

        Raises:
            ValueError: The flows are others, or one whose requests take no time alone.
        """
        from .stats.flows import slowdowns

        return slowdowns(self.document, {name: each.document for name, each in alone.items()})

    def fairness(self, alone: Mapping[str, Result]) -> float:
        """Returns the smallest of `slowdowns` over the largest, 0 to 1; 1 where all flows suffer alike."""
        from .stats.flows import fairness

        return fairness(self.slowdowns(alone))

    def fdp_logs(self) -> dict[str, dict[str, Any]]:
        """Returns what `nvme fdp` of nvme-cli prints as JSON: `configs`, `stats`, `status`, `usage`, `events`, by name.

        Keys and units are those of nvme-cli: bytes in `stats`, sectors of 512 bytes in `ruamw`. The numbers are of the
        drive's life: all runs since it was new. Empty where the drive has no Flexible Data Placement (`fdp.isolation`).
        """
        from .output.nvme_fdp import logs

        return logs(self.to_dict())

    def against(self, measured: str | PathLike[str] | Sequence[str | PathLike[str]]) -> Agreement:
        """Returns this run's numbers beside measured ones: those of the jobs of the same name in fio's results.

        Points without a job's name, such as a CSV with one row, are compared with the whole run.
        `wordline.against` runs the loads of the points themselves.

        Args:
            measured: Files, see `wordline.measured.read`.

        Raises:
            InputFileError: A file cannot be read.
            ValueError: The run has no flow of the name of a job.
        """
        from .measured.of_run import beside

        own_us = self.config["host.job_ns"] / 1000
        return beside(self.document, self.columns, own_us, measured)

    def lifetime(self, pec: float | None = None, years: float = 5.0, wear_unevenness: float = 1.0) -> Lifetime:
        """Returns how much the host may write to this drive, at this run's write amplification, and how long it lasts.

        A run is too short to show how unevenly blocks wear over years. So this is an argument, and the answer names it.

        Args:
            pec: P/E cycles that a block endures, as its data sheet says; None: what the preset says (`rated_pec`).
            years: Length of the warranty.
            wear_unevenness: P/E cycles of the most worn blocks over the mean of all blocks, 1 or more. 1 is even wear:
                the best that wear levelling can reach, so the result is an upper bound.

        Raises:
            ValueError: The host wrote nothing, an argument is out of its range, or nobody says `pec`.
        """
        from .stats.lifetime import lifetime_of, rating

        if pec is None:
            rated = rating(self.config).pec
            if rated is None:
                raise ValueError("no rated_pec in the preset or file of this SSD; give pec, the P/E cycles of a block")
            pec = rated.value
        return lifetime_of(self.document, self.config, pec, warranty_years=years, wear_unevenness=wear_unevenness)

    def save(self, folder: str | PathLike[str]) -> None:
        """Writes the run as `--out` does: `wordline.load` reads it, `wordline rerun` and `wordline diff` take it.

        Args:
            folder: A new folder; an earlier result there is replaced, anything else is not.

        Raises:
            OSError: It cannot be written, or something else is there.
            RecordError: It is the mean over several seeds.
        """
        # What writes results knows them, so it is found by its name when it is needed.
        import_module(".record", __package__).save(self, folder)

    def to_dict(self) -> Document:
        """Returns the JSON document. Only its `wall_*` fields vary for the same configuration, workload and seed."""
        document: Document = _copy(self.document)
        return document

    def to_arrow(self) -> pa.Table:
        """Returns one row with a flat column for every number, such as `response_us.read.p9999`."""
        return one_row(flat(self.document))

    def to_pandas(self) -> pd.DataFrame:
        """Returns the same as `to_arrow`, for pandas."""
        return extras.pd.DataFrame([flat(self.document)])

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Returns the columns of a table as numpy arrays, without any extra: `result.arrays("bins")["count"]`.

        Args:
            name: `bins`, `series`, `intervals`, `requests` or `timeline`: the method with this name has the columns.

        Raises:
            ValueError: The table does not exist, or the run did not keep it.
        """
        return arrays(self._columns_of(name))

    def bins(self) -> pa.Table:
        """Returns every latency bin that is not empty: `op` (all, read, write), `upper_ns`, `count`."""
        return table(self.columns["bins"])

    def series(self) -> pa.Table:
        """Returns throughput over time: `start_ns`, then requests, bytes and sums of latencies of reads and writes."""
        return table(self.columns["series"])

    def intervals(self) -> pa.Table:
        """Returns the run in at most 64 intervals of equal time: `start_ns`, then the activity in each.

        The columns are reads and writes with their bytes, sums of latencies, p50 and p99; bytes that the host wrote and
        that were programmed; pages programmed, for the user and in total; pages moved, blocks erased; free blocks and
        outstanding requests at its end (0 if no request completes in it). `read_over_p99` counts the reads that took
        longer than the p99 of all reads, and so on.
        """
        return table(self.columns["intervals"])

    def flow_bins(self) -> pa.Table:
        """Returns the latency bins of each of several flows: `flow`, then the columns of `bins`.

        Raises:
            ValueError: The run has one flow.
        """
        return table(self._columns_of("flow_bins"))

    def flow_intervals(self) -> pa.Table:
        """Returns the intervals of each of several flows: `flow`, then the columns of `intervals` that requests fill.

        Raises:
            ValueError: The run has one flow.
        """
        return table(self._columns_of("flow_intervals"))

    def handle_intervals(self) -> pa.Table:
        """Returns what was written for each placement handle by interval, and for data of none (`mixed`).

        The columns are `handle`, `start_ns`, then bytes that the host wrote, that were programmed, that garbage
        collection moved out of blocks of the handle, and that it moved on behalf of the handle.

        Raises:
            ValueError: The SSD has no handles (`fdp.isolation`).
        """
        return table(self._columns_of("handle_intervals"))

    def requests(self) -> pa.Table:
        """Returns one row per request, by completion: `flow`, `op`, `sector`, `sectors`, times in ns, `status`.

        `status` is how it ended, in NVMe's words: `success`; `unrecovered_read_error` if a page could not be decoded;
        `aborted_power_loss` if it was under way or in a submission queue when the SSD lost its power;
        `aborted_sq_deletion` if it was in a submission queue when the SSD was switched off.

        Raises:
            ValueError: The run did not keep them (`log_requests=True`).
        """
        return table(self._columns_of("requests"))

    def timeline(self) -> pa.Table:
        """Returns what arrays, channels and ECC engines did in the window: `track`, `index`, `name`, times in ns.

        Raises:
            ValueError: The run did not keep it (`timeline_us=(from, to)`).
        """
        return table(self._columns_of("timeline"))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        made_up = ", synthetic" if self.synthetic else ""
        number = len(self.warnings)
        warned = f", {number} warning{'' if number == 1 else 's'}: see .warnings" if number else ""
        return (
            f"<wordline.Result {self.workload['name']}{made_up}: {self.all.count:,} requests, "
            f"mean {self.mean_response_us:,.1f} us, {self.iops:,.0f} IOPS{warned}>"
        )

    def _repr_html_(self) -> str:
        from .output.notebook import of_run

        return of_run(self.document)

    def _summary(self, kind: Literal["all", "read", "write"]) -> LatencySummary:
        return LatencySummary(count=self.document["requests"][kind], **self.document["response_us"][kind])

    def _columns_of(self, name: str) -> Columns:
        if name not in self.columns:
            if name in OPTIONAL:
                raise ValueError(f"the run kept no {name}: run it with {OPTIONAL[name]}")
            raise ValueError(f"a result has no table `{name}`; it has {', '.join(self.columns)}")
        return self.columns[name]


def flat(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the document's numbers and texts by dotted name, without lists."""
    return dict(_walk("", document))


def _walk(prefix: str, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping):
            yield from _walk(f"{key}.", value)
        elif not isinstance(value, list):
            yield key, value


def _copy(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {key: _copy(each) for key, each in value.items()}
    return [_copy(each) for each in value] if isinstance(value, list) else value
