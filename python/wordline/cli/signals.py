"""Signals that end long work."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Time for the callback that swallowed an interrupt to end, s.
PAUSE_S = 0.01


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Makes SIGTERM end the work like Ctrl-C."""
    import signal

    try:
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    except ValueError:
        # Only the main thread can set signals; callers in other threads have their own way to stop.
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def deliver_swallowed_interrupts() -> None:
    """Makes Ctrl-C end the process even if it arrives in a destructor or a callback.

    Python prints an exception that is raised there and continues; an import runs such callbacks all the time.
    """
    usual = sys.unraisablehook

    def hook(swallowed: sys.UnraisableHookArgs) -> None:
        if not isinstance(swallowed.exc_value, KeyboardInterrupt):
            usual(swallowed)
            return
        import threading

        while True:
            again = threading.Timer(PAUSE_S, _interrupt)
            again.daemon = True
            try:
                again.start()
            except KeyboardInterrupt:
                # On a busy machine it comes before the start is over: here it would be lost once more.
                continue
            return

    sys.unraisablehook = hook


def ignore_interrupts() -> None:
    """Lets an interrupted process end with its own exit code: one more signal would end it by that."""
    import signal

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def _interrupt() -> None:
    """Interrupts the main thread, even while it waits for the system."""
    import signal
    import threading

    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
