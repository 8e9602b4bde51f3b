"""`wordline serve`: a simulated SSD as a block device for real programs."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as opt
from . import talk
from .errors import BadInputError
from .grouped import Options
from .paths import WRITES, Declared, Use
from .signals import terminated_as_interrupted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..config import Config
    from ..result import Result
    from ..serving import Status

LOOPBACK = ("127.", "[::1]:", "localhost:")
STATUS_WIDTH = 118
# A store has the state of its SSD beside it, and so may a record.
WITH_STATE = Declared(Use.WRITE, beside=lambda file: [file.with_name(f"{file.name}.state")])


class Endpoint(Options):
    """Where clients connect."""

    socket: Annotated[
        Path | None,
        typer.Option("--socket", metavar="PATH", help="Listen at this Unix socket; by default ./wordline.sock."),
        WRITES,
    ] = None
    listen: Annotated[
        str | None, typer.Option("--listen", metavar="ADDRESS:PORT", help="Listen at this TCP address instead.")
    ] = None
    remote: Annotated[
        bool, typer.Option("--remote", help="With --listen: let other machines connect; NBD has no passwords.")
    ] = False
    clients: Annotated[int, typer.Option("--clients", min=1, max=1024, metavar="N", help="Clients at a time.")] = 16
    once: Annotated[bool, typer.Option("--once", help="End when the last client has left.")] = False


class Session(Options):
    """How the session goes, and what it keeps."""

    slow_down: Annotated[
        str,
        typer.Option(
            "--slow-down",
            metavar="X",
            help="Wall seconds per simulated second; 0: as fast as possible; auto: the fastest that is on time.",
        ),
    ] = "1"
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Write the session as a trace; a replay gives the same bytes."),
        WITH_STATE,
    ] = None
    store: Annotated[
        Path | None,
        typer.Option("--store", metavar="FILE", help="Keep the data in this file for the next session."),
        WITH_STATE,
    ] = None
    sync: Annotated[
        str,
        typer.Option(
            "--sync",
            metavar="flush|end",
            help="With --store: sync the file at each flush and FUA write, or at the end only.",
        ),
    ] = "flush"
    watch: Annotated[
        bool, typer.Option("--watch", help="Show progress on stderr, even if stderr is not a terminal.")
    ] = False
    power_cut_after: Annotated[
        float | None,
        typer.Option("--power-cut-after", min=1e-6, metavar="T", help="Cut the power after T simulated seconds."),
    ] = None
    uncorrectable: Annotated[
        str,
        typer.Option(
            "--uncorrectable", metavar="eio|ignore", help="The result of reading a page that cannot be decoded."
        ),
    ] = "ignore"
    check: Annotated[bool, typer.Option("--check", help="Check every read against a second account of all writes.")] = (
        False
    )


def serve(
    *,
    ssd: opt.SSD = None,
    sets: opt.Sets = None,
    drive: opt.Drive,
    endpoint: Endpoint,
    session: Session,
    out: opt.Out = None,
    json: opt.Json = False,
) -> None:
    """Serve an SSD as a block device over NBD, for fio, file systems and databases.

    Ctrl-C ends it; then it prints the results, as `wordline run` does.
    """
    from ..errors import ServeError
    from ..serving import serve as serve_ssd
    from .one_run import show_result
    from .results import Files
    from .run import check_out
    from .source import configuration

    if ssd is None:
        raise BadInputError("there is no SSD to serve", "name a preset of `wordline presets`, or a configuration file")
    if endpoint.socket is not None and endpoint.listen is not None:
        raise BadInputError("--socket and --listen exclude each other", "leave one of them out")
    check_listen(endpoint.listen, endpoint.remote)
    if session.uncorrectable not in {"eio", "ignore"}:
        raise BadInputError(f"--uncorrectable {session.uncorrectable}: not known", "write eio or ignore")
    if session.sync not in {"flush", "end"}:
        raise BadInputError(f"--sync {session.sync}: not known", "write flush or end")
    if session.sync == "end" and session.store is None:
        raise BadInputError("--sync end: there is no file to sync", "add --store FILE, or leave it out")
    check_out(out, Files())
    # What clients will write is not known.
    aged = drive.settings(shape="random")
    config = configuration(ssd, [*aged, *(sets or []), *cut_settings(session.power_cut_after)])
    for warning in without_handles(config):
        talk.warning(warning)
    with terminated_as_interrupted(), status_line(config, session.watch, json) as status:
        result = serve_ssd(
            config,
            socket=endpoint.socket,
            listen=endpoint.listen,
            slow_down=parse_slow_down(session.slow_down),
            record=session.record,
            store=session.store,
            sync="end" if session.sync == "end" else "flush",
            once=endpoint.once,
            clients_max=endpoint.clients,
            fails_uncorrectable=session.uncorrectable == "eio",
            check=session.check,
            ready=ready,
            status=status,
            progress=None if json else sys.stderr.isatty(),
        )
    ended = result.to_dict()["wall_session"]
    recorded = session.record if ended["record_failure"] is None else None
    try:
        if out is not None:
            save(out, result, recorded)
    finally:
        show_result(result, json, ssd)
        if not json:
            show_session(result)
    failures = {session.store: ended["store_failure"], session.record: ended["record_failure"]}
    said = [f"{path}: {failure}" for path, failure in failures.items() if failure is not None]
    if said:
        raise ServeError(f"{'; '.join(said)}; the results are whole, what is named here is not")


def without_handles(config: Config) -> list[str]:
    """Returns a warning where an SSD has placement handles, which NBD cannot name."""
    has_handles = config["fdp.isolation"] != "off" or config["ftl.placement"] == "handle"
    return ["NBD has no placement handles: all that clients write goes to the first one"] if has_handles else []


def ready(uri: str) -> None:
    """Says where clients connect."""
    talk.note(f"listening at {uri} (Ctrl-C ends)")


def check_listen(listen: str | None, remote: bool) -> None:
    """Lets only this machine connect, unless told otherwise.

    Raises:
        BadInputError: The address can be reached from other machines.
    """
    if listen is not None and not remote and not listen.startswith(LOOPBACK):
        raise BadInputError(
            f"--listen {listen}: other machines could read and write the device",
            "listen at 127.0.0.1:10809, or allow it with --remote",
        )


def parse_slow_down(text: str) -> float | None:
    """The slow-down; None for `auto`.

    Raises:
        BadInputError: It is neither a number from 0 on nor `auto`.
    """
    if text == "auto":
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise BadInputError(f"--slow-down {text}: not a slow-down", "write a number from 0 on, or auto")
    return number


def cut_settings(after_s: float | None) -> list[str]:
    """What `--power-cut-after` sets: the power is back at once."""
    return [] if after_s is None else [f"power.cut_at_s={after_s!r}", "power.off_h=0.0"]


@contextmanager
def status_line(config: Config, watch: bool, json: bool) -> Iterator[Callable[[Status], bool]]:
    """What is done with each status: a line on the terminal that changes, a line a second where that was asked for."""
    is_terminal = sys.stderr.isatty() and not json
    blocks = config["ssd.channels"] * config["ssd.chips_per_channel"] * config["ssd.dies_per_chip"]
    blocks *= config["ssd.planes_per_die"] * config.simulated("ssd.blocks_per_plane")
    heard = 0

    def show(status: Status) -> bool:
        nonlocal heard
        heard += 1
        if is_terminal:
            sys.stderr.write("\r" + line(status, blocks)[:STATUS_WIDTH].ljust(STATUS_WIDTH))
            sys.stderr.flush()
        elif watch and heard % 10 == 0:
            talk.note(line(status, blocks))
        return True

    try:
        yield show
    finally:
        if is_terminal:
            sys.stderr.write("\r" + " " * STATUS_WIDTH + "\r")


def line(status: Status, blocks: int) -> str:
    """How it goes, in one line."""
    late = "virtual time" if status.slow_down == 0 else f"late {status.late_share:.1%} at {status.slow_down:.3g}x"
    return (
        f"{status.simulated_s:.3f} s simulated, {status.iops:,.0f} IOPS ({status.wall_iops:,.0f} on the wall), "
        f"p99 {status.p99_us:,.0f} us, queue {status.queue}, GC {status.gc_jobs:,}, "
        f"WA {status.write_amplification:.2f}, wear {status.erases / blocks:.2f}, {late}, {status.clients} clients"
    )


def save(out: Path, result: Result, record: Path | None) -> None:
    """Writes the result's folder; with a record of the session the folder can be repeated by `wordline rerun`."""
    from ..output.result_folder import folder
    from ..report import Entry
    from .results import REPORT, Files, write_record, write_report, write_run

    with folder(out) as work:
        write_run(work, result, Files())
        if record is not None:
            write_record(work, "run", [({}, result)])
        write_report(work / REPORT, str(result.workload["name"]), [Entry(result)])
    talk.note(f"result in {out}")


def show_session(result: Result) -> None:
    """Says how well this machine kept up."""
    session = result.to_dict()["wall_session"]
    lateness = session["lateness"]
    if session["power_was_cut"]:
        talk.note(f"the power was cut; {session['unanswered']:,} requests got no answer")
    if lateness is None:
        talk.note(f"{session['requests']:,} requests of {session['clients']} clients, in virtual time")
        return
    talk.note(
        f"{session['requests']:,} requests of {session['clients']} clients at slow-down {session['slow_down']:.4g}; "
        f"answers left late by {lateness['p50_us']:.0f} us at p50, {lateness['p99_us']:.0f} us at p99, "
        f"{lateness['p999_us']:.0f} us at p99.9: {lateness['share_of_response']:.1%} of the mean response"
    )
