"""Points that run as long as their answers need: longer at fixed checkpoints, in groups of the same length.

Systems are compared by ratios, which are fair only for the same requests. So all points of a group go to the same
checkpoint, and the group ends when every goal of each of its points is met. A checkpoint is an ordinary run, so that
the result depends neither on the machine nor on the number of cores, and is stored like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..config import full_key
from ..errors import ConfigError, GoalError
from ..result import Result
from ..stats.goals import Goal
from ..workload import Workload
from .outcome import Outcome, Results
from .point import Computation, Point, Until

if TYPE_CHECKING:
    from ..document import Checkpoint, UntilUnit

__all__ = ["check", "goals_of", "judged", "until_met"]

KEY = "workload.requests"


def goals_of(texts: Sequence[str], limit: int) -> list[Goal]:
    """Parses goals.

    Raises:
        GoalError: A goal or the limit is invalid.
    """
    if not texts:
        raise GoalError('there is no goal; write one as "read.p99.99 ±2%"')
    if limit < 1:
        raise GoalError(f"limit = {limit}: at least 1 times the first checkpoint")
    return [Goal.parse(text) for text in texts]


def judged(
    result: Result, goals: Sequence[Goal], earlier: Sequence[Checkpoint], unit: UntilUnit, size: int, last: int
) -> Result:
    """Returns the result of a checkpoint, whose `document["until"]` says how far its goals are.

    Args:
        result: The result.
        goals: Its goals.
        earlier: What `document["until"]` says of earlier checkpoints.
        unit: `requests` or `seeds`.
        size: How many of them.
        last: How many the last checkpoint has.
    """
    states = [goal.state(result.document) for goal in goals]
    look: Any = {unit: size, "reached_shares": [each["reached_share"] for each in states]}
    is_met = all(each["is_met"] for each in states)
    until = {"goals": states, "is_met": is_met, "unit": unit, "limit": last, "checkpoints": [*earlier, look]}
    document: Any = {**result.document, "until": until}
    return replace(result, document=document)


def check(points: Sequence[Point | Computation]) -> None:
    """Checks the goals of points.

    Raises:
        ConfigError: A point has goals, and not one synthetic workload.
        GoalError: A goal is invalid.
    """
    for point in points:
        until = _until(point)
        if until is not None:
            goals_of(until.goals, until.limit)
            _requests(point)


def until_met(first: Results, run: Callable[[list[Point | Computation]], Results], *, keep_partial: bool) -> Results:
    """Runs points with goals on, until each group has met its goals or reached its limit.

    Args:
        first: The outcomes of the first checkpoint, and of points without goals.
        run: Runs points.
        keep_partial: After Ctrl-C return the last checkpoint that is finished.
    """
    outcomes = [_looked_at(each, None) for each in first]
    is_partial = first.is_partial
    while not is_partial:
        places = _unmet(outcomes)
        if not places:
            break
        try:
            more = run([_longer(outcomes[place].point) for place in places])
        except KeyboardInterrupt:
            if not keep_partial:
                raise
            is_partial = True
            break
        for place, outcome in zip(places, more, strict=True):
            outcomes[place] = _looked_at(outcome, outcomes[place])
    return Results(outcomes, first.warnings, is_partial=is_partial)


def _unmet(outcomes: Sequence[Outcome]) -> list[int]:
    """Returns the places of the points that run on: those of groups with a goal that is not met."""
    groups: dict[Hashable, list[int]] = {}
    for place, outcome in enumerate(outcomes):
        until = _until(outcome.point)
        if until is not None:
            groups.setdefault(until.group, []).append(place)
    return [place for places in groups.values() if _goes_on([outcomes[each] for each in places]) for place in places]


def _goes_on(group: Sequence[Outcome]) -> bool:
    states = [each.result.document["until"] for each in group if each.result is not None]
    if len(states) < len(group):
        # A point failed: the others are as long as it is.
        return False
    has_room = all(2 * each["checkpoints"][-1]["requests"] <= each["limit"] for each in states)
    return has_room and not all(each["is_met"] for each in states)


def _looked_at(outcome: Outcome, before: Outcome | None) -> Outcome:
    until = _until(outcome.point)
    if until is None or outcome.result is None:
        return outcome
    size = _requests(outcome.point)
    earlier = before.result.document["until"]["checkpoints"] if before is not None and before.result else []
    first = earlier[0]["requests"] if earlier else size
    goals = goals_of(until.goals, until.limit)
    return replace(outcome, result=judged(outcome.result, goals, earlier, "requests", size, first * until.limit))


def _until(point: Point | Computation) -> Until | None:
    return point.until if isinstance(point, Point) else None


def _longer(point: Point | Computation) -> Point | Computation:
    """Returns the point with twice the requests."""
    if isinstance(point, Computation):
        return point
    settings = {key: value for key, value in point.settings.items() if full_key(key) != KEY}
    return replace(point, settings=settings, requests=2 * _requests(point))


def _requests(point: Point | Computation) -> int:
    task = point.resolve()
    workloads = [] if isinstance(task, Computation) else [flow.workload for flow in task.flows]
    if isinstance(task, Computation) or len(workloads) != 1 or not isinstance(workloads[0], Workload):
        raise ConfigError("only a single synthetic workload can run on; a trace or several flows can have more seeds")
    return int(workloads[0].config(task.config)[KEY])
