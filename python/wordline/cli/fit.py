"""`wordline fit`: a drive from measurements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ..progress import bar
from . import complete, talk
from . import options as opt
from .cluster import Dask, cluster
from .errors import BadInputError
from .grouped import Options
from .paths import KEEPS, READS, Declared, Use
from .source import configuration

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ..agreement.memo import Memo
    from ..config import Config
    from ..fit import Fit
    from ..fit.search import Say
    from ..measured import Point
    from ..progress import Show

HOST_END = ".host.toml"
MEMO = "fit.jsonl"
WITH_HOST = Declared(Use.WRITE, beside=lambda path: [host_path(path)])


class Measured(Options):
    """What was measured, and which part of it is used."""

    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="COLUMN=PATTERN", help='Use these points alone, "drive=wd-*". Repeatable.'),
    ] = None
    history: opt.History = None
    requests: Annotated[
        int, typer.Option("--requests", min=500, metavar="N", help="Requests that count of each load.")
    ] = 2500


class Searched(Options):
    """What is searched."""

    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            metavar="PRESET|CONFIG.toml",
            help="All that is not searched: a drive of the same kind; without it, the preset nearest to the points.",
            autocompletion=complete.ssds,
            show_default=False,
        ),
        READS,
    ] = None
    host: opt.Host = None
    free: Annotated[
        list[str] | None,
        typer.Option("--free", metavar="NAME", help="Search these alone: host, drive, or a parameter. Repeatable."),
    ] = None
    dies: Annotated[
        str | None, typer.Option("--dies", metavar="N,N", help="Numbers of dies to try; half, as many and twice.")
    ] = None
    intervals: Annotated[
        bool, typer.Option("--intervals/--no-intervals", help="Also find how well each parameter is known.")
    ] = True


def fit(
    *,
    measured: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MEASURED…", help="Results of fio (JSON), tables (CSV), or data sheets (TOML).", show_default=False
        ),
        READS,
    ] = None,
    points: Measured,
    searched: Searched,
    sets: opt.Sets = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="DRIVE.toml", help="Write the drive here, and its host as DRIVE.host.toml."
        ),
        WITH_HOST,
    ] = None,
    jobs: opt.Jobs = None,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="DIR", help="Keep simulations here: a fit that was stopped goes on."),
        KEEPS,
    ] = None,
    dask: Dask = None,
    plot: opt.Figure = None,
    json: opt.Json = False,
    job: Annotated[
        bool, typer.Option("--job", help="Print the fio job that measures a drive in 20 minutes, with its commands.")
    ] = False,
) -> None:
    """Fit a drive to measurements: search the times and rates that give its IOPS and latencies.

    It prints each parameter with its interval (95 %), what no point bounds, and the error on points that the fit did
    not see. docs/how-to/fit.md goes from the measurement to a preset.
    """
    if job:
        give_job(measured, out)
        return
    from ..extras import need

    need("wordline fit", "fit")
    if not measured:
        raise BadInputError(
            "there is nothing to fit to", "name results of fio; `wordline fit --job` prints a job for it"
        )
    from ..measured import read
    from .hosts import settings as host_settings

    check(searched)
    settings = [*host_settings(searched.host), *(sets or [])]
    named = None if searched.base is None else configuration(searched.base, settings)
    reading = read(measured, points.only or ())
    for line in reading.left_out:
        talk.note(line)
    note_hosts(reading.points)
    with cluster(dask) as executor:
        machine = machine_of(points, jobs, cache, executor)
        base = searched.base
        if named is None or base is None:
            base, named = nearest(reading.points, settings, searched, machine)
        done = searched_for(named, reading.points, searched, machine)
    if (problem := machine.memo.unkept) is not None:
        talk.warning(f"simulations are not kept for another time: {problem.filename}: {problem.strerror}")
    try:
        write(done, base, settings, measured, out)
        if plot is not None:
            from ..output.plot.agreement import draw

            draw(plot, done.unseen)
    finally:
        present(done, base, json)


def check(searched: Searched) -> None:
    """Checks names of parameters and numbers of dies before anything is simulated."""
    from ..fit.model import check_free

    check_free(searched.free or [])
    dies_of(searched.dies)


def note_hosts(points: list[Point]) -> None:
    """Says that one host is searched for points of several."""
    from ..measured.labels import labels_of

    hosts = labels_of(points, "host")
    if len(hosts) > 1:
        listed = "; ".join(hosts)
        talk.note(
            f"the points are of {len(hosts)} hosts ({listed}): one is searched for all; --only host=PATTERN takes one"
        )


def give_job(measured: list[str] | None, out: Path | None) -> None:
    """Prints the job, or writes it.

    Raises:
        BadInputError: There are measurements, too.
    """
    from ..fit.job import JOB
    from ..output.atomic import file

    if measured:
        raise BadInputError("--job prints a job for fio", "leave out the measurements")
    if out is None:
        talk.data(JOB)
        return
    file(out, lambda work: work.write_text(JOB, encoding="utf-8", newline="\n"))
    talk.note(f"job in {out}")


class Machine(NamedTuple):
    """How simulations are made: how many requests, after what, how many at a time, where they are kept and run."""

    requests: int
    history: list[str]
    jobs: int
    memo: Memo
    executor: Executor | None


def machine_of(points: Measured, jobs: int | None, cache: Path | None, executor: Executor | None) -> Machine:
    """Returns how simulations are made, with those that were kept."""
    from os import cpu_count

    from ..agreement.memo import Memo
    from ..storage import named
    from ..sweeps import default_folder

    folder = cache or default_folder()
    with named(folder):
        folder.mkdir(parents=True, exist_ok=True)
    history = opt.kinds_of(points.history)
    return Machine(points.requests, history, jobs or cpu_count() or 1, Memo(folder / MEMO), executor)


def nearest(points: list[Point], settings: list[str], searched: Searched, machine: Machine) -> tuple[str, Config]:
    """Returns the preset that is nearest to the points, and says which others were near."""
    from ..agreement import History, Length, Simulator
    from ..fit.base import bases_by_cost
    from ..measured.labels import check_one_drive

    check_one_drive(points)
    requests, history, jobs, memo, executor = machine
    simulator = Simulator(Length(requests), jobs, memo, executor, History.of(history))
    with kept(), bar() as show:
        bases = bases_by_cost(
            lambda name: configuration(name, settings), points, simulator, free_of(searched), shown(show)
        )
    first, *others = bases
    listed = ", ".join(f"{each.name} {each.cost:.0f}" for each in others[:2])
    talk.note(
        f"base: {first.name}, the preset nearest to the points (cost {first.cost:.0f}; next: {listed}); "
        "--base takes another one"
    )
    return first.name, first.config


def searched_for(config: Config, points: list[Point], searched: Searched, machine: Machine) -> Fit:
    """Runs the search under a progress bar."""
    from ..fit import fit as fitted

    with kept(), bar() as show:
        return fitted(
            config,
            points,
            free=free_of(searched),
            dies=dies_of(searched.dies),
            history=machine.history,
            requests=machine.requests,
            jobs=machine.jobs,
            memo=machine.memo,
            executor=machine.executor,
            say=shown(show),
            with_intervals=searched.intervals,
        )


def free_of(searched: Searched) -> list[str]:
    """Returns what is searched: a host that is named is known."""
    return searched.free or (["drive"] if searched.host is not None else [])


def shown(show: Show | None) -> Say | None:
    """Returns what a search tells a progress bar."""
    return None if show is None else lambda what, runs: show(what, None, f"{runs:,} simulations")


@contextmanager
def kept() -> Iterator[None]:
    """Says after Ctrl-C that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        talk.warning("the simulations so far are kept; the same command goes on from here")
        raise


