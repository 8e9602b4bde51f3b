"""`wordline run`: one SSD, one workload, one result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as opt
from . import paths, states, talk
from .errors import BadInputError
from .grouped import Options
from .paths import READS, WRITES

if TYPE_CHECKING:
    from ..config import Config
    from ..fio_jobs import FioFile
    from ..result import Result
    from ..workload import WorkloadLike
    from .results import Files


class Recorded(Options):
    """What a run keeps beside its result."""

    replace_iologs: Annotated[
        bool, typer.Option("--replace-iologs", help="With a job's write_iolog: replace the file that is there.")
    ] = False

    fio_json: Annotated[
        Path | None,
        typer.Option("--fio-json", metavar="FILE", help="With JOB.fio: write the result as fio itself would (JSON)."),
        WRITES,
    ] = None
    check: Annotated[bool, typer.Option("--check", help="Check every read against a second account of all writes.")] = (
        False
    )
    parquet: Annotated[bool, typer.Option("--parquet", help="With --out: a row for each request.")] = False
    timeline: Annotated[
        str | None,
        typer.Option(
            "--timeline",
            metavar="FROM_US:TO_US",
            help="With --out: a timeline of requests, dies, channels and ECC, for ui.perfetto.dev.",
        ),
    ] = None
    notes: Annotated[
        bool,
        typer.Option(
            "--notes", help="With --mqsim: say of each key of MQSim without a meaning here why, with its line."
        ),
    ] = False
    alone: Annotated[
        bool,
        typer.Option(
            "--alone",
            help="Also run each of several flows by itself, and say how much slower it is beside the others.",
        ),
    ] = False
    plot: Annotated[
        bool,
        typer.Option("--plot", help="With --out: response times and throughput as SVG, PNG and PDF."),
    ] = False


def run(
    *,
    ssd: opt.SSD = None,
    job: opt.Job = None,
    source: opt.Source,
    sets: opt.Sets = None,
    drive: opt.Drive,
    load: opt.Load = None,
    repeats: opt.Repeats,
    targets: opt.Targets,
    recorded: Recorded,
    mqsim: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--mqsim", metavar="SSDCONFIG.xml WORKLOAD.xml", help="Run a pair of MQSim's files."),
        READS,
    ] = None,
    state_files: states.Options,
    replay: opt.Replay,
) -> None:
    """Simulate an SSD under a workload and print what it did.

    Without --trace and --workload the workload of the configuration is run.
    """
    from .assignment import grid
    from .results import Files, check_report
    from .source import configuration

    window = parse_window(recorded.timeline)
    if recorded.fio_json is not None:
        check_fio_json(job, repeats)
    state = states.States.of(state_files)
    files = Files(recorded.parquet, window is not None, recorded.plot)
    check_out(targets.out, files)
    check_report(targets.report)
    if mqsim is not None:
        refuse_beside_mqsim(ssd, source, drive, load, recorded.alone, repeats, targets)
        reading = replay.of_named("an MQSim pair says which traces it replays", "write it in WORKLOAD.xml")
        state.refuse("an MQSim pair may be several")
        from .mqsim_pair import run_pair

        run_pair(
            mqsim,
            [*drive.settings(), *(sets or [])],
            reading,
            targets.out,
            targets.json,
            recorded.check,
            window,
            files,
            notes=recorded.notes,
        )
        return
    if recorded.notes:
        raise BadInputError("--notes is about the keys of MQSim's files", "name a pair with --mqsim, or leave it out")
    if ssd is None:
        raise BadInputError("there is no SSD to run", "name a preset of `wordline presets`, or a configuration file")
    if lists := grid(sets or [])[1]:
        key, values = next(iter(lists.items()))
        raise BadInputError(
            f"--set {key}: {len(values)} values for one run", "`wordline compare` takes the same options and runs each"
        )
    config = configuration(ssd, [*drive.settings(), *(sets or [])])
    is_one_run = repeats.seeds == 1 and not repeats.until
    requests = requests_of(ssd, config, job, source, replay, is_one_run=is_one_run)
    if load is not None:
        config = at_load(load, config, requests, repeats, state)
    alone = each_alone(config, requests, repeats, state, recorded.check) if recorded.alone else {}

    def finishing(result: Result) -> None:
        with written(result, ssd, targets, files, alone):
            if recorded.fio_json is not None and job is not None and not result.document.get("partial"):
                write_fio_json(recorded.fio_json, result, job, replay)

    result = simulated(
        config, requests, repeats, recorded.check, window, files, state, finishing, recorded.replace_iologs
    )
    if result.document.get("partial"):
        state.say_stopped()
        raise KeyboardInterrupt


def check_fio_json(job: Path | None, repeats: opt.Repeats) -> None:
    """Checks that a result of fio can be written.

    Raises:
        BadInputError: There is no job, or several runs.
    """
    if job is None or job.suffix == ".toml":
        raise BadInputError("--fio-json writes the result of fio's jobs", "name a job file: wordline run SSD JOB.fio")
    if repeats.seeds > 1 or repeats.until:
        raise BadInputError("--fio-json is about one run", "leave out --seeds and --until")


def write_fio_json(file: Path, result: Result, job: Path, replay: opt.Replay) -> None:
    """Writes a run of a job file in the form of fio's own result."""
    import json

    from ..fio_jobs import fio
    from ..fio_jobs.reported import reported
    from ..output.atomic import file as whole
    from ..output.fio_json import Job, document_of

    reading = replay.of_named(f"{job} says which logs it replays", "leave it out")
    jobs = [
        Job(each.name, each.group, each.options, each.flows) for each in reported(fio(job, **reading), result.config)
    ]
    document = document_of(result.document, result.columns, jobs, result.config["host.job_ns"])
    # fio's order, which readers may count on.
    text = json.dumps(document, indent=2, allow_nan=False) + "\n"
    whole(file, lambda work: work.write_text(text, encoding="utf-8", newline="\n"))
    talk.note(f"result as of fio in {file}")


