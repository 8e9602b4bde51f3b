"""How signals end what takes long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


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
