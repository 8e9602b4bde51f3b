"""`wordline doctor`: information about this machine, and a check that Wordline gives the expected results on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from . import options as opt
from . import talk
from .cache_listing import What, clear_cache, show_cache
from .errors import BadInputError

if TYPE_CHECKING:
    from ..machine import Finding


def doctor(
    json: opt.Json = False,
    quick: Annotated[bool, typer.Option("--quick", help="Leave the self-test out.")] = False,
    cache: Annotated[
        bool, typer.Option("--cache", help="List what is kept on disk instead: aged drives and finished points.")
    ] = False,
    clear: Annotated[
        What | None, typer.Option("--clear", help="With --cache: remove it. The next run makes it again.")
    ] = None,
) -> None:
    """Show versions, the machine and optional tools, and run a self-test of a few seconds."""
    if cache:
        show_cache(json) if clear is None else clear_cache(clear, json)
        return
    if clear is not None:
        raise BadInputError("--clear is about the cache", "write `wordline doctor --cache --clear drives`")
    from ..machine import findings

    rows = findings()
    passed = True
    if not quick:
        rows.append(_self_test())
        passed = rows[-1].is_ok
    if json:
        from ..output.json_document import text

        talk.data(text({"findings": [finding._asdict() for finding in rows]}))
    else:
        _show(rows)
    if not passed:
        raise typer.Exit(1)


def _self_test() -> Finding:
    import time

    from ..machine import Finding
    from ..selftest import EXPECTED, self_test

    talk.note("self-test: a few seconds …")
    started = time.perf_counter()
    got = self_test()
    seconds = time.perf_counter() - started
    if got == EXPECTED:
        return Finding("self-test", f"passed in {seconds:.1f} s, hash {got}", True, "")
    return Finding("self-test", f"hash {got}, expected {EXPECTED}", False, "results differ here: please report it")


def _show(rows: list[Finding]) -> None:
    from rich.text import Text

    from ..output.console import grid

    table = grid("what", "found", "hint", right=False)
    for finding in rows:
        style = "" if finding.is_ok else "yellow"
        table.add_row(Text(finding.name, style="bold"), Text(finding.value, style=style), Text(finding.hint))
    talk.show(lambda console: console.print(table))
