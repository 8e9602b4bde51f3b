"""Shell completion with Tab: each function takes the typed text and lists the matches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# The shell sets this variable to ask for the words at the cursor.
COMPLETING = "_WORDLINE_COMPLETE"


def _starting(names: Iterable[str], typed: str) -> list[str]:
    return [name for name in names if name.startswith(typed)]


def ssds(incomplete: str) -> list[str]:
    """Returns names of presets; the shell's own completion is better for files."""
    from ..config import presets

    return _starting((each.name for each in presets()), incomplete)


def explained(incomplete: str) -> list[str]:
    """Returns what `wordline explain` takes: topics, names of presets, and keys."""
    topics = ("config", "key", "coding", "read", "erase", "limits")
    return [*_starting(topics, incomplete), *ssds(incomplete), *keys(incomplete)]


def slots(incomplete: str) -> list[str]:
    """Returns the slots that a policy in Python can fill."""
    from ..python_policies import SLOTS

    return _starting((f"{slot}=" for slot in SLOTS), incomplete)


def hosts(incomplete: str) -> list[str]:
    """Returns names of hosts."""
    from .hosts import names

    return _starting(names(), incomplete)


def workloads(incomplete: str) -> list[str]:
    """Returns names of synthetic workloads and applications."""
    from ..applications import APPLICATIONS
    from ..workload import workloads as known

    return _starting((*(each.name for each in known()), *APPLICATIONS), incomplete)


def formats(incomplete: str) -> list[str]:
    """Returns names of trace formats."""
    from ..workload import trace_formats

    return _starting(trace_formats(), incomplete)


def numbers(incomplete: str) -> list[str]:
    """Returns short names of a result's numbers; a comma starts the next one."""
    from ..stats.columns import OPS
    from ..stats.names import SHORT

    done, comma, last = incomplete.rpartition(",")
    stats = ("mean", "p50", "p90", "p95", "p99", "p99.9", "p99.99", "p99.999", "p99.9999")
    names = [*SHORT, *(f"{op}.{stat}" for op in OPS for stat in stats)]
    return [f"{done}{comma}{name}" for name in _starting(names, last)]


def keys(incomplete: str) -> list[str]:
    """Returns keys of the configuration."""
    from ..config import config

    return _starting(config().keys(), incomplete)


def settings(incomplete: str) -> list[tuple[str, str]]:
    """Returns `key=` for a partial key, or `key=value` for a complete key whose values are words; with their help."""
    from ..config import parameters

    declared = parameters()
    key, equals, typed = incomplete.partition("=")
    if not equals:
        return [(f"{name}=", row["help"]) for name, row in declared.items() if name.startswith(incomplete)]
    if key not in declared:
        return []
    # A comma starts the next value of a grid.
    done, comma, last = typed.rpartition(",")
    begun = f"{key}={done}{comma}"
    return [(f"{begun}{word}", text) for word, text in values(declared[key]["domain"], last) if word.startswith(last)]


def values(domain: Any, typed: str) -> list[tuple[str, str]]:  # noqa: ANN401 - JSON of the core
    """Returns the words that a key takes, with their help; none if it takes numbers.

    Args:
        domain: The key's domain, as the core declares it.
        typed: The typed text: a value joined by `+` is continued.
    """
    kind: str
    what: Any
    kind, what = (domain, None) if isinstance(domain, str) else next(iter(domain.items()))
    match kind:
        case "truth":
            return [("true", ""), ("false", "")]
        case "one_of":
            return [(str(number), "") for number in what]
        case "word":
            return [(choice["name"], choice["help"]) for choice in what]
        case "joined":
            done, plus, _ = typed.rpartition("+")
            # If there are several lists, the first has the words for the beginning; joined words come after it.
            parts = what[1:] or what if plus else what
            return [(f"{done}{plus}{choice['name']}", choice["help"]) for part in parts for choice in part]
        case "either":
            return [each for choice in what for each in values(choice, typed)]
        case _:
            return []
