"""The command line. Data go to standard output, talk to standard error.

Exit codes: 0 done; 1 the run failed (out of space, a failed check, a fault of Wordline's own); 2 bad input; 130 Ctrl-C;
141 nobody reads the output any more.
"""

from __future__ import annotations


def main(arguments: list[str] | None = None) -> int:
    """Runs `wordline` with `arguments`, by default the process's own; returns the exit code."""
    import gc

    from .guard import guarded

    def run() -> object:
        # What is imported stays: looking for rubbish among it, again and again, takes a tenth of the start.
        gc.disable()
        from typer.main import get_command

        from .app import app

        command = get_command(app)
        gc.freeze()
        gc.enable()
        return command.main(arguments, prog_name="wordline", standalone_mode=False)

    return guarded(run)
