"""What the shell offers when Tab is pressed: each function takes what is typed so far, and lists what fits."""

from __future__ import annotations

from collections.abc import Iterable

# A shell that wants to know what may stand at the cursor says so here.
COMPLETING = "_WORDLINE_COMPLETE"


def _starting(names: Iterable[str], typed: str) -> list[str]:
    return [name for name in names if name.startswith(typed)]


def ssds(incomplete: str) -> list[str]:
    """Names of presets; for files the shell's own completion is better."""
    from ..config import presets

    return _starting((each.name for each in presets()), incomplete)


def workloads(incomplete: str) -> list[str]:
    """Names of synthetic workloads."""
    from ..workload import workloads as known

    return _starting((each.name for each in known()), incomplete)


def formats(incomplete: str) -> list[str]:
    """Names of trace formats."""
    from ..workload import trace_formats

    return _starting(trace_formats(), incomplete)


def keys(incomplete: str) -> list[str]:
    """Keys of the configuration."""
    from ..config import config

    return _starting(config().keys(), incomplete)


def settings(incomplete: str) -> list[str]:
    """`key=` for a key in part, `key=value` where the key takes words and is typed whole."""
    key, equals, _ = incomplete.partition("=")
    if not equals:
        return [f"{name}=" for name in keys(incomplete)]
    return _starting((f"{key}={choice}" for choice in choices(key)), incomplete)


def choices(key: str) -> list[str]:
    """The words that a key takes; none where it takes numbers or is not known."""
    from ..config import config as config_of

    config = config_of()
    if key not in config:
        return []
    if isinstance(config[key], bool):
        return ["true", "false"]
    return []
