"""What the shell offers when Tab is pressed: each function takes what is typed so far, and lists what fits."""

from __future__ import annotations

from collections.abc import Iterable


def _starting(names: Iterable[str], typed: str) -> list[str]:
    return [name for name in names if name.startswith(typed)]


def ssds(incomplete: str) -> list[str]:
    """Names of presets; for files the shell's own completion is better."""
    import wordline as wl

    return _starting((each.name for each in wl.presets()), incomplete)


def workloads(incomplete: str) -> list[str]:
    """Names of synthetic workloads."""
    import wordline as wl

    return _starting((each.name for each in wl.workloads()), incomplete)


def formats(incomplete: str) -> list[str]:
    """Names of trace formats."""
    import wordline as wl

    return _starting(wl.trace_formats(), incomplete)


def keys(incomplete: str) -> list[str]:
    """Keys of the configuration."""
    import wordline as wl

    return _starting(wl.config().keys(), incomplete)


def settings(incomplete: str) -> list[str]:
    """`key=` for a key in part, `key=value` where the key takes words and is typed whole."""
    key, equals, _ = incomplete.partition("=")
    if not equals:
        return [f"{name}=" for name in keys(incomplete)]
    return _starting((f"{key}={choice}" for choice in choices(key)), incomplete)


def choices(key: str) -> list[str]:
    """The words that a key takes; none where it takes numbers or is not known."""
    import wordline as wl

    config = wl.config()
    if key not in config:
        return []
    if isinstance(config[key], bool):
        return ["true", "false"]
    return []
