"""Which row of a comparison is the first that meets what its numbers may be, as a sentence and in JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..stats.bounds import Bound, meets
from ..stats.names import title_of
from ..stats.run import interval_of
from .certainty import cell
from .compare_table import setting_text
from .numbers import measure

__all__ = ["answer", "document_of"]

Point = tuple[Mapping[str, Any], Mapping[str, Any]]
"""What was set in a run, and its JSON document."""
MORE, NO_MORE = "-n takes more", "a longer trace would tell"


def answer(points: Sequence[Point], bounds: tuple[Bound, ...]) -> str:
    """Returns which row is the first that meets all bounds, with its numbers, and how sure that is."""
    verdicts = [meets(document, bounds) for _, document in points]
    wanted = " and ".join(_told(each) for each in bounds)
    first = next((number for number, verdict in enumerate(verdicts) if verdict != "no"), None)
    if first is None:
        nearest = f"; {_nearest(points, bounds[0])}" if len(bounds) == 1 else ""
        return f"{wanted}: no row meets it{nearest}"
    text = f"{wanted}: {_row(points[first], bounds)} is the first row that meets it"
    if verdicts[first] == "yes":
        return text
    sure = next((number for number, verdict in enumerate(verdicts) if verdict == "yes"), None)
    has_more = points[first][1].get("workload", {}).get("synthetic", True)
    longer = MORE if has_more else NO_MORE
    more = longer if sure is None else f"{_row(points[sure], bounds)} is the first that surely does"
    return f"{text}, but {_doubt(points[first][1], bounds)}: {more}"


def document_of(points: Sequence[Point], bounds: tuple[Bound, ...]) -> dict[str, Any]:
    """Returns the bounds, and of each row whether it meets them; nothing where there are none."""
    if not bounds:
        return {}
    asked = [
        {"number": each.path, "bound": "at most" if each.is_most else "at least", "limit": each.limit}
        for each in bounds
    ]
    return {"bounds": asked, "meets": [meets(document, bounds) for _, document in points]}


def _doubt(document: Mapping[str, Any], bounds: tuple[Bound, ...]) -> str:
    """Returns why it is not sure that a run meets bounds that its numbers are within."""
    doubtful = [each for each in bounds if each.verdict(document) == "not sure"]
    known = [interval_of(document, each.path) for each in doubtful]
    if all(each is not None and each.half_width is not None for each in known):
        return "its interval (95 %) reaches beyond"
    return "how well it is known is not"


def _told(bound: Bound) -> str:
    title, _, unit = (title_of(bound.path) or bound.name).rpartition(" us")
    limit = f"{bound.limit:,g}" if bound.limit < 1e6 else measure(bound.limit)
    return f"{title or unit} at {'most' if bound.is_most else 'least'} {limit}{' us' if title else ''}"


def _row(point: Point, bounds: tuple[Bound, ...]) -> str:
    settings, document = point
    named = ", ".join(f"{key}={setting_text(key, value)}" for key, value in settings.items())
    return f"{named} ({', '.join(cell(document, *each.path.split('.')) for each in bounds)})"


def _nearest(points: Sequence[Point], bound: Bound) -> str:
    from ..stats.run import dig

    values = [dig(document, bound.path) for _, document in points]
    known = [number for number, value in enumerate(values) if isinstance(value, int | float)]
    if not known:
        return "no row has such a number"
    place = (min if bound.is_most else max)(known, key=lambda number: values[number])
    return f"{_row(points[place], (bound,))} is nearest"