def refuse_beside_mqsim(
    ssd: str | None,
    source: opt.Source,
    drive: opt.Drive,
    load: str | None,
    alone: bool,
    repeats: opt.Repeats,
    targets: opt.Targets,
) -> None:
    """Rejects what a pair of MQSim's files says itself.

    Raises:
        BadInputError: One of the options is given.
    """
    if load is not None:
        raise BadInputError("--load: an MQSim pair brings its own times", "leave it out")
    if alone:
        raise BadInputError("--alone: an MQSim pair is run as it is", "leave it out, or name the flows in a .toml file")
    if ssd is not None or source.changed():
        fix = "leave out the preset, --trace and --workload"
        raise BadInputError("--mqsim brings its own SSD and workload", fix)
    if targets.report is not None:
        raise BadInputError("--report shows one run, an MQSim pair may be several", "use --out instead")
    given = {
        "--seed": drive.seed is not None,
        "--requests": repeats.requests is not None,
        "--seeds": repeats.seeds > 1,
        "--until": bool(repeats.until),
    }
    if option := next((name for name, is_given in given.items() if is_given), None):
        raise BadInputError(
            f"{option}: an MQSim pair brings its own seeds and numbers of requests",
            "leave it out; `Seed` and `Total_Requests_To_Generate` in WORKLOAD.xml say them",
        )


def at_load(load: str, config: Config, requests: WorkloadLike, repeats: opt.Repeats, state: states.States) -> Config:
    """Measures what the drive serves at most, says it, and returns the configuration with a share of it as load.

    Raises:
        BadInputError: There are several shares, or the run begins with the drive of a saved state.
        WorkloadError: The requests have times of their own.
    """
    from ..api import offered_load
    from .progress import of_run

    if "," in load:
        raise BadInputError(f"--load {load}: several loads for one run", "`wordline compare` takes the same option")
    if state.load is not None:
        raise BadInputError(
            "--load measures a drive that begins anew, and --load-state brings another", "leave one of them out"
        )
    with of_run() as progress:
        offered = offered_load(config, requests, load, requests=repeats.requests, progress=progress)
    talk.note(str(offered))
    return offered.on(config)


