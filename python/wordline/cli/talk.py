"""Data to standard output, talk to standard error."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from .errors import ClosedPipeError

if TYPE_CHECKING:
    from rich.console import Console


def prepare() -> None:
    """A terminal or pipe that cannot show a character gets another one, not a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def data(text: str) -> None:
    """Writes text to standard output, at once.

    Raises:
        ClosedPipeError: when nobody reads it any more.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as gone:
        raise ClosedPipeError from gone


def show(draw: Callable[[Console], object]) -> None:
    """Draws tables on standard output.

    Raises:
        ClosedPipeError: when nobody reads it any more.
    """
    from ..output.console import console

    target = console()
    with target.capture() as drawn:
        draw(target)
    # A table pads every line to its full width; nobody wants those blanks in a file.
    text = drawn.get()
    data(text if target.is_terminal else "".join(line.rstrip() + "\n" for line in text.splitlines()))


def flush() -> None:
    """Writes out what is still held back."""
    sys.stdout.flush()


def drop_output() -> None:
    """Points standard output nowhere, so that closing it at exit cannot fail again."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


def note(text: str) -> None:
    """Tells something that is no data."""
    _say(text)


def warning(text: str) -> None:
    """Tells what may not be as expected."""
    _say(f"wordline: warning: {text}", "33")


def error(message: str, hint: str, code: int) -> int:
    """Tells what went wrong, and how to mend it; hands back the exit code."""
    _say(f"wordline: error: {message}" if code != 130 else f"wordline: {message}", "31")
    if hint:
        _say(f"  hint: {hint}")
    return code


def _say(text: str, colour: str = "") -> None:
    coloured = colour and sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    head, mark, rest = text.partition(": ")
    text = f"\x1b[{colour}m{head}{mark}\x1b[0m{rest}" if coloured else text
    try:
        print(text, file=sys.stderr, flush=True)
    except BrokenPipeError:
        # There is nobody to tell.
        return
