"""`wordline run`: one SSD, one workload, one result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as opt
from . import states, talk
from .errors import BadInputError

if TYPE_CHECKING:
    from ..config import Config
    from ..workload import Flow, WorkloadLike
    from .results import Files

RESULT = "Result"


def run(
    ssd: opt.SSD = None,
    job: Annotated[Path | None, typer.Argument(metavar="[JOB.fio]", help="A fio job file.", show_default=False)] = None,
    trace: opt.TraceFile = None,
    workload: opt.Workload = None,
    sets: opt.Sets = None,
    seed: opt.Seed = None,
    seeds: opt.Seeds = 1,
    until: opt.Until = None,
    until_limit: opt.UntilLimit = 64,
    jobs: opt.Jobs = None,
    out: opt.Out = None,
    report: opt.Report = None,
    json: opt.Json = False,
    check: Annotated[
        bool, typer.Option("--check", help="Check every read against a second account of all writes.")
    ] = False,
    parquet: Annotated[
        bool, typer.Option("--parquet", help="With --out: a row for each request.", rich_help_panel=RESULT)
    ] = False,
    timeline: Annotated[
        str | None,
        typer.Option(
            "--timeline",
            metavar="FROM_US:TO_US",
            help="With --out: a timeline of requests, dies, channels and ECC, for ui.perfetto.dev.",
            rich_help_panel=RESULT,
        ),
    ] = None,
    plot: Annotated[
        bool,
        typer.Option(
            "--plot", help="With --out: response times and throughput as SVG, PNG and PDF.", rich_help_panel=RESULT
        ),
    ] = False,
    mqsim: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--mqsim", metavar="SSDCONFIG.xml WORKLOAD.xml", help="Run a pair of MQSim's files."),
    ] = None,
    load_state: states.Load = None,
    save_state: states.Save = None,
    save_every: states.SaveEvery = None,
    format: opt.Format = None,  # noqa: A002 - the option's name
    csv_columns: opt.CsvColumns = None,
    device: opt.Device = None,
    skip: opt.Skip = 0,
    limit: opt.Limit = None,
    on_time_back: opt.TimeBack = None,
    on_zero_length: opt.ZeroLength = None,
    wrap: opt.Wrap = False,
) -> None:
    """Simulate an SSD under a workload and print what it did.

    Without --trace and --workload the workload of the configuration is run.
    """
    from .assignment import grid
    from .one_run import approach, replicate, save, show_result, simulate
    from .results import Files, check_report, write_report
    from .source import TraceArguments, configuration
    from .source import workload as chosen_workload

    window = parse_window(timeline)
    state = states.States.of(load_state, save_state, save_every)
    files = Files(parquet, window is not None, plot)
    check_out(out, files)
    check_report(report)
    arguments = TraceArguments(format, csv_columns, device, skip, limit, on_time_back, on_zero_length, wrap)
    if mqsim is not None:
        if ssd is not None or trace is not None or workload is not None or arguments.keywords():
            raise BadInputError(
                "--mqsim brings its own SSD and workload", "leave out the preset and the options of a trace"
            )
        if report is not None:
            raise BadInputError("--report shows one run, an MQSim pair may be several", "use --out instead")
        state.refuse("an MQSim pair may be several")
        if seed is not None or seeds > 1 or until:
            option = "--seed" if seed is not None else "--seeds" if seeds > 1 else "--until"
            raise BadInputError(
                f"{option}: an MQSim pair brings its own seeds and numbers of requests",
                "leave it out; `Seed` and `Total_Requests_To_Generate` in WORKLOAD.xml say them",
            )
        from .mqsim_pair import run_pair

        run_pair(mqsim, sets or [], out, json, check, window, files)
        return
    if ssd is None:
        raise BadInputError("there is no SSD to run", "name a preset of `wordline presets`, or a configuration file")
    if lists := grid(sets or [])[1]:
        key, values = next(iter(lists.items()))
        raise BadInputError(
            f"--set {key}: {len(values)} values for one run", "`wordline compare` takes the same options and runs each"
        )
    config = configuration(ssd, [*(sets or []), *([] if seed is None else [f"seed={seed}"])])
    if job is not None:
        if trace is not None or workload is not None or arguments.keywords():
            raise BadInputError(f"{job} brings its own workload", "leave out --trace, its options, and --workload")
        source: WorkloadLike = fio_flows(config, job)
    else:
        source = chosen_workload(ssd, trace, workload, arguments)
    if until:
        state.refuse("--until may make several")
        result = approach(config, source, until, until_limit, seeds, jobs, check, files)
    elif seeds > 1:
        state.refuse(f"--seeds makes {seeds}")
        result = replicate(config, source, seeds, jobs, check, files)
    else:
        result = simulate(config, source, check, window, files, state, keep_partial=True)
    is_partial = bool(result.document.get("partial"))
    try:
        # A partial run does not replace an earlier result.
        if out is not None and not (is_partial and out.exists()):
            save(out, result, files, ssd)
        if report is not None:
            from ..report import Entry

            write_report(report, f"{Path(ssd).name} under {result.workload['name']}", [Entry(result)])
    finally:
        # Even if it cannot be written, the result of a long run is at least printed.
        show_result(result, json, ssd)
    if is_partial:
        state.say_stopped()
        raise KeyboardInterrupt


def fio_flows(config: Config, job: Path) -> list[Flow]:
    """Returns the flows of a fio job file; prints options without a meaning here, and writes logs of requests."""
    from ..fio_jobs import fio

    jobs = fio(job)
    for warning in jobs.warnings(config):
        talk.warning(warning)
    for written in jobs.write_iologs(config):
        talk.note(f"requests written to {written}")
    return jobs.flows(config)


def parse_window(text: str | None) -> tuple[float, float] | None:
    """Parses the window of a timeline, us.

    Raises:
        BadInputError: It is not two times, the first one smaller.
    """
    if text is None:
        return None
    start, colon, end = text.partition(":")
    try:
        window = (float(start), float(end))
    except ValueError:
        window = (0.0, 0.0)
    if not colon or not 0 <= window[0] < window[1] < float("inf"):
        raise BadInputError(
            f"--timeline {text}: not a window", "write FROM_US:TO_US, for example 0:5000 for the first 5 ms"
        )
    return window


def check_out(out: Path | None, files: Files) -> None:
    """Checks before a long run whether its result can be written.

    Raises:
        BadInputError: Files of a folder are requested without a folder.
        MissingExtraError: A package that writes one of the files is not installed.
        OSError: The folder cannot be written.
    """
    from ..extras import need
    from ..output.atomic import check_folder

    if files.parquet:
        need("--parquet", "tables")
    if files.plot:
        need("--plot", "plot")
    if out is None:
        for option, wanted in files._asdict().items():
            if wanted:
                raise BadInputError(
                    f"--{option} writes a file into the result's folder", "name the folder with --out DIR"
                )
        return
    check_folder(out)