def dies_of(text: str | None) -> list[int]:
    """Returns the numbers of dies of an option.

    Raises:
        BadInputError: They are no numbers.
    """
    try:
        dies = [int(each) for each in text.split(",")] if text else []
    except ValueError:
        dies = [0]
    if any(not 1 <= each <= 1024 for each in dies):
        raise BadInputError(f"--dies {text}: these are no numbers of dies", "write them as 16,32,64")
    return dies


def host_path(path: Path) -> Path:
    """Returns where the host of a drive is written."""
    return path.with_name(path.name.removesuffix(".toml") + HOST_END)


def write(done: Fit, base: str, sets: list[str], measured: list[str], out: Path | None) -> None:
    """Writes drive and host."""
    if out is None:
        return
    from ..fit.written import drive_toml, host_toml
    from ..output.atomic import files

    sources = [Path(each).name for each in measured]
    drive = drive_toml(done, base, sets, sources)
    host = host_toml(done, sources)
    files(
        (out, lambda work: work.write_text(drive, encoding="utf-8", newline="\n")),
        (host_path(out), lambda work: work.write_text(host, encoding="utf-8", newline="\n")),
    )
    talk.note(f"drive in {out}, its host in {host_path(out)}")


def present(done: Fit, base: str, as_json: bool) -> None:
    """Prints the fit."""
    document = {"base": base, **done.to_dict()}
    if as_json:
        from ..output.json_document import text

        talk.data(text(document))
        return
    from ..fit.written import error_lines
    from ..output.fit_table import show

    talk.show(lambda console: show(document, error_lines(done), console))
