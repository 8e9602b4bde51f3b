"""The options of `wordline run` for states: files from which a run can continue."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from . import grouped, talk
from .errors import BadInputError
from .paths import READS, Declared, Use

if TYPE_CHECKING:
    from ..state import Loaded

UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0}


class Options(grouped.Options):
    """The options as they are written."""

    load_state: Annotated[
        Path | None,
        typer.Option(
            "--load-state",
            metavar="FILE",
            help="Continue from a state: the run that was stopped, or a new run on the SSD of a run that ended.",
        ),
        READS,
    ] = None
    go_on: Annotated[
        bool,
        typer.Option(
            "--go-on",
            help="With --load-state: also on the SSD of a run that ended with the same configuration and options.",
        ),
    ] = False
    save_state: Annotated[
        Path | None,
        typer.Option(
            "--save-state", metavar="FILE", help="Save the state at the end, and when Ctrl-C or SIGTERM stops the run."
        ),
        Declared(Use.WRITE, over="--load-state"),
    ] = None
    save_every: Annotated[
        str | None,
        typer.Option(
            "--save-every",
            metavar="TIME",
            help="With --save-state: also save at this interval of wall time: 60s, 10m or 1h.",
        ),
    ] = None


class States(NamedTuple):
    """The states that a run loads and saves."""

    load: Path | None = None
    save: Path | None = None
    every_s: float | None = None
    go_on: bool = False

    @staticmethod
    def of(options: Options) -> States:
        """Checks the options and returns them.

        Raises:
            BadInputError: A time is invalid, or an option is given without the file that it is about.
        """
        if options.go_on and options.load_state is None:
            raise BadInputError("--go-on needs a state", "name it with --load-state FILE")
        every = options.save_every
        if every is not None and options.save_state is None:
            raise BadInputError("--save-every needs a file", "name it with --save-state FILE")
        every_s = None if every is None else parse_time(every)
        return States(options.load_state, options.save_state, every_s, options.go_on)

    def refuse(self, why: str) -> None:
        """Rejects the options for several runs.

        Raises:
            BadInputError: One of them is given.
        """
        if self.load is not None or self.save is not None:
            option = "--save-state" if self.load is None else "--load-state"
            raise BadInputError(f"{option} is about one run, {why}", "leave one of them out")

    def say_loaded(self, loaded: Loaded) -> None:
        """Prints what was loaded."""
        what = "the run goes on" if loaded.kind == "run" else "the run begins on its SSD"
        talk.note(f"{loaded.path}: {what}, after {loaded.requests:,} requests and {loaded.simulated_s:.6g} simulated s")

    def say_stopped(self) -> None:
        """Prints how to continue."""
        if self.save is not None:
            talk.note(f"the same command with --load-state {self.save} goes on from here")


def parse_time(text: str) -> float:
    """Parses wall time, s: a number followed by s, m or h.

    Raises:
        BadInputError: The text is not a time.
    """
    number, unit = (text, "s") if text[-1:].isdigit() else (text[:-1], text[-1:])
    try:
        time_s = float(number) * UNITS_S[unit]
    except (KeyError, ValueError):
        time_s = 0.0
    if not 0 < time_s < float("inf"):
        raise BadInputError(f"--save-every {text}: not a time", "write 60s, 10m or 1h")
    return time_s
