"""What the shell offers when Tab is pressed: each function takes what is typed so far, and lists what fits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

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


def settings(incomplete: str) -> list[tuple[str, str]]:
    """`key=` for a key in part; `key=value` where the key is typed whole and takes words; each with its help."""
    from ..config import parameters

    declared = parameters()
    key, equals, typed = incomplete.partition("=")
    if not equals:
        return [(f"{name}=", row["help"]) for name, row in declared.items() if name.startswith(incomplete)]
    if key not in declared:
        return []
    # A comma begins the next value of a grid.
    done, comma, last = typed.rpartition(",")
    begun = f"{key}={done}{comma}"
    return [(f"{begun}{word}", text) for word, text in values(declared[key]["domain"], last) if word.startswith(last)]


def values(domain: Any, typed: str) -> list[tuple[str, str]]:  # noqa: ANN401 - JSON of the core
    """The words that a key takes, with their help; none where it takes numbers.

    Args:
        domain: The key's domain, as the core declares it.
        typed: What stands there: a value that is joined by `+` is continued.
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
            # Of several lists, the first names what stands at the beginning; what is joined comes behind it.
            parts = what[1:] or what if plus else what
            return [(f"{done}{plus}{choice['name']}", choice["help"]) for part in parts for choice in part]
        case "either":
            return [each for choice in what for each in values(choice, typed)]
        case _:
            return []
