"""Names of a result's numbers, as options take them: `iops`, `read.p99.9`, or a dotted path of the document."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from ..stats.names import SHORT
from .errors import BadInputError, nearest

EXAMPLES = "iops, wa, read.p99.9 or die_utilisation.mean; `wordline schema result` has all"


SUGGESTED = 3
"""So many names are suggested at most."""


def check(name: str) -> None:
    """Checks that a result has a number of this name.

    Raises:
        BadInputError: It has none; the message names the nearest one, or says that it is not modelled.
    """
    from ..explain.not_modelled import topic_of
    from ..output.losses import LOSSES
    from ..record.schema import numbers
    from ..stats.names import path_of, without_unit

    if path_of(name) is not None:
        return
    paths = [each.path for each in numbers()]
    plain = without_unit(name)
    if any(fnmatchcase(plain, path) for path in paths):
        return
    if plain in LOSSES:
        raise BadInputError(
            f"no number `{name}` in a result", "the table shows it by itself where a run has lost something"
        )
    if topic := topic_of(name):
        raise BadInputError(f"no number `{name}`: {topic}")
    near = " or ".join(f"`{each}`" for each in _near(plain, paths))
    raise BadInputError(
        f"no number `{name}` in a result", f"{f'did you mean {near}? ' if near else ''}such are {EXAMPLES}"
    )


def _near(name: str, paths: Sequence[str]) -> list[str]:
    """Returns the numbers that have a name as a part of theirs, the shortest first; else the one most like it."""
    wanted = name.lower()
    parts = sorted((path for path in paths if wanted in path.lower().split(".") and "*" not in path), key=len)
    if parts:
        return parts[:SUGGESTED]
    near = nearest(name, [*SHORT, *paths])
    return [near] if near else []
