"""The only place where an error becomes a message and an exit code."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

from . import talk
from .errors import BadInputError, ClosedPipeError

OK, FAILED, BAD_INPUT, INTERRUPTED, CLOSED_PIPE = 0, 1, 2, 130, 141

NO_ROOM = "nothing half-written is left; make room and run it again, finished points of a grid are kept"
LINE_MAX = 1000
NO_INTEGER = re.compile(r"is not a valid int(eger)?( range)?\b")
NO_COMMAND = re.compile(r"No such command '([\w./-]+)'")
# Faults of the run, not of its input.
RUN_FAULTS = ("OutOfSpaceError", "StuckError", "CheckError", "BugError", "PointFailedError")


def guarded(run: Callable[[], object]) -> int:
    """Calls `run`; prints an error as one message on stderr, and returns the exit code."""
    talk.prepare()
    try:
        code = run()
        talk.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except (ClosedPipeError, BrokenPipeError):
        talk.drop_output()
        return CLOSED_PIPE
    except SystemExit as exit_request:
        return exit_request.code if isinstance(exit_request.code, int) else FAILED
    except BadInputError as mistake:
        return talk.error(mistake.message, mistake.hint, BAD_INPUT)
    except Exception as problem:  # noqa: BLE001 - the last place that can explain it
        return _explain(problem)
    except BaseException as panic:
        if type(panic).__name__ != "PanicException":
            raise
        return talk.error(f"this is a fault of Wordline: {panic}", "please report it with what you ran", FAILED)
    if code == INTERRUPTED:
        return talk.error("interrupted", "", INTERRUPTED)
    return code if isinstance(code, int) else OK


def _explain(problem: Exception) -> int:
    import typer

    from ..storage import FAULTS
    from .hints import of_option, of_problem

    if isinstance(problem, typer.TyperException):
        if type(problem).__name__ == "NoArgsIsHelpError":
            # A command group without a command: the message is its help.
            talk.note(problem.format_message())
            return BAD_INPUT
        context = getattr(problem, "ctx", None)
        hint = f"see `{context.command_path} --help`" if context else "see `wordline --help`"
        if no_command := NO_COMMAND.match(problem.format_message()):
            path = context.command_path if context else "wordline"
            hint = f"`{path} --help` lists the commands; `wordline explain {no_command[1]}` says what a word means"
        if meant := of_option(str(getattr(problem, "option_name", ""))):
            hint = f"{meant}; {hint}"
        # The name of a Python type says nothing to a user.
        message = NO_INTEGER.sub("is not a whole number", problem.format_message().rstrip("."))
        return talk.error(message, hint, BAD_INPUT)
    if isinstance(problem, typer.Abort):
        return talk.error("interrupted", "", INTERRUPTED)
    if isinstance(problem, OSError) and problem.errno in FAULTS:
        place = f"{os.fsdecode(problem.filename)}: " if problem.filename else ""
        return talk.error(f"cannot write: {place}{os.strerror(problem.errno)}", NO_ROOM, BAD_INPUT)
    if isinstance(problem, OSError) and problem.filename:
        if problem.errno == errno.EPIPE:
            return CLOSED_PIPE
        return talk.error(f"{os.fsdecode(problem.filename)}: {problem.strerror}", "", BAD_INPUT)
    old = _old()
    if _is_ours(problem):
        hint = NO_ROOM if type(problem).__name__ == "StorageFullError" else old or of_problem(problem)
        return talk.error(_readable(str(problem)), hint, FAILED if type(problem).__name__ in RUN_FAULTS else BAD_INPUT)
    if old:
        return talk.error(f"{type(problem).__name__}: {problem}", old, BAD_INPUT)
    import traceback

    traceback.print_exception(problem, file=sys.stderr)
    return talk.error(f"{type(problem).__name__}: {problem}", "this is a fault of Wordline; please report it", FAILED)


def _old() -> str:
    """Says that the compiled part is older than this code, where it is: that may be all that is wrong."""
    from .. import _core
    from .build_age import outdated

    return outdated(Path(_core.__file__)) if _core.__file__ else ""


def _readable(message: str) -> str:
    """Cuts the middle out of lines that nobody reads, such as one that quotes a whole file."""
    half = LINE_MAX // 2
    return "\n".join(
        line if len(line) <= LINE_MAX else f"{line[:half]} … {line[-half:]}" for line in message.split("\n")
    )


def _is_ours(problem: Exception) -> bool:
    from ..errors import WordlineError

    return isinstance(problem, WordlineError)
