"""Data to standard output, messages to standard error."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .errors import ClosedPipeError

NUMBERS = re.compile(r"[-+]?\d[\d.,]*")
SCALE = re.compile(
    r"(ssd\.scale = [^:]+): .*?(?:\((fewer than \d+) (raise write amplification)\).*?)?; "
    r"(\S+ \S+ for the host, filled and worn \S+ times as soon)\. Not scaled: .*\((docs/\S+)\)"
)
"""The warning about a part of a drive, which names all that is smaller; reports and `--json` have it whole."""

if TYPE_CHECKING:
    from rich.console import Console

    from ..config import Config


def prepare() -> None:
    """Makes a terminal or pipe that cannot show a character show another one, without an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def data(text: str) -> None:
    """Writes text to standard output, at once.

    Raises:
        ClosedPipeError: The reader is gone.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as gone:
        raise ClosedPipeError from gone


def show(draw: Callable[[Console], object]) -> None:
    """Draws tables on standard output.

    Raises:
        ClosedPipeError: The reader is gone.
    """
    from ..output.console import console

    target = console()
    with target.capture() as drawn:
        draw(target)
    # A table pads every line to its full width; these blanks are unwanted in a file.
    text = drawn.get()
    data(text if target.is_terminal else "".join(line.rstrip() + "\n" for line in text.splitlines()))


def flush() -> None:
    """Writes buffered data."""
    sys.stdout.flush()


def drop_output() -> None:
    """Discards further output, so that closing it at exit cannot fail again."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


def note(text: str) -> None:
    """Prints a message that is not data."""
    _say(text)


def warning(text: str) -> None:
    """Prints a warning."""
    _say(f"wordline: warning: {text}", "33")


def warnings(texts: Iterable[str]) -> None:
    """Prints warnings, each once; of several each has a number, so that a long one does not hide those after it."""
    lines = list(dict.fromkeys(map(in_short, texts)))
    for number, text in enumerate(lines, 1):
        place = f" {number} of {len(lines)}" if len(lines) > 1 else ""
        _say(f"wordline: warning{place}: {text}", "33")


def in_short(text: str) -> str:
    """Returns a warning without what only few readers need."""
    if (match := SCALE.match(text)) is None:
        return text
    scale, fewer, what, part, page = match.groups()
    raised = f"; {fewer} blocks a plane {what}" if fewer else ""
    return f"{scale}: {part}{raised} ({page} and --json have more){text[match.end() :]}"


def warn_each(texts: Iterable[str]) -> None:
    """Prints warnings of several runs: alike ones, which differ in numbers alone, once."""
    alike: dict[str, list[str]] = {}
    for text in dict.fromkeys(map(in_short, texts)):
        alike.setdefault(NUMBERS.sub("#", text), []).append(text)
    warnings(f"{same[0]}{_more(len(same) - 1)}" for same in alike.values())


def _more(count: int) -> str:
    if not count:
        return ""
    rows = "1 more row" if count == 1 else f"{count} more rows"
    return f" (and so in {rows}, with other numbers: --json has all)"


def of_drives(configs: Iterable[Config]) -> None:
    """Prints what is to be said of drives whatever runs on them, such as which part of one is simulated."""
    warn_each(line for config in configs for line in (*config.warnings, *config.model))


def stopped(done: int, total: int) -> None:
    """Prints that Ctrl-C ended a grid, and how to continue."""
    warning(f"{partial(done, total)}; the same command goes on from here")


def partial(done: int, total: int) -> str:
    """Returns the mark of a table that Ctrl-C cut short."""
    return f"stopped early: {done} of {total} points"


@contextmanager
def explained_stop(seeds: int = 1) -> Iterator[None]:
    """Prints after Ctrl-C in a grid without a finished point why there is no table, and how to continue.

    Args:
        seeds: Number of seeds of each point.
    """
    try:
        yield
    except KeyboardInterrupt:
        kept = "takes the finished seeds from the cache" if seeds > 1 else "starts again"
        warning(f"no point is finished, so there is no table; the same command {kept}")
        raise


def error(message: str, hint: str, code: int) -> int:
    """Prints an error and how to fix it; returns the exit code."""
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
        # Standard error is closed, too.
        return
