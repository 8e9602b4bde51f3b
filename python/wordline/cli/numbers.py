"""Names of a result's numbers, as options take them: `iops`, `read.p99.9`, or a dotted path of the document."""

from __future__ import annotations

from fnmatch import fnmatchcase

from .errors import BadInputError, nearest

EXAMPLES = "iops, wa, read.p99.9 or die_utilisation.mean; `wordline schema result` has all"


def check(name: str) -> None:
    """Checks that a result has a number of this name.

    Raises:
        BadInputError: It has none; the message names the nearest one, or says that it is not modelled.
    """
    from ..not_modelled import topic_of
    from ..record.schema import numbers
    from ..stats.goals import SHORT, path_of

    if path_of(name) is not None:
        return
    paths = [each.path for each in numbers()]
    if any(fnmatchcase(name, path) for path in paths):
        return
    if topic := topic_of(name):
        raise BadInputError(f"no number `{name}`: {topic}")
    near = nearest(name, [*SHORT, *paths])
    raise BadInputError(
        f"no number `{name}` in a result", f"{f'did you mean `{near}`? ' if near else ''}such are {EXAMPLES}"
    )
