"""How signals end what takes long."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Until the callback that swallowed an interrupt has ended, s.
PAUSE_S = 0.01


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM ends what runs meanwhile as Ctrl-C does."""
    import signal

    try:
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    except ValueError:
        # Signals are the main thread's; who calls this from another ends it in another way.
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def deliver_swallowed_interrupts() -> None:
    """Ctrl-C ends the process also when it falls into a destructor or a callback.

    Python prints an exception that is raised there and goes on; an import runs such callbacks all the time.
    """
    usual = sys.unraisablehook

    def hook(swallowed: sys.UnraisableHookArgs) -> None:
        if not isinstance(swallowed.exc_value, KeyboardInterrupt):
            usual(swallowed)
            return
        import threading

        again = threading.Timer(PAUSE_S, _interrupt)
        again.daemon = True
        again.start()

    sys.unraisablehook = hook


def _interrupt() -> None:
    """Interrupts the main thread, also while it waits for the system."""
    import signal
    import threading

    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
