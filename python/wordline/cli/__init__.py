"""The command line. Data go to standard output, messages to standard error.

Exit codes: 0 done; 1 the run failed (out of space, a failed check, a fault in Wordline); 2 bad input; 130 Ctrl-C or
SIGTERM; 141 the reader of the output is gone.
"""

from __future__ import annotations


def main(arguments: list[str] | None = None) -> int:
    """Runs `wordline` with `arguments`, by default the process's own; returns the exit code."""
    import atexit
    import gc
    import os
    import sys

    from . import invocation
    from .complete import COMPLETING
    from .guard import INTERRUPTED, guarded
    from .signals import deliver_swallowed_interrupts, ignore_interrupts, terminated_as_interrupted

    words = sys.argv[1:] if arguments is None else arguments
    invocation.note(words)
    deliver_swallowed_interrupts()

    def run() -> object:
        # Imported modules stay: repeated garbage collection of them would take a tenth of the start.
        gc.disable()
        from typer.main import get_command

        from .app import build

        if COMPLETING in os.environ:
            from typer.completion import completion_init  # type: ignore[attr-defined]

            completion_init()
        named = next((word for word in words if not word.startswith("-")), None)
        command = get_command(build("" if named is None and {"--version", "-V"} & {*words} else named))
        gc.freeze()
        gc.enable()
        return command.main(words, prog_name="wordline", standalone_mode=False)

    # The end of the process needs no garbage collection either, because it frees all memory.
    atexit.register(gc.freeze)
    with terminated_as_interrupted():
        code = guarded(run)
    if code == INTERRUPTED and arguments is None:
        ignore_interrupts()
    return code