def each_alone(
    config: Config, requests: WorkloadLike, repeats: opt.Repeats, state: states.States, check: bool
) -> dict[str, Result]:
    """Runs each of several flows by itself.

    Raises:
        BadInputError: There are several runs, or the run begins with the drive of a saved state.
        WorkloadError: There is one flow.
    """
    from ..sweeps import alone
    from .progress import of_points

    for option, is_given in (
        ("--seeds", repeats.seeds > 1),
        ("--until", bool(repeats.until)),
        ("--load-state", state.load is not None),
    ):
        if is_given:
            raise BadInputError(f"--alone does not go with {option}", "leave one of them out")
    with of_points("each flow alone") as progress:
        return alone(config, requests, requests=repeats.requests, jobs=repeats.jobs, check=check, progress=progress)


def requests_of(
    ssd: str | None, config: Config, job: Path | None, source: opt.Source, replay: opt.Replay, *, is_one_run: bool
) -> WorkloadLike:
    """Returns the requests: those of a file of fio jobs or flows, a trace, named workloads, or the configuration's.

    Raises:
        BadInputError: Two of them are given.
    """
    from ..fio_jobs import FioFile
    from .source import fio_file, flow_file, workload

    if job is None:
        made = workload(ssd, source, replay)
    elif source.changed():
        raise BadInputError(f"{job} brings its own workload", "leave out --trace, --workload and --flow")
    else:
        made = flow_file(str(job)) if job.suffix == ".toml" else fio_file(str(job), replay)
    if isinstance(made, FioFile):
        note_fio(made, config, is_one_run=is_one_run)
    return made


def simulated(
    config: Config,
    requests: WorkloadLike,
    repeats: opt.Repeats,
    check: bool,
    window: tuple[float, float] | None,
    files: Files,
    state: states.States,
    finishing: Callable[[Result], None],
    replace_iologs: bool = False,
) -> Result:
    """Runs once, several seeds, or until the goals are met; gives the result to `finishing`."""
    from .one_run import approach, replicate, simulate

    if repeats.until or repeats.seeds > 1:
        state.refuse("--until may make several" if repeats.until else f"--seeds makes {repeats.seeds}")
        result = (approach if repeats.until else replicate)(config, requests, repeats, check, files)
        finishing(result)
        return result
    return simulate(
        config,
        requests,
        check,
        window,
        files,
        state,
        count=repeats.requests,
        keep_partial=True,
        replace_iologs=replace_iologs,
        finishing=finishing,
    )


@contextmanager
def written(
    result: Result, ssd: str, targets: opt.Targets, files: Files, alone: Mapping[str, Result]
) -> Iterator[None]:
    """Saves the result, then lets the block write more of it, and prints it, whatever could be written.

    `alone` has the results of its flows by themselves, if somebody wants to know.
    """
    from ..output.workplace import undisturbed
    from .one_run import of_alone, save, show_result
    from .results import write_report

    is_partial = bool(result.document.get("partial"))
    with undisturbed():
        try:
            # A partial run does not replace an earlier result.
            if targets.out is not None and not (is_partial and targets.out.exists()):
                save(targets.out, result, files, ssd, alone)
            if targets.report is not None:
                from ..report import Entry

                title = f"{Path(ssd).name} under {result.workload['name']}"
                write_report(targets.report, title, [Entry(result)], sections=of_alone(result, alone))
            yield
        finally:
            # Even if it cannot be written, the result of a long run is at least printed.
            show_result(result, targets.json, ssd, alone)


def note_fio(jobs: FioFile, config: Config, *, is_one_run: bool) -> None:
    """Prints options of a fio job file without a meaning here, and which logs a run writes; declares what it reads."""
    for warning in jobs.warnings(config):
        talk.warning(warning)
    paths.reads_traces(jobs.flows(config), Path(jobs.path).name)
    for log in jobs.logs(config):
        if is_one_run:
            paths.declare("write_iolog", log, WRITES)
            talk.note(f"what the run submits goes to {log}")
        else:
            talk.warning(f"{log}: of several runs no log is written")


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
    """
    from ..extras import need

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
